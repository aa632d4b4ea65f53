//! Division of pairs: a loop that computes some twenty bits of the quotient per iteration.
//!
//! An iteration estimates the quotient of the remainder in floats, rounding down, and subtracts that many divisors.
//! Each leaves at most a millionth of the remainder, so there are at most five, and one or two for a quotient of 32
//! bits.

use super::Pair;
use super::arith::{Words, add, is_less, mul, negate_if, shift_by, sub};
use super::casts::halves;
use crate::ir::{BinOp, Builder, CmpOp, Op, Type, UnOp, Value, While};

/// `Div` or `Rem`. A zero divisor gives a quotient of ones and the dividend as the remainder, as on words.
///
/// `divisor` is `y` if that is known.
pub(super) fn divide(
    b: &mut Builder<'_>,
    op: BinOp,
    signed: bool,
    (x, y): (Pair, Pair),
    divisor: Option<u64>,
) -> Pair {
    if let Some(divisor) = divisor.filter(|divisor| divisor.is_power_of_two())
        && !(signed && divisor >> 63 == 1)
    {
        return by_power(b, op, signed, x, divisor);
    }
    if !signed {
        return unsigned(b, op, x, y);
    }
    let (sign_x, sign_y) = (b.sign(x.hi), b.sign(y.hi));
    let magnitudes = (negate_if(b, sign_x, x), negate_if(b, sign_y, y));
    let result = unsigned(b, op, magnitudes.0, magnitudes.1);
    let sign = if op == BinOp::Rem {
        sign_x
    } else {
        // Not of a zero divisor's quotient.
        let sign = b.xor(sign_x, sign_y);
        let divides = is_some(b, y);
        let mask = b.mask(divides);
        b.and(sign, mask)
    };
    negate_if(b, sign, result)
}

fn is_some(b: &mut Builder<'_>, y: Pair) -> Value {
    let any = b.or(y.lo, y.hi);
    let zero = b.u32(0);
    b.compare(CmpOp::Ne, any, zero)
}

fn by_power(b: &mut Builder<'_>, op: BinOp, signed: bool, x: Pair, divisor: u64) -> Pair {
    let power = divisor.trailing_zeros();
    let mask = Pair {
        lo: b.u32((divisor - 1) as u32),
        hi: b.u32(((divisor - 1) >> 32) as u32),
    };
    let masked = |b: &mut Builder<'_>, x: Pair| Pair {
        lo: b.and(x.lo, mask.lo),
        hi: b.and(x.hi, mask.hi),
    };
    if !signed {
        return match op {
            BinOp::Rem => masked(b, x),
            _ => shift_by(b, BinOp::Shr, false, x, power),
        };
    }
    // Towards zero: what is negative is shifted from just below the next multiple.
    let sign = b.sign(x.hi);
    let bias = masked(b, Pair { lo: sign, hi: sign });
    let raised = add(b, x, bias);
    match op {
        BinOp::Rem => {
            let rest = masked(b, raised);
            sub(b, rest, bias)
        }
        _ => shift_by(b, BinOp::Shr, true, raised, power),
    }
}

/// The nearest float or one next to it.
fn approximate(b: &mut Builder<'_>, x: Pair) -> Value {
    let (hi, lo) = (b.cast(x.hi, Type::F32), b.cast(x.lo, Type::F32));
    let up = b.constant(4_294_967_296f32.to_bits(), Type::F32);
    b.value(Op::MulAdd(hi, up, lo), Type::F32)
}

fn unsigned(b: &mut Builder<'_>, op: BinOp, x: Pair, y: Pair) -> Pair {
    // 1 - 2^-20: more than all roundings of an estimate together.
    const A_BIT_LESS: f32 = 0.999_999_05;
    let divides = is_some(b, y);
    let float = approximate(b, y);
    let a_bit_less = b.constant(A_BIT_LESS.to_bits(), Type::F32);
    let inverse = b.binary(BinOp::Div, a_bit_less, float);
    let mask = b.mask(divides);
    let start = b.unary(UnOp::Not, mask);

    // Carried: what is left, and the quotient if that is what is asked for.
    let mut init = vec![x.lo, x.hi];
    if op == BinOp::Div {
        init.extend([start, start]);
    }
    let params: Vec<Value> = init
        .iter()
        .map(|_| b.function.new_value(Type::U32))
        .collect();
    let left = Pair {
        lo: params[0],
        hi: params[1],
    };

    let mut before = b.inner();
    let less = is_less(&mut before, left, y);
    let enough = before.unary(UnOp::Not, less);
    let cond = before.and(enough, divides);
    let before = before.finish();

    let mut after = b.inner();
    let float = approximate(&mut after, left);
    let estimate = after.binary(BinOp::Mul, float, inverse);
    let Pair { lo, hi } = halves(&mut after, estimate);
    // At least once, since it is not less.
    let any = after.or(lo, hi);
    let zero = after.u32(0);
    let none = after.compare(CmpOp::Eq, any, zero);
    let none = after.count(none);
    let times = Pair {
        lo: after.or(lo, none),
        hi,
    };
    let taken = mul(&mut after, times, y);
    let rest = sub(&mut after, left, taken);
    let mut next = vec![rest.lo, rest.hi];
    if let &[_, _, lo, hi] = params.as_slice() {
        let quotient = add(&mut after, Pair { lo, hi }, times);
        next.extend([quotient.lo, quotient.hi]);
    }
    let after = after.finish();

    let wanted = params.len() - 2;
    let results = b.while_loop(While {
        exits: params[wanted..].to_vec(),
        params,
        init,
        before,
        cond,
        after,
        next,
        optional: false,
    });
    Pair {
        lo: results[0],
        hi: results[1],
    }
}
