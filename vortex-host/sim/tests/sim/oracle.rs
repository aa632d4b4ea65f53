//! What floating-point results must be, told without floating-point arithmetic.
//!
//! The exact result of an operation is never computed; it is only compared with candidates, in fixed-point integers of
//! a thousand bits. Binary search finds the two floats around it, and the rounding mode picks one. Slow, simple, and
//! nothing in common with how the device does it.

use std::cmp::Ordering;
use vortex_isa::Rounding;

pub(crate) const NX: u32 = 1;
pub(crate) const UF: u32 = 2;
pub(crate) const OF: u32 = 4;
pub(crate) const DZ: u32 = 8;
pub(crate) const NV: u32 = 16;
pub(crate) const NAN: u32 = 0x7fc0_0000;
pub(crate) const INF: u32 = 0x7f80_0000;
const SIGN: u32 = 1 << 31;

/// A number without sign, in units of 2^-320.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fixed([u64; 16]);

impl Fixed {
    const ZERO: Fixed = Fixed([0; 16]);

    /// `significand * 2^exponent`.
    fn new(significand: u64, exponent: i32) -> Fixed {
        let shift = (exponent + 320) as usize;
        let mut limbs = [0; 16];
        let wide = u128::from(significand) << (shift % 64);
        limbs[shift / 64] = wide as u64;
        limbs[shift / 64 + 1] = (wide >> 64) as u64;
        Fixed(limbs)
    }

    fn plus(self, other: Fixed) -> Fixed {
        let mut limbs = [0; 16];
        let mut carry = false;
        for (n, limb) in limbs.iter_mut().enumerate() {
            let (sum, first) = self.0[n].overflowing_add(other.0[n]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first | second);
        }
        Fixed(limbs)
    }

    fn minus(self, other: Fixed) -> Fixed {
        let mut limbs = [0; 16];
        let mut borrow = false;
        for (n, limb) in limbs.iter_mut().enumerate() {
            let (difference, first) = self.0[n].overflowing_sub(other.0[n]);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (difference, first | second);
        }
        Fixed(limbs)
    }

    fn compare(&self, other: &Fixed) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

/// Significand and exponent of a finite float without its sign. The one after the largest is 2^128.
fn parts(bits: u32) -> (u64, i32) {
    let fraction = u64::from(bits & 0x7f_ffff);
    match bits >> 23 & 255 {
        0 => (fraction, -149),
        field => (fraction | 1 << 23, field as i32 - 150),
    }
}

/// Rounds a positive number of which only the order relative to `significand * 2^exponent` is known.
fn round(negative: bool, rm: Rounding, order: impl Fn(u64, i32) -> Ordering) -> (u32, u32) {
    let sign = if negative { SIGN } else { 0 };
    let below = |bits: u32| {
        let (significand, exponent) = parts(bits);
        order(significand, exponent)
    };
    // The largest float that is not above.
    let (mut low, mut high) = (0, INF);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if below(middle) == Ordering::Less {
            high = middle
        } else {
            low = middle
        }
    }
    if below(low) == Ordering::Equal {
        return (sign | low, 0);
    }
    let away = |middle: Ordering, odd: bool| match rm {
        Rounding::Rtz => false,
        Rounding::Rdn => negative,
        Rounding::Rup => !negative,
        Rounding::Rmm => middle != Ordering::Less,
        Rounding::Rne | Rounding::Dyn => {
            middle == Ordering::Greater || middle == Ordering::Equal && odd
        }
    };
    let (significand, exponent) = parts(low);
    let mut flags = NX;
    if low == INF - 1 {
        // What the rounded number would be were the exponent not limited: 2^128 or more overflows.
        let middle = order(significand * 2 + 1, exponent - 1);
        let overflows = below(INF) != Ordering::Less || away(middle, true);
        if overflows {
            flags |= OF;
        }
        let to_infinity = match rm {
            Rounding::Rtz => false,
            Rounding::Rdn => negative,
            Rounding::Rup => !negative,
            _ => overflows,
        };
        return (sign | if to_infinity { INF } else { low }, flags);
    }
    if low < 0x80_0000 {
        // Tiny, unless 24 bits would have been rounded up to the smallest normal number: from 2^-126 - 2^-150.
        let last = order((1 << 24) - 1, -150);
        let reaches = last != Ordering::Less && {
            let middle = order((1 << 25) - 1, -151);
            last == Ordering::Greater && away(middle, true)
        };
        if !reaches {
            flags |= UF;
        }
    }
    let middle = order(significand * 2 + 1, exponent - 1);
    (sign | (low + u32::from(away(middle, low & 1 != 0))), flags)
}

fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INF
}

pub(crate) fn is_signalling(bits: u32) -> bool {
    is_nan(bits) && bits & 0x40_0000 == 0
}

fn is_inf(bits: u32) -> bool {
    bits & !SIGN == INF
}

fn is_zero(bits: u32) -> bool {
    bits & !SIGN == 0
}

fn invalid(operands: &[u32]) -> u32 {
    if operands.iter().any(|&bits| is_signalling(bits)) {
        NV
    } else {
        0
    }
}

pub(crate) fn fma(a: u32, b: u32, c: u32, rm: Rounding) -> (u32, u32) {
    if is_inf(a) && is_zero(b) || is_zero(a) && is_inf(b) {
        return (NAN, NV);
    }
    if [a, b, c].into_iter().any(is_nan) {
        return (NAN, invalid(&[a, b, c]));
    }
    let product_sign = (a ^ b) & SIGN;
    if is_inf(a) || is_inf(b) {
        return if is_inf(c) && c & SIGN != product_sign {
            (NAN, NV)
        } else {
            (product_sign | INF, 0)
        };
    }
    if is_inf(c) {
        return (c, 0);
    }
    let ((sa, ea), (sb, eb), (sc, ec)) = (parts(a), parts(b), parts(c));
    let (product, addend) = (Fixed::new(sa * sb, ea + eb), Fixed::new(sc, ec));
    let same = product_sign == c & SIGN;
    let (sum, sign) = if same {
        (product.plus(addend), product_sign)
    } else if product.compare(&addend) == Ordering::Less {
        (addend.minus(product), c & SIGN)
    } else {
        (product.minus(addend), product_sign)
    };
    if sum == Fixed::ZERO {
        let negative = if same {
            product_sign != 0
        } else {
            rm == Rounding::Rdn
        };
        return (if negative { SIGN } else { 0 }, 0);
    }
    round(sign != 0, rm, |significand, exponent| {
        sum.compare(&Fixed::new(significand, exponent))
    })
}

pub(crate) fn add(a: u32, b: u32, rm: Rounding) -> (u32, u32) {
    fma(a, 1f32.to_bits(), b, rm)
}

pub(crate) fn mul(a: u32, b: u32, rm: Rounding) -> (u32, u32) {
    fma(a, b, (a ^ b) & SIGN, rm)
}

pub(crate) fn div(a: u32, b: u32, rm: Rounding) -> (u32, u32) {
    if is_nan(a) || is_nan(b) {
        return (NAN, invalid(&[a, b]));
    }
    let sign = (a ^ b) & SIGN;
    if is_inf(a) && is_inf(b) || is_zero(a) && is_zero(b) {
        return (NAN, NV);
    }
    if is_inf(a) || is_zero(b) {
        return (sign | INF, if is_inf(a) { 0 } else { DZ });
    }
    if is_inf(b) || is_zero(a) {
        return (sign, 0);
    }
    let ((sa, ea), (sb, eb)) = (parts(a), parts(b));
    let dividend = Fixed::new(sa, ea);
    round(sign != 0, rm, |significand, exponent| {
        dividend.compare(&Fixed::new(significand * sb, exponent + eb))
    })
}

pub(crate) fn sqrt(a: u32, rm: Rounding) -> (u32, u32) {
    if is_nan(a) {
        return (NAN, invalid(&[a]));
    }
    if is_zero(a) || a == INF {
        return (a, 0);
    }
    if a & SIGN != 0 {
        return (NAN, NV);
    }
    let (significand, exponent) = parts(a);
    let square = Fixed::new(significand, exponent);
    round(false, rm, |root, exponent| {
        square.compare(&Fixed::new(root * root, 2 * exponent))
    })
}

pub(crate) fn from_integer(value: i64, rm: Rounding) -> (u32, u32) {
    if value == 0 {
        return (0, 0);
    }
    let exact = Fixed::new(value.unsigned_abs(), 0);
    round(value < 0, rm, |significand, exponent| {
        exact.compare(&Fixed::new(significand, exponent))
    })
}

pub(crate) fn to_integer(a: u32, least: i64, most: i64, rm: Rounding) -> (u32, u32) {
    if is_nan(a) {
        return (most as u32, NV);
    }
    // A double holds the float, and floor is exact.
    let value = f64::from(f32::from_bits(a));
    let (floor, half) = (value.floor(), value - value.floor());
    let rounded = match rm {
        Rounding::Rtz => value.trunc(),
        Rounding::Rdn => floor,
        Rounding::Rup => value.ceil(),
        Rounding::Rmm => value.round(),
        Rounding::Rne | Rounding::Dyn => {
            if half > 0.5 || half == 0.5 && floor % 2.0 != 0.0 {
                floor + 1.0
            } else {
                floor
            }
        }
    };
    if rounded < least as f64 {
        (least as u32, NV)
    } else if rounded > most as f64 {
        (most as u32, NV)
    } else {
        (rounded as i64 as u32, if rounded == value { 0 } else { NX })
    }
}
