//! Rust's `as` from and to 64-bit integers.

use super::Pair;
use super::arith::{Words, negate_if};
use crate::ir::{BinOp, Builder, CmpOp, Op, Type, UnOp, Value};

const TWO_TO_32: f32 = 4_294_967_296.0;
const TWO_TO_MINUS_32: f32 = 1.0 / TWO_TO_32;

fn float(b: &mut Builder<'_>, value: f32) -> Value {
    b.constant(value.to_bits(), Type::F32)
}

/// A narrower number as one of 64 bits.
pub(super) fn to_pair(b: &mut Builder<'_>, a: Value, signed: bool) -> Pair {
    let from = b.function.ty(a);
    if from == Type::F32 {
        return if signed {
            float_to_signed(b, a)
        } else {
            float_to_unsigned(b, a)
        };
    }
    let lo = b.cast(a, Type::U32);
    let hi = if from.is_signed() {
        b.sign(lo)
    } else {
        b.u32(0)
    };
    Pair { lo, hi }
}

/// A number of 64 bits as one of type `to`: the last operation.
pub(super) fn from_pair(b: &mut Builder<'_>, a: Pair, signed: bool, to: Type) -> Op {
    if to != Type::F32 {
        return Op::Cast(a.lo);
    }
    if !signed {
        let bits = unsigned_to_float(b, a);
        return Op::Bitcast(bits);
    }
    let sign = b.sign(a.hi);
    let magnitude = negate_if(b, sign, a);
    let bits = unsigned_to_float(b, magnitude);
    let mask = b.u32(0x8000_0000);
    let sign = b.and(sign, mask);
    Op::Bitcast(b.or(bits, sign))
}

/// The bits of the nearest `f32`.
fn unsigned_to_float(b: &mut Builder<'_>, a: Pair) -> Value {
    let (one, zero) = (b.u32(1), b.u32(0));
    // How far the highest bit of the high half is from the top. That half without the bit after its highest one is
    // not rounded up to a power of two, so the exponent of its conversion tells.
    let below = b.shr(a.hi, one);
    let below = b.unary(UnOp::Not, below);
    let bare = b.and(a.hi, below);
    let bare = b.cast(bare, Type::F32);
    let bits = b.bitcast(bare, Type::U32);
    let amount = b.u32(23);
    let exponent = b.shr(bits, amount);
    let top = b.u32(127 + 31);
    let up = b.sub(top, exponent);
    // The 32 highest bits, and whether anything is left below them: the conversion rounds them as it would round all.
    let half = b.shr(a.lo, one);
    let rest = b.unary(UnOp::Not, up);
    let (high, crossing) = (b.shl(a.hi, up), b.shr(half, rest));
    let high = b.or(high, crossing);
    let low = b.shl(a.lo, up);
    let left = b.compare(CmpOp::Ne, low, zero);
    let sticky = b.count(left);
    let word = b.or(high, sticky);
    let large = b.cast(word, Type::F32);
    let large = b.bitcast(large, Type::U32);
    // Times 2^(32 - up), by the exponent; the number is at least 2^31.
    let thirty_two = b.u32(32);
    let scale = b.sub(thirty_two, up);
    let scale = b.shl(scale, amount);
    let large = b.add(large, scale);
    let small = b.cast(a.lo, Type::F32);
    let small = b.bitcast(small, Type::U32);
    let fits = b.compare(CmpOp::Eq, a.hi, zero);
    b.select(fits, small, large)
}

/// The halves of a number that is below 2^64; 0 of NaN and of what is negative.
pub(super) fn halves(b: &mut Builder<'_>, a: Value) -> Pair {
    let down = float(b, TWO_TO_MINUS_32);
    let high = b.binary(BinOp::Mul, a, down);
    let hi = b.cast(high, Type::U32);
    let whole = b.cast(hi, Type::F32);
    // Exact: the bits below those of the high half.
    let up = float(b, -TWO_TO_32);
    let low = b.value(Op::MulAdd(whole, up, a), Type::F32);
    Pair {
        lo: b.cast(low, Type::U32),
        hi,
    }
}

fn float_to_unsigned(b: &mut Builder<'_>, a: Value) -> Pair {
    let Pair { lo, hi } = halves(b, a);
    let limit = float(b, TWO_TO_32 * TWO_TO_32);
    let beyond = b.compare(CmpOp::Ge, a, limit);
    let beyond = b.count(beyond);
    let zero = b.u32(0);
    let ones = b.sub(zero, beyond);
    // The high half saturates by itself.
    Pair {
        lo: b.or(lo, ones),
        hi,
    }
}

fn float_to_signed(b: &mut Builder<'_>, a: Value) -> Pair {
    let bits = b.bitcast(a, Type::U32);
    let sign = b.sign(bits);
    let magnitude = b.unary(UnOp::Abs, a);
    let whole = halves(b, magnitude);
    let number = negate_if(b, sign, whole);
    let limit = float(b, TWO_TO_32 * TWO_TO_32 / 2.0);
    let beyond = b.compare(CmpOp::Ge, magnitude, limit);
    let (low, most) = (b.unary(UnOp::Not, sign), b.u32(0x7fff_ffff));
    let high = b.xor(sign, most);
    Pair {
        lo: b.select(beyond, low, number.lo),
        hi: b.select(beyond, high, number.hi),
    }
}
