//! Arithmetic on numbers of any type, and the methods of numbers.

use std::panic::Location;

use super::checked::{Overflows, fail_on, is_least};
use super::half::{self, narrowed, widened};
use crate::ir::{BinOp, CmpOp, Op, Type, UnOp, Value};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::{Num, Signed};
use crate::lang::recorder::{At, emit, emit_const};
use crate::types::Scalar;

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
