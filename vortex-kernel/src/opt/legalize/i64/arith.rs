//! Arithmetic, shifts and comparisons on pairs of words.

use super::Pair;
use crate::ir::{BinOp, Builder, CmpOp, Op, Type, UnOp, Value};

/// What wraps, carries and borrows: operations on words.
pub(super) trait Words {
    fn add(&mut self, a: Value, b: Value) -> Value;
    fn sub(&mut self, a: Value, b: Value) -> Value;
    fn mul(&mut self, a: Value, b: Value) -> Value;
    fn mul_high(&mut self, a: Value, b: Value) -> Value;
    fn and(&mut self, a: Value, b: Value) -> Value;
    fn or(&mut self, a: Value, b: Value) -> Value;
    fn xor(&mut self, a: Value, b: Value) -> Value;
    fn shl(&mut self, a: Value, amount: Value) -> Value;
    fn shr(&mut self, a: Value, amount: Value) -> Value;
    /// All bits are the highest one.
    fn sign(&mut self, a: Value) -> Value;
    /// `a < b` of unsigned words.
    fn less(&mut self, a: Value, b: Value) -> Value;
    /// A `bool` as 0 or 1.
    fn count(&mut self, flag: Value) -> Value;
    /// All bits are set where `flag` holds.
    fn mask(&mut self, flag: Value) -> Value;
}

impl Words for Builder<'_> {
    fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::Add, a, b)
    }
    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::Sub, a, b)
    }
    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::Mul, a, b)
    }
    fn mul_high(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::MulHigh, a, b)
    }
    fn and(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::And, a, b)
    }
    fn or(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::Or, a, b)
    }
    fn xor(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinOp::Xor, a, b)
    }
    fn shl(&mut self, a: Value, amount: Value) -> Value {
        self.binary(BinOp::Shl, a, amount)
    }
    fn shr(&mut self, a: Value, amount: Value) -> Value {
        self.binary(BinOp::Shr, a, amount)
    }
    fn sign(&mut self, a: Value) -> Value {
        let signed = self.cast(a, Type::I32);
        let amount = self.constant(31, Type::I32);
        let sign = self.binary(BinOp::Shr, signed, amount);
        self.cast(sign, Type::U32)
    }
    fn less(&mut self, a: Value, b: Value) -> Value {
        self.compare(CmpOp::Lt, a, b)
    }
    fn count(&mut self, flag: Value) -> Value {
        self.cast(flag, Type::U32)
    }
    fn mask(&mut self, flag: Value) -> Value {
        let (zero, count) = (self.u32(0), self.count(flag));
        self.sub(zero, count)
    }
}

pub(super) fn unary(b: &mut Builder<'_>, op: UnOp, a: Pair) -> Pair {
    match op {
        UnOp::Not => Pair {
            lo: b.unary(UnOp::Not, a.lo),
            hi: b.unary(UnOp::Not, a.hi),
        },
        // Others are of floats only: the verifier refuses them.
        _ => {
            let zero = b.u32(0);
            sub(b, Pair { lo: zero, hi: zero }, a)
        }
    }
}

pub(super) fn binary(b: &mut Builder<'_>, op: BinOp, signed: bool, x: Pair, y: Pair) -> Pair {
    match op {
        BinOp::Add => add(b, x, y),
        BinOp::Sub => sub(b, x, y),
        BinOp::Mul => mul(b, x, y),
        BinOp::MulHigh => mul_high(b, signed, x, y),
        BinOp::Min | BinOp::Max => {
            let less = less(b, signed, x, y);
            let less = b.value(less, Type::Bool);
            let (x, y) = if op == BinOp::Min { (x, y) } else { (y, x) };
            select(b, less, x, y)
        }
        // Bit by bit; the rest is dealt with elsewhere.
        op => Pair {
            lo: b.binary(op, x.lo, y.lo),
            hi: b.binary(op, x.hi, y.hi),
        },
    }
}

pub(super) fn add(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let lo = b.add(x.lo, y.lo);
    let carries = b.less(lo, x.lo);
    let carry = b.count(carries);
    let hi = b.add(x.hi, y.hi);
    Pair {
        lo,
        hi: b.add(hi, carry),
    }
}

pub(super) fn sub(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let borrows = b.less(x.lo, y.lo);
    let borrow = b.count(borrows);
    let hi = b.sub(x.hi, y.hi);
    Pair {
        lo: b.sub(x.lo, y.lo),
        hi: b.sub(hi, borrow),
    }
}

pub(super) fn mul(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let high = b.mul_high(x.lo, y.lo);
    let (left, right) = (b.mul(x.lo, y.hi), b.mul(x.hi, y.lo));
    let cross = b.add(left, right);
    Pair {
        lo: b.mul(x.lo, y.lo),
        hi: b.add(high, cross),
    }
}

/// The product of two words, whole.
fn product(b: &mut Builder<'_>, x: Value, y: Value) -> Pair {
    Pair {
        lo: b.mul(x, y),
        hi: b.mul_high(x, y),
    }
}

fn mul_high(b: &mut Builder<'_>, signed: bool, x: Pair, y: Pair) -> Pair {
    let zero = b.u32(0);
    let low = b.mul_high(x.lo, y.lo);
    let mut high = product(b, x.hi, y.hi);
    // What the products of low and high halves, and the one of low halves, carry into the upper 64 bits.
    let mut middle = low;
    for (one, other) in [(x.lo, y.hi), (x.hi, y.lo)] {
        let cross = product(b, one, other);
        let sum = b.add(middle, cross.lo);
        let carries = b.less(sum, middle);
        let carry = b.count(carries);
        // No overflow: the high half of a product of words is at most 2^32 - 2.
        let lo = b.add(cross.hi, carry);
        high = add(b, high, Pair { lo, hi: zero });
        middle = sum;
    }
    if signed {
        // A negative number stands for itself and 2^64.
        for (number, other) in [(x, y), (y, x)] {
            let sign = b.sign(number.hi);
            let excess = Pair {
                lo: b.and(sign, other.lo),
                hi: b.and(sign, other.hi),
            };
            high = sub(b, high, excess);
        }
    }
    high
}

pub(super) fn select(b: &mut Builder<'_>, cond: Value, x: Pair, y: Pair) -> Pair {
    Pair {
        lo: b.select(cond, x.lo, y.lo),
        hi: b.select(cond, x.hi, y.hi),
    }
}

/// `x` where `mask` is 0; where all its bits are set, what `-x` is.
pub(super) fn negate_if(b: &mut Builder<'_>, mask: Value, x: Pair) -> Pair {
    let mask = Pair { lo: mask, hi: mask };
    let flipped = Pair {
        lo: b.xor(x.lo, mask.lo),
        hi: b.xor(x.hi, mask.hi),
    };
    sub(b, flipped, mask)
}

pub(super) fn compare(b: &mut Builder<'_>, op: CmpOp, signed: bool, x: Pair, y: Pair) -> Op {
    match op {
        CmpOp::Eq | CmpOp::Ne => {
            let (lo, hi) = (b.xor(x.lo, y.lo), b.xor(x.hi, y.hi));
            let differ = b.or(lo, hi);
            Op::Compare(op, differ, b.u32(0))
        }
        CmpOp::Lt => less(b, signed, x, y),
        CmpOp::Gt => less(b, signed, y, x),
        CmpOp::Le => {
            let greater = less(b, signed, y, x);
            Op::Unary(UnOp::Not, b.value(greater, Type::Bool))
        }
        CmpOp::Ge => {
            let less = less(b, signed, x, y);
            Op::Unary(UnOp::Not, b.value(less, Type::Bool))
        }
    }
}

fn less(b: &mut Builder<'_>, signed: bool, x: Pair, y: Pair) -> Op {
    let low = b.less(x.lo, y.lo);
    let high = if signed {
        let (x, y) = (b.cast(x.hi, Type::I32), b.cast(y.hi, Type::I32));
        b.compare(CmpOp::Lt, x, y)
    } else {
        b.less(x.hi, y.hi)
    };
    let same = b.compare(CmpOp::Eq, x.hi, y.hi);
    let low = b.and(same, low);
    Op::Binary(BinOp::Or, high, low)
}

/// `x < y` of unsigned pairs.
pub(super) fn is_less(b: &mut Builder<'_>, x: Pair, y: Pair) -> Value {
    let op = less(b, false, x, y);
    b.value(op, Type::Bool)
}

/// A shift by the lowest 6 bits of `amount`.
pub(super) fn shift(b: &mut Builder<'_>, op: BinOp, signed: bool, x: Pair, amount: Value) -> Pair {
    let one = b.u32(1);
    // Words are shifted modulo 32; by the other half's 32 - n in two steps, of which the first is 1.
    let rest = b.unary(UnOp::Not, amount);
    let beyond = b.u32(32);
    let beyond = b.and(amount, beyond);
    let zero = b.u32(0);
    let beyond = b.compare(CmpOp::Ne, beyond, zero);
    if op == BinOp::Shl {
        let lo = b.shl(x.lo, amount);
        let half = b.shr(x.lo, one);
        let (high, crossing) = (b.shl(x.hi, amount), b.shr(half, rest));
        let hi = b.or(high, crossing);
        return Pair {
            lo: b.select(beyond, zero, lo),
            hi: b.select(beyond, lo, hi),
        };
    }
    let hi = high_right(b, signed, x.hi, amount);
    let double = b.shl(x.hi, one);
    let (low, crossing) = (b.shr(x.lo, amount), b.shl(double, rest));
    let lo = b.or(low, crossing);
    let fill = if signed { b.sign(x.hi) } else { zero };
    Pair {
        lo: b.select(beyond, hi, lo),
        hi: b.select(beyond, fill, hi),
    }
}

fn high_right(b: &mut Builder<'_>, signed: bool, hi: Value, amount: Value) -> Value {
    if !signed {
        return b.shr(hi, amount);
    }
    let (hi, amount) = (b.cast(hi, Type::I32), b.cast(amount, Type::I32));
    let shifted = b.binary(BinOp::Shr, hi, amount);
    b.cast(shifted, Type::U32)
}

/// A shift by a known amount below 64.
pub(super) fn shift_by(b: &mut Builder<'_>, op: BinOp, signed: bool, x: Pair, amount: u32) -> Pair {
    let n = b.u32(amount % 32);
    let rest = b.u32(32 - amount % 32);
    match (op, amount) {
        (_, 0) => x,
        (BinOp::Shl, 1..32) => {
            let (high, crossing) = (b.shl(x.hi, n), b.shr(x.lo, rest));
            Pair {
                lo: b.shl(x.lo, n),
                hi: b.or(high, crossing),
            }
        }
        (BinOp::Shl, _) => Pair {
            lo: b.u32(0),
            hi: b.shl(x.lo, n),
        },
        (_, 1..32) => {
            let (low, crossing) = (b.shr(x.lo, n), b.shl(x.hi, rest));
            Pair {
                lo: b.or(low, crossing),
                hi: high_right(b, signed, x.hi, n),
            }
        }
        _ => Pair {
            lo: high_right(b, signed, x.hi, n),
            hi: if signed { b.sign(x.hi) } else { b.u32(0) },
        },
    }
}
