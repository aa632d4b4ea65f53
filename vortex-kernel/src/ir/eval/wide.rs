//! The same on values of any type, including 64 bits.

use super::{canonical as canonical_word, integers};
use crate::ir::{BinOp, CmpOp, Type, UnOp};

/// `value` brought into the canonical form of type `ty`.
#[must_use]
pub const fn canonical(value: u64, ty: Type) -> u64 {
    if ty.is_wide() {
        value
    } else {
        canonical_word(value as u32, ty) as u64
    }
}

/// What bytes of memory, eight at most, are as a value.
pub fn from_bytes(bytes: &[u8], ty: Type) -> u64 {
    let from_low = bytes.iter().rev();
    let value = from_low.fold(0, |value, byte| value << 8 | u64::from(*byte));
    canonical(value, ty)
}

/// The word of a value that has only one.
const fn word(value: u64) -> u32 {
    value as u32
}

/// `op` on a value of type `ty`.
#[must_use]
pub fn unary(op: UnOp, ty: Type, a: u64) -> u64 {
    match op {
        _ if !ty.is_wide() => super::unary(op, ty, word(a)).into(),
        UnOp::Neg => a.wrapping_neg(),
        UnOp::Not => !a,
        // Of floats only; the verifier refuses the others.
        _ => a,
    }
}

/// `op` on two values of type `ty`.
#[must_use]
pub fn binary(op: BinOp, ty: Type, a: u64, b: u64) -> u64 {
    if !ty.is_wide() {
        return super::binary(op, ty, word(a), word(b)).into();
    }
    integers::wide(op, ty.is_signed(), a, b, word(b) & 63)
}

/// Compares two values of type `ty`.
#[must_use]
pub fn compare(op: CmpOp, ty: Type, a: u64, b: u64) -> bool {
    if !ty.is_wide() {
        return super::compare(op, ty, word(a), word(b));
    }
    let order = if ty.is_signed() {
        a.cast_signed().cmp(&b.cast_signed())
    } else {
        a.cmp(&b)
    };
    match op {
        CmpOp::Eq => order.is_eq(),
        CmpOp::Ne => order.is_ne(),
        CmpOp::Lt => order.is_lt(),
        CmpOp::Le => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        CmpOp::Ge => order.is_ge(),
    }
}

/// Rust's `as`.
#[must_use]
pub fn cast(from: Type, to: Type, a: u64) -> u64 {
    match (from, to) {
        (Type::F32, Type::I64) => (f32::from_bits(word(a)) as i64).cast_unsigned(),
        (Type::F32, Type::U64) => f32::from_bits(word(a)) as u64,
        (Type::I64, Type::F32) => (a.cast_signed() as f32).to_bits().into(),
        (Type::U64, Type::F32) => (a as f32).to_bits().into(),
        _ if from.is_wide() => canonical(a, to),
        _ if to.is_wide() && from.is_signed() => i64::from(word(a).cast_signed()).cast_unsigned(),
        _ if to.is_wide() => a,
        _ => super::cast(from, to, word(a)).into(),
    }
}
