//! What operations compute, on words; [`wide`] has values of 64 bits too. Constant folding and the interpreter share
//! it, and the device must agree.
//!
//! Floats are IEEE 754 with RISC-V's choices where IEEE leaves some: NaN results are the canonical one, and `min` and
//! `max` order -0 below +0.

mod half;
mod integers;
pub mod wide;

use super::{AtomicOp, BinOp, CmpOp, Type, UnOp};

/// The NaN that arithmetic gives.
const NAN: u32 = 0x7fc0_0000;

/// `word` brought into the canonical form of integer type `ty` (other types: unchanged).
#[must_use]
pub const fn canonical(word: u32, ty: Type) -> u32 {
    match ty {
        Type::I8 => (word as i8 as i32).cast_unsigned(),
        Type::I16 => (word as i16 as i32).cast_unsigned(),
        Type::U8 => word & 0xff,
        Type::U16 | Type::F16 | Type::BF16 => word & 0xffff,
        Type::Bool => word & 1,
        Type::I32 | Type::U32 | Type::F32 | Type::Ptr(_) | Type::I64 | Type::U64 => word,
    }
}

fn float(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// `op` on a value of type `ty`.
#[must_use]
pub fn unary(op: UnOp, ty: Type, a: u32) -> u32 {
    match (op, ty) {
        (UnOp::Neg, Type::F32) => a ^ 0x8000_0000,
        (UnOp::Neg, _) => canonical(a.wrapping_neg(), ty),
        (UnOp::Not, _) => canonical(!a, ty),
        (UnOp::Abs, _) => a & 0x7fff_ffff,
        (UnOp::Sqrt, _) => float(f32::from_bits(a).sqrt()),
        (UnOp::Floor, _) => through_word(f32::from_bits(a).floor()),
        (UnOp::Ceil, _) => through_word(f32::from_bits(a).ceil()),
        (UnOp::Trunc, _) => through_word(f32::from_bits(a).trunc()),
        (UnOp::Round, _) => through_word(f32::from_bits(a).round()),
        (UnOp::RoundEven, _) => through_word(f32::from_bits(a).round_ties_even()),
    }
}

/// A float made an `i32`, as RISC-V does it, and a float again.
fn through_word(a: f32) -> u32 {
    let word = if a.is_nan() { i32::MAX } else { a as i32 };
    (word as f32).to_bits()
}

/// `op` on two values of type `ty`.
#[must_use]
pub fn binary(op: BinOp, ty: Type, a: u32, b: u32) -> u32 {
    if ty == Type::F32 {
        return float_binary(op, f32::from_bits(a), f32::from_bits(b));
    }
    let amount = b & (ty.bits() - 1);
    canonical(integers::words(op, ty.is_signed(), a, b, amount), ty)
}

fn float_binary(op: BinOp, a: f32, b: f32) -> u32 {
    let pick = |first: bool| if first { a.to_bits() } else { b.to_bits() };
    match op {
        BinOp::Add => float(a + b),
        BinOp::Sub => float(a - b),
        BinOp::Mul => float(a * b),
        BinOp::Div => float(a / b),
        BinOp::Min | BinOp::Max if a.is_nan() && b.is_nan() => NAN,
        BinOp::Min | BinOp::Max if a.is_nan() || b.is_nan() => pick(b.is_nan()),
        BinOp::Min if a == b => pick(a.is_sign_negative()),
        BinOp::Max if a == b => pick(a.is_sign_positive()),
        BinOp::Min => pick(a < b),
        BinOp::Max => pick(a > b),
        BinOp::CopySign => a.copysign(b).to_bits(),
        BinOp::FlipSign => a.to_bits() ^ b.to_bits() & 1 << 31,
        // Not defined on floats; the verifier refuses them.
        BinOp::MulHigh
        | BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr => NAN,
    }
}

/// Compares two values of type `ty`.
#[must_use]
pub fn compare(op: CmpOp, ty: Type, a: u32, b: u32) -> bool {
    let order = if ty == Type::F32 {
        f32::from_bits(a).partial_cmp(&f32::from_bits(b))
    } else if ty.is_signed() {
        Some(a.cast_signed().cmp(&b.cast_signed()))
    } else {
        Some(a.cmp(&b))
    };
    match op {
        CmpOp::Eq => order.is_some_and(|o| o.is_eq()),
        CmpOp::Ne => order.is_none_or(|o| o.is_ne()),
        CmpOp::Lt => order.is_some_and(|o| o.is_lt()),
        CmpOp::Le => order.is_some_and(|o| o.is_le()),
        CmpOp::Gt => order.is_some_and(|o| o.is_gt()),
        CmpOp::Ge => order.is_some_and(|o| o.is_ge()),
    }
}

/// `a * b + c` with one rounding.
#[must_use]
pub fn mul_add(a: u32, b: u32, c: u32) -> u32 {
    float(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

/// Rust's `as`.
#[must_use]
pub fn cast(from: Type, to: Type, a: u32) -> u32 {
    let value = f32::from_bits(a);
    match (from, to) {
        (Type::F16, Type::F32) => half::from_f16(a),
        (Type::F32, Type::F16) => half::to_f16(value),
        (Type::BF16, Type::F32) => a << 16,
        (Type::F32, Type::BF16) => half::to_bf16(value),
        (Type::F32, Type::F32) => a,
        (Type::F32, Type::I8) => i32::from(value as i8).cast_unsigned(),
        (Type::F32, Type::I16) => i32::from(value as i16).cast_unsigned(),
        (Type::F32, Type::I32) => (value as i32).cast_unsigned(),
        (Type::F32, Type::U8) => u32::from(value as u8),
        (Type::F32, Type::U16) => u32::from(value as u16),
        (Type::F32, _) => value as u32,
        (_, Type::F32) if from.is_signed() => (a.cast_signed() as f32).to_bits(),
        (_, Type::F32) => (a as f32).to_bits(),
        _ => canonical(a, to),
    }
}

/// What an atomic operation on a word of type `ty` leaves in memory.
#[must_use]
pub fn atomic(op: AtomicOp, ty: Type, old: u32, operands: &[u32]) -> u32 {
    let operand = operands.first().copied().unwrap_or(old);
    let op = match op {
        AtomicOp::Load => return old,
        AtomicOp::Store | AtomicOp::Exchange => return operand,
        AtomicOp::CompareExchange => {
            let new = operands.get(1).copied().unwrap_or(old);
            return if old == operand { new } else { old };
        }
        AtomicOp::Add | AtomicOp::FloatAdd => BinOp::Add,
        AtomicOp::Sub => BinOp::Sub,
        AtomicOp::And => BinOp::And,
        AtomicOp::Or => BinOp::Or,
        AtomicOp::Xor => BinOp::Xor,
        AtomicOp::Min => BinOp::Min,
        AtomicOp::Max => BinOp::Max,
    };
    binary(op, ty, old, operand)
}
