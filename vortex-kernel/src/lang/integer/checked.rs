//! Arithmetic that gives nothing where Rust's would overflow or divide by zero.

use super::{
    BinOp, CmpOp, Int, Lane, SignedInt, binary, compare, here, is_signed, least, methods, of, same,
};
use crate::lang::option::Opt;

/// The value, unless `failed`.
fn unless<T: Int>((value, failed): (Lane<T>, Lane<bool>)) -> Opt<Lane<T>> {
    Opt::of(!failed, value)
}

/// Whether `a / b` has no value.
fn is_undivided<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    let by_zero = compare(CmpOp::Eq, b, of(0));
    if is_signed::<T>() {
        by_zero | (same(a, least()) & same(b, of(-1)))
    } else {
        by_zero
    }
}

methods! { Int:
    /// `self + other`, if it does not overflow.
    fn checked_add(self, other: Self) -> Opt<Self> { unless(self.overflowing_add(other)) }

    /// `self - other`, if it does not overflow.
    fn checked_sub(self, other: Self) -> Opt<Self> { unless(self.overflowing_sub(other)) }

    /// `self * other`, if it does not overflow.
    fn checked_mul(self, other: Self) -> Opt<Self> { unless(self.overflowing_mul(other)) }

    /// `-self`, if it does not overflow.
    fn checked_neg(self) -> Opt<Self> { unless(self.overflowing_neg()) }

    /// `self` to the power of `exponent`, if it does not overflow.
    fn checked_pow(self, exponent: Lane<u32>) -> Opt<Self> {
        unless(self.overflowing_pow(exponent))
    }

    /// `self << amount`, if the amount is less than the width.
    fn checked_shl(self, amount: Lane<u32>) -> Opt<Self> { unless(self.overflowing_shl(amount)) }

    /// `self >> amount`, if the amount is less than the width.
    fn checked_shr(self, amount: Lane<u32>) -> Opt<Self> { unless(self.overflowing_shr(amount)) }

    /// `self / other`, if it does not overflow and `other` is not zero.
    fn checked_div(self, other: Self) -> Opt<Self> {
        let quotient = binary(BinOp::Div, self, other, here());
        unless((quotient, is_undivided(self, other)))
    }

    /// `self % other`, if it does not overflow and `other` is not zero.
    fn checked_rem(self, other: Self) -> Opt<Self> {
        let rest = binary(BinOp::Rem, self, other, here());
        unless((rest, is_undivided(self, other)))
    }
}

methods! { SignedInt:
    /// The absolute value, if it does not overflow.
    fn checked_abs(self) -> Opt<Self> { unless(self.overflowing_abs()) }
}
