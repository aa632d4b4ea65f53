//! Two choices one inside of the other become one, if they are between two values in all.
//!
//! ```text
//! if c { a } else if d { b } else { a }     ==>     if !c && d { b } else { a }
//! ```

use super::defs::Defs;
use crate::ir::{BinOp, Op, Value};

/// The one choice.
pub(super) struct Joined {
    pub(super) op: BinOp,
    /// Its two conditions, and whether what counts is that they do not hold.
    pub(super) conds: [(Value, bool); 2],
    pub(super) values: [Value; 2],
}

/// What `if cond { a } else { b }` is, if one of both is a choice that may give the other.
pub(super) fn joined(defs: &Defs, cond: Value, a: Value, b: Value) -> Option<Joined> {
    let same = |x: Value, y: Value| defs.same(x, y);
    let choice = |value: Value| match defs.get(value) {
        Some(Op::Select(cond, x, y)) => Some((*cond, *x, *y)),
        _ => None,
    };
    let (op, conds, values) = match (choice(a), choice(b)) {
        (_, Some((d, x, y))) if same(x, a) => (BinOp::Or, [(cond, false), (d, false)], [a, y]),
        (_, Some((d, x, y))) if same(y, a) => (BinOp::And, [(cond, true), (d, false)], [x, a]),
        (Some((d, x, y)), _) if same(x, b) => (BinOp::And, [(cond, false), (d, true)], [y, b]),
        (Some((d, x, y)), _) if same(y, b) => (BinOp::And, [(cond, false), (d, false)], [x, b]),
        _ => return None,
    };
    Some(Joined { op, conds, values })
}
