//! The float functions of the kernel language.
//!
//! Each algorithm is written once, over [`Real`]: on the host `f32` is one, so that every argument can be measured in
//! minutes (`cargo run --release -p vortex-kernel --example ulp`), and the values of a kernel are another. Both give
//! the same bits, since both are IEEE 754 and nothing is contracted.
//!
//! There are no 64-bit floats on the device. Where `f32` alone is too coarse (argument reduction, the logarithm in
//! [`pow`]) a number is an unevaluated sum of two, and fused multiply-add recovers what a rounding lost.
//! Nearly everything is free of branches: lanes that compute together stay together.
//!
//! Angles are in radians. Errors are below 2 ULP, of all arguments unless docs/math.md says otherwise, which has what
//! was measured of each function.

mod exp;
mod log;
mod round;
pub mod sample;
mod trig;

use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

pub use exp::*;
pub use log::*;
pub use round::*;
pub use trig::*;

/// A binary32 number: `f32`, or one in every lane of a kernel.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Integers of 32 bits that wrap.
    type Int: Int<Flag = Self::Flag>;
    /// Truth values: what comparisons give.
    type Flag: Flag;

    /// A constant.
    fn of(value: f32) -> Self;
    /// An integer as a number, rounded to nearest.
    fn from_int(value: Self::Int) -> Self;
    /// The number with these bits.
    fn from_bits(bits: Self::Int) -> Self;
    /// Its bits, as IEEE 754 has them.
    fn bits(self) -> Self::Int;
    /// As an integer, rounded towards zero; saturates, and NaN gives 0.
    fn to_int(self) -> Self::Int;
    /// `self * factor + addend` with one rounding.
    fn fma(self, factor: Self, addend: Self) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The number without its sign.
    fn magnitude(self) -> Self;
    /// The number with the sign of another one.
    fn with_sign(self, sign: Self) -> Self;
    /// The largest integer not above the number. As the next four: an `i32` is near to it, and 0 has any sign.
    fn floor(self) -> Self;
    /// The smallest integer not below the number.
    fn ceil(self) -> Self;
    /// The integer next to the number towards zero.
    fn trunc(self) -> Self;
    /// The integer nearest to the number, of halves the one away from zero.
    fn round(self) -> Self;
    /// The integer nearest to the number, of halves the even one.
    fn round_ties_even(self) -> Self;
    /// The smaller one, a number rather than NaN.
    fn least(self, other: Self) -> Self;
    /// The larger one, a number rather than NaN.
    fn most(self, other: Self) -> Self;
    /// `self < other`.
    fn less(self, other: Self) -> Self::Flag;
    /// `self == other`.
    fn same(self, other: Self) -> Self::Flag;
    /// `if flag { a } else { b }`.
    fn select(flag: Self::Flag, a: Self, b: Self) -> Self;
    /// `while go_on(state) { state = step(state) }`.
    fn repeat(
        state: [Self::Int; 2],
        go_on: impl Fn([Self::Int; 2]) -> Self::Flag,
        step: impl Fn([Self::Int; 2]) -> [Self::Int; 2],
    ) -> [Self::Int; 2];
}

/// A signed integer of 32 bits that wraps.
pub trait Int:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// Truth values.
    type Flag: Flag;

    /// A constant.
    fn of(value: i32) -> Self;
    /// `self << amount`, for amounts below 32.
    fn up(self, amount: Self) -> Self;
    /// `self >> amount`, with the sign moving in, for amounts below 32.
    fn down(self, amount: Self) -> Self;
    /// The remainder of two positive numbers.
    fn modulo(self, other: Self) -> Self;
    /// `self < other`.
    fn less(self, other: Self) -> Self::Flag;
    /// `self == other`.
    fn same(self, other: Self) -> Self::Flag;
    /// `if flag { a } else { b }`.
    fn select(flag: Self::Flag, a: Self, b: Self) -> Self;
}

/// A truth value: `bool`, or one in every lane of a kernel.
pub trait Flag:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl Flag for bool {}

impl Int for Wrapping<i32> {
    type Flag = bool;

    fn of(value: i32) -> Self {
        Self(value)
    }
    fn up(self, amount: Self) -> Self {
        Self(self.0.wrapping_shl(amount.0.cast_unsigned()))
    }
    fn down(self, amount: Self) -> Self {
        Self(self.0.wrapping_shr(amount.0.cast_unsigned()))
    }
    fn modulo(self, other: Self) -> Self {
        self % other
    }
    fn less(self, other: Self) -> bool {
        self < other
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
    fn select(flag: bool, a: Self, b: Self) -> Self {
        if flag { a } else { b }
    }
}

impl Real for f32 {
    type Int = Wrapping<i32>;
    type Flag = bool;

    fn of(value: f32) -> Self {
        value
    }
    fn from_int(value: Wrapping<i32>) -> Self {
        value.0 as Self
    }
    fn from_bits(bits: Wrapping<i32>) -> Self {
        Self::from_bits(bits.0.cast_unsigned())
    }
    fn bits(self) -> Wrapping<i32> {
        Wrapping(self.to_bits().cast_signed())
    }
    fn to_int(self) -> Wrapping<i32> {
        Wrapping(self as i32)
    }
    fn fma(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    fn magnitude(self) -> Self {
        self.abs()
    }
    fn with_sign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
    fn floor(self) -> Self {
        self.floor()
    }
    fn ceil(self) -> Self {
        self.ceil()
    }
    fn trunc(self) -> Self {
        self.trunc()
    }
    fn round(self) -> Self {
        self.round()
    }
    fn round_ties_even(self) -> Self {
        self.round_ties_even()
    }
    fn least(self, other: Self) -> Self {
        self.min(other)
    }
    fn most(self, other: Self) -> Self {
        self.max(other)
    }
    fn less(self, other: Self) -> bool {
        self < other
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
    fn select(flag: bool, a: Self, b: Self) -> Self {
        if flag { a } else { b }
    }
    fn repeat(
        mut state: [Wrapping<i32>; 2],
        go_on: impl Fn([Wrapping<i32>; 2]) -> bool,
        step: impl Fn([Wrapping<i32>; 2]) -> [Wrapping<i32>; 2],
    ) -> [Wrapping<i32>; 2] {
        while go_on(state) {
            state = step(state);
        }
        state
    }
}

const SIGN: i32 = i32::MIN;

/// Number of bits of the fraction.
const FRACTION: i32 = 23;

fn int<R: Real>(value: i32) -> R::Int {
    R::Int::of(value)
}

/// A polynomial in `x`, the coefficient of its highest power first.
fn polynomial<R: Real>(x: R, coefficients: &[f32]) -> R {
    let mut rest = coefficients.iter().map(|&c| R::of(c));
    let Some(first) = rest.next() else {
        return R::of(0.0);
    };
    rest.fold(first, |sum, c| sum.fma(x, c))
}

/// `x`, negated where `sign` has the sign bit.
fn negate_if<R: Real>(x: R, sign: R::Int) -> R {
    R::from_bits(x.bits() ^ sign)
}

/// The sign bit of `x`, and `x` without it.
fn take_sign<R: Real>(x: R) -> (R::Int, R) {
    (x.bits() & int::<R>(SIGN), x.magnitude())
}

fn is_nan<R: Real>(x: R) -> R::Flag {
    !x.same(x)
}

/// Adding it pushes the fraction out of a number below 2^22, and gives the bits of an integer, and of it, as a number.
/// Half of its bits ends in 21 zeros, too.
const PUSH: f32 = 12_582_912.0;

/// The integer nearest to `x`, for `|x| < 2^22`: as number, and in the lower 22 bits of a positive integer.
fn nearest<R: Real>(x: R) -> (R, R::Int) {
    let pushed = x + R::of(PUSH);
    (pushed - R::of(PUSH), pushed.bits())
}

/// `2^n` for `n` from -126 to 127, of which only the lower 9 bits count.
fn power_of_two<R: Real>(n: R::Int) -> R {
    R::from_bits((n + int::<R>(127)).up(int::<R>(FRACTION)))
}
