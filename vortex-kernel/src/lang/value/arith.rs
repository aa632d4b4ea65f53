//! Arithmetic: the operators, their checks, and the methods of numbers.

use std::panic::Location;

use super::checked::{self, Overflows, fail_on, is_least};
use super::half::{self, narrowed, widened};
use super::lane::Lane;
use super::overload::{Add, Div, Mul, Neg, Rem, Sub};
use crate::ir::{BinOp, CmpOp, Const, FaultKind, Op, Type, UnOp, Value, eval};
use crate::lang::control::flow::branch;
use crate::lang::library::math::remainder;
use crate::lang::recorder::{
    At, checks_operators, const_of, contracts, emit, emit_const, emit_constant, emit_jump,
    emit_void, note_product, product,
};
use crate::types::{DeviceType, Scalar, Word};
use ::half::{bf16, f16};

/// Numbers: `+ - * / %`, `min`, `max`, `clamp`.
#[diagnostic::on_unimplemented(
    message = "kernels cannot calculate with `{Self}`",
    label = "not a number",
    note = "numbers are `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16`, `bf16`, `f32`, `usize` and `isize`"
)]
pub trait Num:
    DeviceType<Repr = Word>
    + Scalar
    + PartialOrd
    // For functions that are the host's, too.
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::MulAssign
    + std::ops::DivAssign
    + std::ops::RemAssign
{
}

/// Numbers with a sign: unary `-`, `abs`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no negative values",
    label = "only `i8`, `i16`, `i32`, `i64`, `isize`, `f16`, `bf16` and `f32` can be negated"
)]
pub trait Signed: Num + std::ops::Neg<Output = Self> {}

macro_rules! mark {
    ($($marker:ident: $($ty:ty)*;)*) => {$($(
        impl $marker for $ty {}
    )*)*};
}

mark! {
    Num: i8 i16 i32 u8 u16 u32 i64 u64 f16 bf16 f32 usize isize;
    Signed: i8 i16 i32 i64 f16 bf16 f32 isize;
}

macro_rules! operators {
    ($($bound:ident: $op:ident $method:ident $via:ident;)*) => {$(
        impl<T: $bound> $op for T {
            type Output = T;

            #[track_caller]
            fn $method(this: Lane<T>, other: Lane<T>) -> Lane<T> {
                $via(BinOp::$op, this, other, Location::caller())
            }
        }
    )*};
}

operators! {
    Num: Add add arithmetic;
    Num: Sub sub arithmetic;
    Num: Mul mul arithmetic;
    Num: Div div divide;
    Num: Rem rem divide;
}

impl<T: Signed> Neg for T {
    type Output = T;

    #[track_caller]
    fn neg(this: Lane<T>) -> Lane<T> {
        let at = Location::caller();
        if T::SCALAR.ir().is_int() && checks_operators() {
            fail_on(Overflows::Neg, || is_least(this.value(), at), at);
        }
        unary(UnOp::Neg, this, at)
    }
}

/// `+ - *` as written by the user: integers may have to be checked, floats merged.
pub(in crate::lang) fn arithmetic<T: Num>(op: BinOp, a: Lane<T>, b: Lane<T>, at: At) -> Lane<T> {
    let ty = T::SCALAR.ir();
    if ty.is_int() && checks_operators() {
        return Lane::new(checked::arithmetic(op, a.value(), b.value(), at));
    }
    if ty != Type::F32 || !contracts() {
        return binary(op, a, b, at);
    }
    let negated = |value| emit(Op::Unary(UnOp::Neg, value), ty, at);
    let merged = match (op, product(a.value()), product(b.value())) {
        (BinOp::Mul, ..) | (_, None, None) => {
            let result = binary(op, a, b, at);
            if op == BinOp::Mul {
                note_product(result.value(), [a.value(), b.value()]);
            }
            return result;
        }
        (BinOp::Sub, Some([x, y]), _) => Op::MulAdd(x, y, negated(b.value())),
        (BinOp::Sub, None, Some([x, y])) => Op::MulAdd(negated(x), y, a.value()),
        (_, Some([x, y]), _) => Op::MulAdd(x, y, b.value()),
        (_, None, Some([x, y])) => Op::MulAdd(x, y, a.value()),
    };
    Lane::new(emit(merged, ty, at))
}

pub(in crate::lang) fn binary<T: Scalar>(op: BinOp, a: Lane<T>, b: Lane<T>, at: At) -> Lane<T> {
    if T::SCALAR.ir().is_half() {
        let op = Op::Binary(op, widened(a.value(), at), widened(b.value(), at));
        return narrowed(emit(op, Type::F32, at), at);
    }
    Lane::new(emit(
        Op::Binary(op, a.value(), b.value()),
        T::SCALAR.ir(),
        at,
    ))
}

pub(in crate::lang) fn unary<T: Scalar>(op: UnOp, a: Lane<T>, at: At) -> Lane<T> {
    if T::SCALAR.ir().is_half() {
        return half::of_sign(op, a, at);
    }
    Lane::new(emit(Op::Unary(op, a.value()), T::SCALAR.ir(), at))
}

/// As [`binary`], on words whose type is not told.
pub(in crate::lang) fn on_words(op: BinOp, a: Value, b: Value, at: At) -> Value {
    emit(Op::Binary(op, a, b), Type::U32, at)
}

pub(in crate::lang) fn compare(op: CmpOp, a: Value, b: Value, at: At) -> Value {
    emit(
        Op::Compare(op, widened(a, at), widened(b, at)),
        Type::Bool,
        at,
    )
}

/// `/` and `%`. On integers a zero divisor and an overflow end the work item with a fault; a
/// constant divisor that cannot cause either costs no check.
pub(in crate::lang) fn divide<T: Num>(op: BinOp, a: Lane<T>, b: Lane<T>, at: At) -> Lane<T> {
    let ty = T::SCALAR.ir();
    if ty.is_half() && op == BinOp::Rem {
        let (a, b) = (widened(a.value(), at), widened(b.value(), at));
        return narrowed(remainder(Lane::new(a), Lane::new(b), at).value(), at);
    }
    if ty == Type::F32 && op == BinOp::Rem {
        return Lane::new(remainder(Lane::new(a.value()), Lane::new(b.value()), at).value());
    }
    if ty.is_int() {
        let minus_one = eval::wide::canonical(u64::MAX, ty);
        check_divisor(a, b, at);
        let constant = const_of(b.value());
        if ty.is_signed() && constant.is_none_or(|divisor| divisor == minus_one) {
            let min = (i64::MIN >> (64 - ty.bits())).cast_unsigned();
            let min = emit_constant(Const(eval::wide::canonical(min, ty)), ty, at);
            let mut overflow = compare(CmpOp::Eq, a.value(), min, at);
            if constant.is_none() {
                let minus_one = emit_constant(Const(minus_one), ty, at);
                let by_minus_one = compare(CmpOp::Eq, b.value(), minus_one, at);
                overflow = emit(
                    Op::Binary(BinOp::And, by_minus_one, overflow),
                    Type::Bool,
                    at,
                );
            }
            fail_if(
                overflow,
                FaultKind::DivideOverflow,
                [a.value(), b.value()],
                at,
            );
        }
    }
    binary(op, a, b, at)
}

/// A zero divisor ends the work item with a fault.
pub(in crate::lang) fn check_divisor<T: Num>(a: Lane<T>, b: Lane<T>, at: At) {
    if const_of(b.value()).is_none_or(|divisor| divisor == 0) {
        let zero = emit_const(0, T::SCALAR.ir(), at);
        let by_zero = compare(CmpOp::Eq, b.value(), zero, at);
        fail_if(by_zero, FaultKind::DivideByZero, [a.value(), b.value()], at);
    }
}

/// Ends the work item with a fault if `failed`.
pub(in crate::lang) fn fail_if(failed: Value, kind: FaultKind, operands: [Value; 2], at: At) {
    let fail = || {
        emit_void(Op::Fault { kind, operands }, at);
        emit_jump(Op::Return, at);
    };
    branch(failed, fail, || (), at);
}

fn select<T: Scalar>(condition: Value, a: Lane<T>, b: Lane<T>, at: At) -> Lane<T> {
    Lane::new(emit(
        Op::Select(condition, a.value(), b.value()),
        T::SCALAR.ir(),
        at,
    ))
}

impl<T: Num> Lane<T> {
    /// The smaller of two; of a number and NaN, the number.
    #[track_caller]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        binary(BinOp::Min, self, other, Location::caller())
    }

    /// The larger of two; of a number and NaN, the number.
    #[track_caller]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        binary(BinOp::Max, self, other, Location::caller())
    }

    /// `low` if less than `low`, `high` if greater than `high`, otherwise unchanged; NaN is
    /// unchanged. If `low > high` the result is `high`.
    #[track_caller]
    #[must_use]
    pub fn clamp(self, low: Self, high: Self) -> Self {
        let at = Location::caller();
        let below = compare(CmpOp::Lt, self.value(), low.value(), at);
        let raised = select(below, low, self, at);
        let above = compare(CmpOp::Gt, raised.value(), high.value(), at);
        select(above, high, raised, at)
    }
}

impl<T: Signed> Lane<T> {
    /// The absolute value; of the smallest integer, that integer itself.
    #[track_caller]
    #[must_use]
    pub fn abs(self) -> Self {
        let at = Location::caller();
        let ty = T::SCALAR.ir();
        if ty.is_int() {
            fail_on(Overflows::Abs, || is_least(self.value(), at), at);
            let shift = Lane::new(emit_const(ty.bits() - 1, ty, at));
            let sign = binary(BinOp::Shr, self, shift, at);
            binary(BinOp::Sub, binary(BinOp::Xor, self, sign, at), sign, at)
        } else {
            unary(UnOp::Abs, self, at)
        }
    }
}

impl Lane<f32> {
    /// The square root, correctly rounded.
    #[track_caller]
    #[must_use]
    pub fn sqrt(self) -> Self {
        unary(UnOp::Sqrt, self, Location::caller())
    }

    /// `self * a + b` with one rounding.
    #[track_caller]
    #[must_use]
    pub fn mul_add(self, a: Self, b: Self) -> Self {
        Self::new(emit(
            Op::MulAdd(self.value(), a.value(), b.value()),
            Type::F32,
            Location::caller(),
        ))
    }
}
