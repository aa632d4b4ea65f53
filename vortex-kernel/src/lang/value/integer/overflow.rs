//! Arithmetic that tells of overflow, or stops at the limits.

use super::{
    BinOp, Lane, convert, here, is_negative, is_signed, least, less, magnitude, methods, most, of,
    same, select, sign,
};
use crate::lang::base::numbers::{Int, SignedInt, Unsigned};
use crate::lang::value::checked;

fn overflowing<T: Int>(op: BinOp, a: Lane<T>, b: Lane<T>) -> (Lane<T>, Lane<bool>) {
    let [result, overflow] = checked::overflowing(op, a.value(), b.value(), here());
    (Lane::new(result), Lane::new(overflow))
}

/// `a + b`, wrapped, and whether it was.
pub(super) fn add_overflow<T: Int>(a: Lane<T>, b: Lane<T>) -> (Lane<T>, Lane<bool>) {
    overflowing(BinOp::Add, a, b)
}

/// `a - b`, wrapped, and whether it was.
fn sub_overflow<T: Int>(a: Lane<T>, b: Lane<T>) -> (Lane<T>, Lane<bool>) {
    overflowing(BinOp::Sub, a, b)
}

/// `a * b`, wrapped, and whether it was.
pub(super) fn mul_overflow<T: Int>(a: Lane<T>, b: Lane<T>) -> (Lane<T>, Lane<bool>) {
    overflowing(BinOp::Mul, a, b)
}

/// The limit on the side where `negative` has its sign.
fn limit<T: Int>(negative: Lane<T>) -> Lane<T> {
    if is_signed::<T>() {
        sign(negative) ^ most()
    } else {
        most()
    }
}

methods! { Int:
    /// `self + other`, wrapping around at the limits of the type.
    fn wrapping_add(self, other: Self) -> Self { self + other }

    /// `self - other`, wrapping around at the limits of the type.
    fn wrapping_sub(self, other: Self) -> Self { self - other }

    /// `self * other`, wrapping around at the limits of the type.
    fn wrapping_mul(self, other: Self) -> Self { self * other }

    /// `-self`, wrapping around at the limits of the type.
    fn wrapping_neg(self) -> Self { of::<T>(0) - self }

    /// `self + other`, and whether it wrapped around.
    fn overflowing_add(self, other: Self) -> (Self, Lane<bool>) { add_overflow(self, other) }

    /// `self - other`, and whether it wrapped around.
    fn overflowing_sub(self, other: Self) -> (Self, Lane<bool>) { sub_overflow(self, other) }

    /// `self * other`, and whether it wrapped around.
    fn overflowing_mul(self, other: Self) -> (Self, Lane<bool>) { mul_overflow(self, other) }

    /// `-self`, and whether it wrapped around.
    fn overflowing_neg(self) -> (Self, Lane<bool>) {
        let overflow = if is_signed::<T>() {
            same(self, least())
        } else {
            less(of(0), self)
        };
        (of::<T>(0) - self, overflow)
    }

    /// `self + other`, no further than the limits of the type.
    fn saturating_add(self, other: Self) -> Self {
        let (sum, overflow) = add_overflow(self, other);
        select(overflow, limit(self), sum)
    }

    /// `self - other`, no further than the limits of the type.
    fn saturating_sub(self, other: Self) -> Self {
        let (difference, overflow) = sub_overflow(self, other);
        let limit = if is_signed::<T>() { limit(self) } else { of(0) };
        select(overflow, limit, difference)
    }

    /// `self * other`, no further than the limits of the type.
    fn saturating_mul(self, other: Self) -> Self {
        let (product, overflow) = mul_overflow(self, other);
        select(overflow, limit(self ^ other), product)
    }
}

methods! { SignedInt:
    /// `-self`, no further than the limits of the type.
    fn saturating_neg(self) -> Self {
        select(same(self, least()), most(), of::<T>(0) - self)
    }

    /// The absolute value, no further than the limits of the type.
    fn saturating_abs(self) -> Self {
        select(same(self, least()), most(), magnitude(self))
    }

    /// The absolute value, and whether it wrapped around.
    fn overflowing_abs(self) -> (Self, Lane<bool>) {
        (magnitude(self), same(self, least()))
    }

    /// The sum with an unsigned integer, wrapping around at the limits of the type.
    fn wrapping_add_unsigned(self, other: Lane<T::Unsigned>) -> Self {
        self + convert(other, here())
    }

    /// The difference to an unsigned integer, wrapping around at the limits of the type.
    fn wrapping_sub_unsigned(self, other: Lane<T::Unsigned>) -> Self {
        self - convert(other, here())
    }

    /// The sum with an unsigned integer, no further than the limits of the type.
    fn saturating_add_unsigned(self, other: Lane<T::Unsigned>) -> Self {
        let sum = self + convert(other, here());
        select(less(sum, self), most(), sum)
    }

    /// The difference to an unsigned integer, no further than the limits of the type.
    fn saturating_sub_unsigned(self, other: Lane<T::Unsigned>) -> Self {
        let difference = self - convert(other, here());
        select(less(self, difference), least(), difference)
    }
}

methods! { Unsigned:
    /// The sum with a signed integer, wrapping around at the limits of the type.
    fn wrapping_add_signed(self, other: Lane<T::Signed>) -> Self {
        self + convert(other, here())
    }

    /// The sum with a signed integer, no further than the limits of the type.
    fn saturating_add_signed(self, other: Lane<T::Signed>) -> Self {
        let (sum, overflow) = add_overflow(self, convert(other, here()));
        let limit: Lane<T> = convert(!sign(other), here());
        select(overflow ^ is_negative(other), limit, sum)
    }
}
