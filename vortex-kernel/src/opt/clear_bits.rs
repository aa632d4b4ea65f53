//! Words whose lowest bits are clear: what is added to these bits carries nothing.
//!
//! ```text
//! (16 * x + 5) >> 4     ==>     (16 * x) >> 4
//! (16 * x + 5) & 7      ==>     5
//! ```
//!
//! So places in a table with rows of 16 are taken apart again, and words that are left out between rows for other banks
//! of memory are the same for a whole row.

use super::defs::Defs;
use super::folded::Folded;
use crate::ir::{BinOp, Function, Op, Value};

/// How many operations are looked through.
const DEPTH: u32 = 6;

/// Simplifies a shift or a mask of such a sum.
pub(super) fn fold(
    function: &Function,
    defs: &Defs,
    op: BinOp,
    a: Value,
    b: Value,
) -> Option<Folded> {
    if !matches!(op, BinOp::And | BinOp::Shr) {
        return None;
    }
    let by = defs.constant(b)?;
    let are_clear = |word, bits: u32| bits >> clear(function, defs, word, DEPTH) == 0;
    if op == BinOp::And && are_clear(a, by) {
        return Some(Folded::Word(0));
    }
    let &Op::Binary(BinOp::Add | BinOp::Or | BinOp::Xor, word, low) = defs.get(a)? else {
        return None;
    };
    let low = defs.constant(low).filter(|low| are_clear(word, *low))?;
    match op {
        BinOp::And => are_clear(word, by).then_some(Folded::Word(low & by)),
        _ => (low.checked_shr(by) == Some(0)).then_some(Folded::Op(Op::Binary(op, word, b))),
    }
}

/// How many of the lowest bits of a word are clear.
fn clear(function: &Function, defs: &Defs, word: Value, depth: u32) -> u32 {
    let (Some(op), Some(depth)) = (defs.get(word), depth.checked_sub(1)) else {
        return 0;
    };
    let of = |value: Value| clear(function, defs, value, depth);
    let found = match *op {
        Op::Const(_) => defs.constant(word).map_or(0, u32::trailing_zeros),
        Op::Binary(BinOp::Shl, a, amount) => {
            let width = function.ty(word).bits();
            defs.constant(amount).map_or(0, |n| of(a) + n % width)
        }
        Op::Binary(BinOp::Mul, a, b) => of(a) + of(b),
        Op::Binary(BinOp::And, a, b) => of(a).max(of(b)),
        Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor, a, b)
        | Op::Select(_, a, b) => of(a).min(of(b)),
        Op::Cast(a) if function.ty(a).is_int() => of(a),
        _ => 0,
    };
    found.min(31)
}
