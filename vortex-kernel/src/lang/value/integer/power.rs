//! Powers, powers of two, and square roots.

use super::{
    CmpOp, Lane, compare, convert, count, here, is_negative, is_signed, is_wide, less, methods,
    most, mul_overflow, of, same, select, width,
};
use crate::lang::base::flow::while_loop;
use crate::lang::base::numbers::{Int, Unsigned};
use crate::lang::place::access::mutable;
use crate::lang::recorder::{checks_overflow, const_of};
use crate::lang::value::checked::{Overflows, fail_on};

/// `base` to a power: by a known exponent products only, otherwise a loop over the bits of the exponent.
fn power<T: Int>(base: Lane<T>, exponent: Lane<u32>) -> Lane<T> {
    if let Some(mut exponent) = const_of(exponent.value()) {
        let (mut power, mut square) = (None, base);
        while exponent != 0 {
            if exponent & 1 != 0 {
                power = Some(power.map_or(square, |power| power * square));
            }
            exponent >>= 1;
            if exponent != 0 {
                square = square * square;
            }
        }
        return power.unwrap_or_else(|| of(1));
    }
    let (power, square, left) = (mutable(of::<T>(1)), mutable(base), mutable(exponent));
    while_loop(
        |_| less(of(0), left.get()),
        |_| {
            let odd = is_odd(left.get());
            power.set(power.get() * select(odd, square.get(), of(1)));
            square.set(square.get() * square.get());
            left.set(left.get() >> of::<u32>(1));
        },
    );
    power.get()
}

/// The square root, rounded down.
fn wide_root(x: Lane<u64>) -> Lane<u32> {
    let float: Lane<f32> = convert(x, here());
    // Off by 2^8 at most.
    let root: Lane<u32> = convert(float.sqrt(), here());
    // A step of Newton's method leaves next to nothing; rounding down, at most 1.
    let wide = convert::<u64, u32>(root, here());
    let squared = wide * wide;
    let left: Lane<i64> = convert(x - squared, here());
    let up = count::<i64>(is_negative(left));
    let left: Lane<f32> = convert(left, here());
    let double: Lane<f32> = convert(root, here());
    let step: Lane<i64> = convert(left / (double + double), here());
    let root = convert::<i64, u32>(root, here()) + step - up;
    let root = root.min(of(0xffff_ffff));
    let root: Lane<u64> = convert(root, here());
    let root = root - count(less(x, root * root));
    let more = less(root + root, x - root * root);
    convert(root + count(more), here())
}

fn is_odd(x: Lane<u32>) -> Lane<bool> {
    compare(CmpOp::Ne, x & of(1), of(0))
}

/// [`power`], and whether it wrapped around.
fn power_overflow<T: Int>(base: Lane<T>, exponent: Lane<u32>) -> (Lane<T>, Lane<bool>) {
    let (power, square, left) = (mutable(of::<T>(1)), mutable(base), mutable(exponent));
    let overflow = mutable(less(of::<u32>(0), of(0)));
    while_loop(
        |_| less(of(0), left.get()),
        |_| {
            let odd = is_odd(left.get());
            let (product, over) = mul_overflow(power.get(), square.get());
            power.set(select(odd, product, power.get()));
            left.set(left.get() >> of::<u32>(1));
            // The last square is not used.
            let (next, over_next) = mul_overflow(square.get(), square.get());
            square.set(next);
            let more = less(of(0), left.get());
            overflow.set(overflow.get() | (odd & over) | (more & over_next));
        },
    );
    (power.get(), overflow.get())
}

/// All bits up to the highest one.
pub(super) fn smear<T: Int>(x: Lane<T>) -> Lane<T> {
    let mut shift = 1;
    let mut x = x;
    while shift < width::<T>() {
        x = x | (x >> of::<T>(shift));
        shift *= 2;
    }
    x
}

/// The square root, rounded down.
fn root(x: Lane<u32>) -> Lane<u32> {
    let float: Lane<f32> = convert(x, here());
    // Never too small: where `x` was rounded down, to a square, so was the root.
    let root: Lane<u32> = convert(float.sqrt(), here());
    let root = root - (root >> of::<u32>(16));
    root - count(less(x, root * root))
}

methods! { Int:
    /// This number to a power, wrapping around at the limits of the type.
    fn pow(self, exponent: Lane<u32>) -> Self {
        if !checks_overflow() {
            return power(self, exponent);
        }
        let (power, overflow) = power_overflow(self, exponent);
        fail_on(Overflows::Power, || overflow.value(), here());
        power
    }

    /// This number to a power, wrapping around at the limits of the type.
    fn wrapping_pow(self, exponent: Lane<u32>) -> Self { power(self, exponent) }

    /// This number to a power, and whether it wrapped around.
    fn overflowing_pow(self, exponent: Lane<u32>) -> (Self, Lane<bool>) {
        power_overflow(self, exponent)
    }

    /// This number to a power, no further than the limits of the type.
    fn saturating_pow(self, exponent: Lane<u32>) -> Self {
        let (power, overflow) = power_overflow(self, exponent);
        let limit = if is_signed::<T>() {
            let below = is_negative(self) & is_odd(exponent);
            most::<T>() + count(below)
        } else {
            most()
        };
        select(overflow, limit, power)
    }
}

methods! { Unsigned:
    /// Whether exactly one bit is 1.
    fn is_power_of_two(self) -> Lane<bool> {
        let below = self - of(1);
        less(below, self ^ below)
    }

    /// The smallest power of two that is not less; 0 if there is none in the type.
    fn next_power_of_two(self) -> Self {
        let below = self - count(less(of(0), self));
        let smeared = smear(below);
        fail_on(Overflows::Power, || same(smeared, most()).value(), here());
        smeared + of(1)
    }

    /// The square root, rounded down.
    fn isqrt(self) -> Self {
        if is_wide::<T>() {
            return convert(wide_root(convert(self, here())), here());
        }
        convert(root(convert(self, here())), here())
    }
}
