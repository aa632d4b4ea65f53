//! Arithmetic that gives nothing where Rust's would overflow or divide by zero.

use super::division::{euclid, euclid_rest};
use super::power::smear;
use super::{
    BinOp, CmpOp, Lane, add_overflow, binary, compare, count, here, is_signed, least, less,
    methods, most, of, same, select, width,
};
use crate::lang::base::numbers::{Int, SignedInt, Unsigned};
use crate::lang::value::option::Opt;

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

methods! { Int:
    /// The quotient that leaves a remainder which is not negative, if it does not overflow and `other` is not zero.
    fn checked_div_euclid(self, other: Self) -> Opt<Self> {
        let quotient = binary(BinOp::Div, self, other, here());
        unless((euclid(self, other, quotient), is_undivided(self, other)))
    }

    /// The remainder that is not negative, if the division does not overflow and `other` is not zero.
    fn checked_rem_euclid(self, other: Self) -> Opt<Self> {
        let rest = binary(BinOp::Rem, self, other, here());
        unless((euclid_rest(other, rest), is_undivided(self, other)))
    }

    /// The logarithm to base 2, rounded down, of what is positive.
    fn checked_ilog2(self) -> Opt<Lane<u32>> {
        let log = of::<u32>(width::<T>() - 1) - self.leading_zeros();
        Opt::of(less(of(0), self), log)
    }

    /// The logarithm to base 10, rounded down, of what is positive.
    fn checked_ilog10(self) -> Opt<Lane<u32>> {
        let most = if is_signed::<T>() { width::<T>() - 1 } else { width::<T>() };
        let powers = (1..).map(|digits| 10u64.checked_pow(digits));
        let powers = powers.map_while(|power| power.filter(|power| u128::from(*power) < 1 << most));
        // As many as there are powers that are not greater.
        let log = powers.fold(of::<u32>(0), |log, power| {
            log + count::<u32>(!less(self, of(power.cast_signed())))
        });
        Opt::of(less(of(0), self), log)
    }

    /// The logarithm to base 2, rounded down. Of what is not positive, the work item ends with a fault.
    fn ilog2(self) -> Lane<u32> { self.checked_ilog2().unwrap() }

    /// The logarithm to base 10, rounded down. Of what is not positive, the work item ends with a fault.
    fn ilog10(self) -> Lane<u32> { self.checked_ilog10().unwrap() }
}

methods! { Unsigned:
    /// The smallest power of two that is not less, if there is one in the type.
    fn checked_next_power_of_two(self) -> Opt<Self> {
        let below = smear(select(same(self, of(0)), self, self - of(1)));
        Opt::of(!same(below, most()), below + of(1))
    }

    /// The smallest multiple of `other` that is not less, if there is one in the type and `other` is not zero.
    fn checked_next_multiple_of(self, other: Self) -> Opt<Self> {
        let rest = binary(BinOp::Rem, self, other, here());
        let whole = same(rest, of(0));
        let (up, overflow) = add_overflow(self, other - rest);
        let none = same(other, of(0)) | (overflow & !whole);
        unless((select(whole, self, up), none))
    }
}

methods! { SignedInt:
    /// The absolute value, if it does not overflow.
    fn checked_abs(self) -> Opt<Self> { unless(self.overflowing_abs()) }
}
