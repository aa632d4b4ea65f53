//! Two comparisons of one value with constants become one.
//!
//! ```text
//! x >= 'a' & x <= 'f'     ==>     x - 'a' < 6
//! x < 'a' | x > 'f'       ==>     x - 'a' >= 6
//! ```
//!
//! The difference is one of words, unsigned: what is less than the first is more than all in the range then, in signed
//! types, too. That is how ranges of characters are matched.

use super::defs::Defs;
use super::fold::inverse;
use crate::ir::{BinOp, CmpOp, Const, Function, Inst, Loc, Op, Type, Value};
use crate::meta::count;

/// Which values make a comparison with a constant hold.
#[derive(Clone, Copy)]
struct Range {
    x: Value,
    first: i64,
    last: i64,
}

/// The comparison that an operation on two others is; what it is made of is appended to `out`.
pub(super) fn comparison(
    function: &mut Function,
    defs: &Defs,
    op: &Op,
    loc: Loc,
    out: &mut Vec<Inst>,
) -> Option<Op> {
    let (a, b, inside) = match *op {
        Op::Binary(BinOp::And, a, b) => (a, b, CmpOp::Lt),
        Op::Binary(BinOp::Or, a, b) => (a, b, CmpOp::Ge),
        _ => return None,
    };
    let is_outside = inside == CmpOp::Ge;
    let range = |cond| Range::of(function, defs, cond, is_outside);
    let Range { x, first, last } = range(a)?.and(range(b)?)?;
    count!("range_tests", "ranges of constants", 1);
    let u32 = Type::U32;
    let word = match function.ty(x) {
        Type::U32 => x,
        _ => function.push(Op::Cast(x), u32, loc, out),
    };
    // A signed end has a word, too, and fewer than all values have a number that is one.
    let away = Op::Const(Const::from((first as u32).wrapping_neg()));
    let away = function.push(away, u32, loc, out);
    let distance = function.push(Op::Binary(BinOp::Add, word, away), u32, loc, out);
    let many = Op::Const(Const::from((last - first + 1) as u32));
    let many = function.push(many, u32, loc, out);
    Some(Op::Compare(inside, distance, many))
}

impl Range {
    /// What makes a comparison hold, or, if `is_outside`, not hold.
    fn of(function: &Function, defs: &Defs, cond: Value, is_outside: bool) -> Option<Self> {
        let &Op::Compare(op, x, constant) = defs.get(cond)? else {
            return None;
        };
        let ty = function.ty(x);
        if !ty.is_int() || ty.is_wide() {
            return None;
        }
        let word = defs.constant(constant)?;
        let (word, least, most) = match ty.is_signed() {
            true => {
                let most = (1 << (ty.bits() - 1)) - 1;
                (i64::from(word.cast_signed()), -most - 1, most)
            }
            false => (i64::from(word), 0, (1 << ty.bits()) - 1),
        };
        let holds = match is_outside {
            true => inverse(op, ty)?,
            false => op,
        };
        let (first, last) = match holds {
            CmpOp::Lt => (least, word - 1),
            CmpOp::Le => (least, word),
            CmpOp::Gt => (word + 1, most),
            CmpOp::Ge => (word, most),
            CmpOp::Eq | CmpOp::Ne => return None,
        };
        Some(Self { x, first, last })
    }

    /// What makes both hold: nothing if that is nothing, or what one of them alone says.
    fn and(self, other: Self) -> Option<Self> {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        let is = |one: Self| (one.first, one.last) == (first, last);
        let is_new = self.x == other.x && first <= last && !is(self) && !is(other);
        let x = self.x;
        is_new.then_some(Self { x, first, last })
    }
}
