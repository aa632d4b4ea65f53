//! Floats of 16 bits: kept as such, computed with as `f32`.
//!
//! An `f32` has more than twice their significant bits, so rounding the `f32` result of one operation once more gives
//! what rounding the true result would.

use std::panic::Location;

use crate::ir::{BinOp, CmpOp, Op, Type, UnOp, Value};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Half;
use crate::lang::recorder::{At, emit, emit_const, type_of};
use crate::types::Scalar;

/// A 16-bit float as `F32`; anything else as it is.
pub(in crate::lang) fn widened(value: Value, at: At) -> Value {
    if type_of(value).is_half() {
        emit(Op::Cast(value), Type::F32, at)
    } else {
        value
    }
}

/// An `F32` rounded to the 16-bit float that is nearest.
pub(in crate::lang) fn narrowed<T: Scalar>(value: Value, at: At) -> Lane<T> {
    Lane::new(emit(Op::Cast(value), T::SCALAR.ir(), at))
}

fn bits<T: Scalar>(x: Lane<T>, at: At) -> Value {
    emit(Op::Bitcast(x.value()), Type::U16, at)
}

/// Negation, or the absolute value: what these do to the sign bit.
pub(in crate::lang) fn of_sign<T: Scalar>(op: UnOp, x: Lane<T>, at: At) -> Lane<T> {
    let (op, mask) = match op {
        UnOp::Abs => (BinOp::And, 0x7fff),
        _ => (BinOp::Xor, 0x8000),
    };
    let mask = emit_const(mask, Type::U16, at);
    let bits = emit(Op::Binary(op, bits(x, at), mask), Type::U16, at);
    Lane::new(emit(Op::Bitcast(bits), T::SCALAR.ir(), at))
}

/// `f16::from_f32(value)` and `bf16::from_f32(value)`.
#[track_caller]
#[must_use]
pub fn half_from_f32<T: Half>(value: Lane<f32>) -> Lane<T> {
    narrowed(value.value(), Location::caller())
}

/// `f16::from_bits(bits)` and `bf16::from_bits(bits)`.
#[track_caller]
#[must_use]
pub fn half_from_bits<T: Half>(bits: Lane<u16>) -> Lane<T> {
    let bits = Op::Bitcast(bits.value());
    Lane::new(emit(bits, T::SCALAR.ir(), Location::caller()))
}

impl<T: Half> Lane<T> {
    /// As `f32`, exactly.
    #[track_caller]
    #[must_use]
    pub fn to_f32(self) -> Lane<f32> {
        Lane::new(widened(self.value(), Location::caller()))
    }

    /// The bits, unchanged.
    #[track_caller]
    #[must_use]
    pub fn to_bits(self) -> Lane<u16> {
        Lane::new(bits(self, Location::caller()))
    }

    /// Whether it is NaN.
    #[track_caller]
    #[must_use]
    pub fn is_nan(self) -> Lane<bool> {
        let at = Location::caller();
        let number = widened(self.value(), at);
        Lane::new(emit(Op::Compare(CmpOp::Ne, number, number), Type::Bool, at))
    }

    /// Whether it is neither NaN nor an infinity.
    #[track_caller]
    #[must_use]
    pub fn is_finite(self) -> Lane<bool> {
        self.to_f32().is_finite()
    }

    /// Whether it is an infinity.
    #[track_caller]
    #[must_use]
    pub fn is_infinite(self) -> Lane<bool> {
        self.to_f32().is_infinite()
    }
}
