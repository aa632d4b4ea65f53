//! Division with other roundings, and the remainders that belong to them.

use super::{
    BinOp, Lane, add_overflow, binary, count, here, is_signed, least, less, methods, most, of,
    same, select, sign,
};
use crate::lang::base::numbers::{Int, Unsigned};
use crate::lang::value::checked::{Overflows, fail_on};
use crate::lang::value::operators::{divide, unless_by_zero};

/// What wraps instead of failing, and whether it does.
fn overflows<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    same(a, least()) & same(b, of(-1))
}

/// `a / b` and `a % b`, checked for a zero divisor only: overflow wraps.
fn wrapping<T: Int>(op: BinOp, a: Lane<T>, b: Lane<T>) -> Lane<T> {
    let at = here();
    unless_by_zero(a, b, || binary(op, a, b, at), at)
}

/// The quotient that leaves a remainder which is not negative, given the one that rounds towards zero.
pub(super) fn euclid<T: Int>(a: Lane<T>, b: Lane<T>, quotient: Lane<T>) -> Lane<T> {
    if !is_signed::<T>() {
        return quotient;
    }
    let remainder = a - quotient * b;
    // One less for a positive divisor, one more for a negative one.
    let step = sign(b) | of(1);
    quotient - (step & sign(remainder))
}

/// The remainder that is not negative, given the one with the sign of the dividend.
pub(super) fn euclid_rest<T: Int>(b: Lane<T>, rest: Lane<T>) -> Lane<T> {
    if !is_signed::<T>() {
        return rest;
    }
    let sign_of_b = sign(b);
    let magnitude = (b ^ sign_of_b) - sign_of_b;
    rest + (magnitude & sign(rest))
}

methods! { Int:
    /// `self / other`; `MIN / -1` is `MIN`.
    fn wrapping_div(self, other: Self) -> Self { wrapping(BinOp::Div, self, other) }

    /// `self % other`; `MIN % -1` is 0.
    fn wrapping_rem(self, other: Self) -> Self { wrapping(BinOp::Rem, self, other) }

    /// `self / other`, and whether it wrapped around.
    fn overflowing_div(self, other: Self) -> (Self, Lane<bool>) {
        (wrapping(BinOp::Div, self, other), overflowed(self, other))
    }

    /// `self % other`, and whether the division wrapped around.
    fn overflowing_rem(self, other: Self) -> (Self, Lane<bool>) {
        (wrapping(BinOp::Rem, self, other), overflowed(self, other))
    }

    /// `self / other`; `MIN / -1` is `MAX`.
    fn saturating_div(self, other: Self) -> Self {
        let quotient = wrapping(BinOp::Div, self, other);
        if is_signed::<T>() {
            select(overflows(self, other), most(), quotient)
        } else {
            quotient
        }
    }

    /// The quotient that leaves a remainder which is not negative.
    fn div_euclid(self, other: Self) -> Self {
        euclid(self, other, divide(BinOp::Div, self, other, here()))
    }

    /// The remainder that is not negative.
    fn rem_euclid(self, other: Self) -> Self {
        euclid_rest(other, divide(BinOp::Rem, self, other, here()))
    }

    /// [`div_euclid`](Self::div_euclid); `MIN / -1` is `MIN`.
    fn wrapping_div_euclid(self, other: Self) -> Self {
        euclid(self, other, wrapping(BinOp::Div, self, other))
    }

    /// [`rem_euclid`](Self::rem_euclid); `MIN % -1` is 0.
    fn wrapping_rem_euclid(self, other: Self) -> Self {
        euclid_rest(other, wrapping(BinOp::Rem, self, other))
    }
}

fn overflowed<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    if is_signed::<T>() {
        overflows(a, b)
    } else {
        less(of::<T>(0), of(0))
    }
}

methods! { Unsigned:
    /// The quotient, rounded up.
    fn div_ceil(self, other: Self) -> Self {
        let quotient = divide(BinOp::Div, self, other, here());
        quotient + count(less(quotient * other, self))
    }

    /// The smallest multiple of `other` that is not less, wrapping around at the limits of the type.
    fn next_multiple_of(self, other: Self) -> Self {
        let rest = divide(BinOp::Rem, self, other, here());
        let whole = same(rest, of(0));
        let (up, overflow) = add_overflow(self, other - rest);
        fail_on(Overflows::NextMultiple, || (overflow & !whole).value(), here());
        select(whole, self, up)
    }

    /// Whether it is `other` times some integer; 0 is that of everything.
    fn is_multiple_of(self, other: Self) -> Lane<bool> {
        let zero = same(other, of(0));
        let rest = binary(BinOp::Rem, self, select(zero, of(1), other), here());
        select(zero, same(self, of(0)), same(rest, of(0)))
    }
}
