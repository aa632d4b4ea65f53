//! Arms that add to one value have what they add chosen, instead of the sums.
//!
//! ```text
//! if c { x += 1; y } else { x -= 1; .. }     ==>     x += if c { 1 } else { -1 }; if c { y } else { .. }
//! ```
//!
//! A choice between constants takes fewer instructions than one between values, and the arms get shorter, so that
//! branches become choices: as in a `match` each of whose arms takes a step in a direction of its own.

use super::defs::Defs;
use super::outcomes::is_choice;
use crate::ir::{BinOp, Function, Op, Value};

/// What one of two arms adds to a value that both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// 0 where it stays as it is.
    Constant(u32),
    /// What conditions decide.
    Choice(Value),
}

/// The value to which both of two yields add, and what. `alone`: the arms yield nothing else. Then it is as well to
/// choose between the sum and the value.
pub(super) fn common_base(
    function: &Function,
    defs: &Defs,
    yields: [Value; 2],
    alone: bool,
) -> Option<(Value, [Added; 2])> {
    let ty = function.ty(yields[0]);
    if !ty.is_int() || ty.is_wide() {
        return None;
    }
    let added = |value: Value, base: Value| {
        if value == base {
            return Some(Added::Constant(0));
        }
        let by = match defs.get(value)? {
            Op::Binary(BinOp::Add, a, b) if *a == base => *b,
            Op::Binary(BinOp::Add, a, b) if *b == base => *a,
            _ => return None,
        };
        Some(match defs.constant(by) {
            Some(word) => Added::Constant(word),
            None if is_choice(function, defs, by) => Added::Choice(by),
            None => return None,
        })
    };
    let bases = yields.into_iter().flat_map(|value| {
        let operands = match defs.get(value) {
            Some(Op::Binary(BinOp::Add, a, b)) => [Some(*a), Some(*b)],
            _ => [None; 2],
        };
        [Some(value)].into_iter().chain(operands).flatten()
    });
    for base in bases.filter(|base| defs.constant(*base).is_none()) {
        if let [Some(a), Some(b)] = yields.map(|value| added(value, base)) {
            let is_step = matches!(
                [a, b],
                [Added::Constant(0), Added::Constant(_)] | [Added::Constant(_), Added::Constant(0)]
            );
            return (!(alone && is_step)).then_some((base, [a, b]));
        }
    }
    None
}
