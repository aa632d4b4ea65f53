//! The methods of floats. What they compute is in [`crate::math`]; errors and costs of each are in docs/math.md.

use std::panic::Location;

use crate::ir::{BinOp, CmpOp, Op, Type, UnOp, Value};
use crate::lang::base::constant::Constant;
use crate::lang::base::flow::while_loop;
use crate::lang::base::lane::Lane;
use crate::lang::place::access::mutable;
use crate::lang::recorder::{At, const_of, emit, placed as stage};
use crate::lang::value::arith::{binary, unary};
use crate::lang::value::convert::convert;
use crate::math::{self, Flag, Int, Real};
use crate::types::Scalar;

/// A place within an algorithm: `stage` puts the user's call in its stead.
pub(in crate::lang) fn here() -> At {
    Location::caller()
}

pub(in crate::lang) fn compare<T: Scalar>(op: CmpOp, a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    Lane::new(emit(
        Op::Compare(op, a.value(), b.value()),
        Type::Bool,
        here(),
    ))
}

pub(in crate::lang) fn select<T: Scalar>(flag: Lane<bool>, a: Lane<T>, b: Lane<T>) -> Lane<T> {
    Lane::new(emit(
        Op::Select(flag.value(), a.value(), b.value()),
        T::SCALAR.ir(),
        here(),
    ))
}

fn bitcast<To: Scalar>(value: Value) -> Lane<To> {
    Lane::new(emit(Op::Bitcast(value), To::SCALAR.ir(), here()))
}

impl Flag for Lane<bool> {}

impl Int for Lane<i32> {
    type Flag = Lane<bool>;

    fn of(value: i32) -> Self {
        Constant { value }.lane()
    }
    fn up(self, amount: Self) -> Self {
        self << amount
    }
    fn down(self, amount: Self) -> Self {
        self >> amount
    }
    fn modulo(self, other: Self) -> Self {
        // Not `%`: the divisor is known to be positive.
        binary(BinOp::Rem, self, other, here())
    }
    fn less(self, other: Self) -> Lane<bool> {
        compare(CmpOp::Lt, self, other)
    }
    fn same(self, other: Self) -> Lane<bool> {
        compare(CmpOp::Eq, self, other)
    }
    fn select(flag: Lane<bool>, a: Self, b: Self) -> Self {
        select(flag, a, b)
    }
}

impl Real for Lane<f32> {
    type Int = Lane<i32>;
    type Flag = Lane<bool>;

    fn of(value: f32) -> Self {
        Constant { value }.lane()
    }
    fn from_int(value: Lane<i32>) -> Self {
        convert(value, here())
    }
    fn from_bits(bits: Lane<i32>) -> Self {
        bitcast(bits.value())
    }
    fn bits(self) -> Lane<i32> {
        bitcast(self.value())
    }
    fn to_int(self) -> Lane<i32> {
        convert(self, here())
    }
    fn fma(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    fn magnitude(self) -> Self {
        unary(UnOp::Abs, self, here())
    }
    fn with_sign(self, sign: Self) -> Self {
        binary(BinOp::CopySign, self, sign, here())
    }
    fn floor(self) -> Self {
        unary(UnOp::Floor, self, here())
    }
    fn ceil(self) -> Self {
        unary(UnOp::Ceil, self, here())
    }
    fn trunc(self) -> Self {
        unary(UnOp::Trunc, self, here())
    }
    fn round(self) -> Self {
        unary(UnOp::Round, self, here())
    }
    fn round_ties_even(self) -> Self {
        unary(UnOp::RoundEven, self, here())
    }
    fn least(self, other: Self) -> Self {
        self.min(other)
    }
    fn most(self, other: Self) -> Self {
        self.max(other)
    }
    fn less(self, other: Self) -> Lane<bool> {
        compare(CmpOp::Lt, self, other)
    }
    fn same(self, other: Self) -> Lane<bool> {
        compare(CmpOp::Eq, self, other)
    }
    fn select(flag: Lane<bool>, a: Self, b: Self) -> Self {
        select(flag, a, b)
    }
    fn repeat(
        [a, b]: [Lane<i32>; 2],
        go_on: impl Fn([Lane<i32>; 2]) -> Lane<bool>,
        step: impl Fn([Lane<i32>; 2]) -> [Lane<i32>; 2],
    ) -> [Lane<i32>; 2] {
        let (a, b) = (mutable(a), mutable(b));
        while_loop(
            |_| go_on([a.get(), b.get()]),
            |_| {
                let [next_a, next_b] = step([a.get(), b.get()]);
                a.set(next_a);
                b.set(next_b);
            },
        );
        [a.get(), b.get()]
    }
}

/// `a % b` on floats.
pub(in crate::lang) fn remainder(a: Lane<f32>, b: Lane<f32>, at: At) -> Lane<f32> {
    stage(at, || math::rem(a, b))
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),*);)*) => {
        impl Lane<f32> {$(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(self $(, $argument: Self)*) -> Self {
                stage(Location::caller(), || math::$name(self $(, $argument)*))
            }
        )*}
    };
}

vortex_macros::float_functions!(functions!);

impl Lane<f32> {
    /// This number to a power; NaN of a negative number and a power that is no integer.
    #[track_caller]
    #[must_use]
    pub fn powf(self, exponent: Self) -> Self {
        stage(Location::caller(), || math::pow(self, exponent))
    }

    /// This number to an integer power. Constant powers up to 4 are products.
    #[track_caller]
    #[must_use]
    pub fn powi(self, exponent: Lane<i32>) -> Self {
        stage(Location::caller(), || match const_of(exponent.value()) {
            Some(0) => <Self as Real>::of(1.0),
            Some(1) => self,
            Some(2) => self * self,
            Some(3) => self * self * self,
            Some(4) => {
                let square = self * self;
                square * square
            }
            _ => math::powi(self, exponent),
        })
    }

    /// The remainder of a division whose quotient is rounded so that the remainder is not negative.
    #[track_caller]
    #[must_use]
    pub fn rem_euclid(self, divisor: Self) -> Self {
        stage(Location::caller(), || {
            let rest = self % divisor;
            let is_negative = compare(CmpOp::Lt, rest, Real::of(0.0));
            select(is_negative, rest + divisor.abs(), rest)
        })
    }

    /// The quotient that belongs to `rem_euclid`.
    #[track_caller]
    #[must_use]
    pub fn div_euclid(self, divisor: Self) -> Self {
        stage(Location::caller(), || {
            let quotient = (self / divisor).trunc();
            let is_negative = compare(CmpOp::Lt, self % divisor, Real::of(0.0));
            let is_upwards = compare(CmpOp::Gt, divisor, Real::of(0.0));
            let one = <Self as Real>::of(1.0);
            let further = select(is_upwards, quotient - one, quotient + one);
            select(is_negative, further, quotient)
        })
    }

    /// Sine and cosine of radians; what they share is computed once.
    #[track_caller]
    #[must_use]
    pub fn sin_cos(self) -> (Self, Self) {
        stage(Location::caller(), || (math::sin(self), math::cos(self)))
    }

    /// `1 / self`, rounded once.
    #[track_caller]
    #[must_use]
    pub fn recip(self) -> Self {
        stage(Location::caller(), || <Self as Real>::of(1.0) / self)
    }

    /// Radians of so many degrees.
    #[track_caller]
    #[must_use]
    pub fn to_radians(self) -> Self {
        const RADIANS: f32 = std::f32::consts::PI / 180.0;
        stage(Location::caller(), || <Self as Real>::of(RADIANS) * self)
    }

    /// Degrees of so many radians.
    #[track_caller]
    #[must_use]
    pub fn to_degrees(self) -> Self {
        // The nearest to 180 / pi, as Rust has it.
        const DEGREES: f32 = 57.295_78;
        stage(Location::caller(), || <Self as Real>::of(DEGREES) * self)
    }

    /// What is right of the point, with the sign of the number.
    #[track_caller]
    #[must_use]
    pub fn fract(self) -> Self {
        stage(Location::caller(), || self - math::trunc(self))
    }

    /// Whether it is NaN.
    #[track_caller]
    #[must_use]
    pub fn is_nan(self) -> Lane<bool> {
        stage(Location::caller(), || compare(CmpOp::Ne, self, self))
    }

    /// Whether it is an infinity.
    #[track_caller]
    #[must_use]
    pub fn is_infinite(self) -> Lane<bool> {
        stage(Location::caller(), || {
            self.magnitude().same(Real::of(f32::INFINITY))
        })
    }

    /// Whether it is neither NaN nor an infinity.
    #[track_caller]
    #[must_use]
    pub fn is_finite(self) -> Lane<bool> {
        stage(Location::caller(), || {
            self.magnitude().less(Real::of(f32::INFINITY))
        })
    }

    /// Whether the sign bit is set, also of zero and NaN.
    #[track_caller]
    #[must_use]
    pub fn is_sign_negative(self) -> Lane<bool> {
        stage(Location::caller(), || self.bits().less(Int::of(0)))
    }

    /// Whether the sign bit is not set.
    #[track_caller]
    #[must_use]
    pub fn is_sign_positive(self) -> Lane<bool> {
        stage(Location::caller(), || !self.bits().less(Int::of(0)))
    }

    /// The bits, unchanged.
    #[track_caller]
    #[must_use]
    pub fn to_bits(self) -> Lane<u32> {
        stage(Location::caller(), || bitcast(self.value()))
    }
}

/// `f32::from_bits(bits)`.
#[track_caller]
#[must_use]
pub fn f32_from_bits(bits: Lane<u32>) -> Lane<f32> {
    stage(Location::caller(), || bitcast(bits.value()))
}
