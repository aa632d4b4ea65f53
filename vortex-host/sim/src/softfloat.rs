//! Exact single-precision arithmetic on bit patterns, in every rounding mode, with exception flags.
//!
//! The executor computes with the host's floats where they give the same result, and uses this module for the rest.
//! Everything goes through one function that rounds a number of arbitrary exponent: addition and multiplication are
//! cases of the fused operation.

use vortex_isa::Rounding;

/// Exception flags, as in `fflags`.
pub(crate) mod flag {
    /// Inexact.
    pub(crate) const NX: u32 = 1;
    /// Underflow.
    pub(crate) const UF: u32 = 2;
    /// Overflow.
    pub(crate) const OF: u32 = 4;
    /// Division by zero.
    pub(crate) const DZ: u32 = 8;
    /// Invalid operation.
    pub(crate) const NV: u32 = 16;
}

/// The NaN that operations give.
pub(crate) const NAN: u32 = 0x7fc0_0000;
/// The sign bit.
pub(crate) const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// A result and the exceptions it raised.
pub(crate) type Flagged = (u32, u32);

const fn exponent_field(bits: u32) -> u32 {
    bits >> 23 & 255
}

pub(crate) const fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

pub(crate) const fn is_signalling(bits: u32) -> bool {
    is_nan(bits) && bits & 1 << 22 == 0
}

const fn is_infinite(bits: u32) -> bool {
    bits & !SIGN == INFINITY
}

const fn is_zero(bits: u32) -> bool {
    bits & !SIGN == 0
}

/// A finite number as `significand * 2^exponent`.
const fn unpack(bits: u32) -> (i32, u32) {
    let fraction = bits & 0x7f_ffff;
    match exponent_field(bits) {
        0 => (-149, fraction),
        field => (field as i32 - 150, fraction | 1 << 23),
    }
}

/// `value / 2^shift`, rounded to an integer, and whether that was inexact.
const fn round(value: u64, shift: u32, negative: bool, rm: Rounding) -> (u64, bool) {
    let (quotient, rest, half) = match shift {
        0 => return (value, false),
        1..=63 => (value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1)),
        64 => (0, value, 1 << 63),
        // Less than half, whatever it is.
        _ => (0, (value != 0) as u64, 2),
    };
    let up = match rm {
        Rounding::Rtz => false,
        Rounding::Rdn => negative && rest != 0,
        Rounding::Rup => !negative && rest != 0,
        Rounding::Rmm => rest >= half,
        Rounding::Rne | Rounding::Dyn => rest > half || rest == half && quotient & 1 != 0,
    };
    (quotient + up as u64, rest != 0)
}

/// The float nearest to `significand * 2^exponent` in the given direction. The lowest bit of the significand may
/// stand for everything below it, as long as there are at least two bits more than a float has.
fn pack(negative: bool, exponent: i32, significand: u64, rm: Rounding) -> Flagged {
    let sign = if negative { SIGN } else { 0 };
    if significand == 0 {
        return (sign, 0);
    }
    let zeros = significand.leading_zeros();
    let significand = significand << zeros;
    // The value is 1.xxx times 2 to this.
    let exponent = exponent - zeros as i32 + 63;

    const NORMAL_SHIFT: u32 = 40;
    let (normal, inexact_normal) = round(significand, NORMAL_SHIFT, negative, rm);
    let carried = normal >> 24 != 0;
    if exponent >= -126 {
        let biased = exponent + 127 + i32::from(carried);
        if biased < 255 {
            let bits = ((exponent + 127) as u32) << 23;
            // The hidden bit, or a carry, goes into the exponent.
            return (
                sign | (bits - (1 << 23) + normal as u32),
                if inexact_normal { flag::NX } else { 0 },
            );
        }
        let to_infinity = match rm {
            Rounding::Rne | Rounding::Rmm | Rounding::Dyn => true,
            Rounding::Rtz => false,
            Rounding::Rdn => negative,
            Rounding::Rup => !negative,
        };
        return (
            sign | if to_infinity { INFINITY } else { INFINITY - 1 },
            flag::OF | flag::NX,
        );
    }
    let (subnormal, inexact) = round(
        significand,
        NORMAL_SHIFT + (-126 - exponent) as u32,
        negative,
        rm,
    );
    // Tiny, unless rounding as if the exponent had no limit reaches the smallest normal number.
    let tiny = !(exponent == -127 && carried);
    let flags = match (inexact, tiny) {
        (false, _) => 0,
        (true, false) => flag::NX,
        (true, true) => flag::NX | flag::UF,
    };
    (sign | subnormal as u32, flags)
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(a: u32, b: u32, c: u32, rm: Rounding) -> Flagged {
    let negative = (a ^ b) & SIGN != 0;
    let c_negative = c & SIGN != 0;
    let invalid_product = is_infinite(a) && is_zero(b) || is_zero(a) && is_infinite(b);
    if is_nan(a) || is_nan(b) || is_nan(c) || invalid_product {
        let invalid = invalid_product || is_signalling(a) || is_signalling(b) || is_signalling(c);
        return (NAN, if invalid { flag::NV } else { 0 });
    }
    if is_infinite(a) || is_infinite(b) {
        if is_infinite(c) && c_negative != negative {
            return (NAN, flag::NV);
        }
        return (if negative { SIGN | INFINITY } else { INFINITY }, 0);
    }
    if is_infinite(c) {
        return (c, 0);
    }

    let ((ea, sa), (eb, sb), (ec, sc)) = (unpack(a), unpack(b), unpack(c));
    let (mut product, mut product_exponent) = (u128::from(sa) * u128::from(sb), ea + eb);
    let (mut addend, mut addend_exponent) = (u128::from(sc), ec);
    if product == 0 && addend == 0 {
        let sign = if negative == c_negative {
            negative
        } else {
            rm == Rounding::Rdn
        };
        return (if sign { SIGN } else { 0 }, 0);
    }
    // Both to the top, two bits free for the carry; then the smaller one down to the exponent of the other.
    for (significand, exponent) in [
        (&mut product, &mut product_exponent),
        (&mut addend, &mut addend_exponent),
    ] {
        if *significand == 0 {
            *exponent = i32::MIN / 2;
        } else {
            let shift = significand.leading_zeros() as i32 - 2;
            *significand <<= shift;
            *exponent -= shift;
        }
    }
    let exponent = product_exponent.max(addend_exponent);
    product = shift_right_sticky(product, (exponent - product_exponent) as u32);
    addend = shift_right_sticky(addend, (exponent - addend_exponent) as u32);

    let (negative, sum) = if negative == c_negative {
        (negative, product + addend)
    } else if product >= addend {
        (negative, product - addend)
    } else {
        (c_negative, addend - product)
    };
    if sum == 0 {
        return (if rm == Rounding::Rdn { SIGN } else { 0 }, 0);
    }
    let zeros = sum.leading_zeros();
    let sum = sum << zeros;
    let significand = (sum >> 64) as u64 | u64::from(sum as u64 != 0);
    pack(negative, exponent - zeros as i32 + 64, significand, rm)
}

/// What is shifted out leaves a one in the lowest bit.
fn shift_right_sticky(value: u128, shift: u32) -> u128 {
    match shift {
        0 => value,
        1..=127 => value >> shift | u128::from(value << (128 - shift) != 0),
        _ => u128::from(value != 0),
    }
}

/// `a + b`.
pub(crate) fn add(a: u32, b: u32, rm: Rounding) -> Flagged {
    fma(a, ONE, b, rm)
}

/// `a - b`.
pub(crate) fn sub(a: u32, b: u32, rm: Rounding) -> Flagged {
    add(a, b ^ SIGN, rm)
}

/// `a * b`.
pub(crate) fn mul(a: u32, b: u32, rm: Rounding) -> Flagged {
    // A zero of the product's sign changes nothing, not even the sign of a zero.
    fma(a, b, (a ^ b) & SIGN, rm)
}

/// `a / b`.
pub(crate) fn div(a: u32, b: u32, rm: Rounding) -> Flagged {
    let negative = (a ^ b) & SIGN != 0;
    let sign = (a ^ b) & SIGN;
    if is_nan(a) || is_nan(b) {
        return (
            NAN,
            if is_signalling(a) || is_signalling(b) {
                flag::NV
            } else {
                0
            },
        );
    }
    match (is_infinite(a), is_infinite(b)) {
        (true, true) => return (NAN, flag::NV),
        (true, false) => return (sign | INFINITY, 0),
        (false, true) => return (sign, 0),
        (false, false) => {}
    }
    match (is_zero(a), is_zero(b)) {
        (true, true) => return (NAN, flag::NV),
        (true, false) => return (sign, 0),
        (false, true) => return (sign | INFINITY, flag::DZ),
        (false, false) => {}
    }
    let ((ea, sa), (eb, sb)) = (unpack(a), unpack(b));
    // As many quotient bits as fit, whatever the operands' own lengths.
    let (za, zb) = (u64::from(sa).leading_zeros(), sb.leading_zeros());
    let (dividend, divisor) = (u64::from(sa) << za, u64::from(sb << zb) >> 8);
    let quotient = ((dividend / divisor) << 1) | u64::from(dividend % divisor != 0);
    pack(
        negative,
        (ea - za as i32) - (eb - zb as i32 + 8) - 1,
        quotient,
        rm,
    )
}

/// `sqrt(a)`.
pub(crate) fn sqrt(a: u32, rm: Rounding) -> Flagged {
    if is_nan(a) {
        return (NAN, if is_signalling(a) { flag::NV } else { 0 });
    }
    if is_zero(a) {
        return (a, 0);
    }
    if a & SIGN != 0 {
        return (NAN, flag::NV);
    }
    if is_infinite(a) {
        return (a, 0);
    }
    let (exponent, significand) = unpack(a);
    let zeros = u64::from(significand).leading_zeros();
    // Even, so that it can be halved.
    let shift = if (exponent - zeros as i32) % 2 == 0 {
        zeros
    } else {
        zeros - 1
    };
    let square = u64::from(significand) << shift;
    let root = square.isqrt();
    pack(
        false,
        (exponent - shift as i32) / 2 - 1,
        root << 1 | u64::from(root * root != square),
        rm,
    )
}

/// An integer of 33 bits with sign, to a float.
pub(crate) fn from_integer(value: i64, rm: Rounding) -> Flagged {
    pack(value < 0, 0, value.unsigned_abs(), rm)
}

/// A float to an integer between `least` and `most`, saturating.
fn to_integer(a: u32, least: i64, most: i64, rm: Rounding) -> (i64, u32) {
    if is_nan(a) {
        return (most, flag::NV);
    }
    let negative = a & SIGN != 0;
    if !is_infinite(a) {
        let (exponent, significand) = unpack(a);
        let (magnitude, inexact) = match exponent {
            ..0 => round(
                u64::from(significand),
                exponent.unsigned_abs(),
                negative,
                rm,
            ),
            0..=30 => (u64::from(significand) << exponent, false),
            // Beyond any integer of 32 bits.
            _ => (1 << 62, false),
        };
        let value = if negative {
            -(magnitude as i64)
        } else {
            magnitude as i64
        };
        if (least..=most).contains(&value) {
            return (value, if inexact { flag::NX } else { 0 });
        }
    }
    (if negative { least } else { most }, flag::NV)
}

/// A float to a signed integer.
pub(crate) fn to_signed(a: u32, rm: Rounding) -> Flagged {
    let (value, flags) = to_integer(a, i64::from(i32::MIN), i64::from(i32::MAX), rm);
    (value as u32, flags)
}

/// A float to an unsigned integer.
pub(crate) fn to_unsigned(a: u32, rm: Rounding) -> Flagged {
    let (value, flags) = to_integer(a, 0, i64::from(u32::MAX), rm);
    (value as u32, flags)
}

/// What kind of number it is: the mask of `fclass.s`.
pub(crate) const fn classify(a: u32) -> u32 {
    let negative = a & SIGN != 0;
    if is_nan(a) {
        return if is_signalling(a) { 1 << 8 } else { 1 << 9 };
    }
    let kind = if is_infinite(a) {
        0
    } else if is_zero(a) {
        3
    } else if exponent_field(a) == 0 {
        2
    } else {
        1
    };
    if negative { 1 << kind } else { 1 << (7 - kind) }
}
