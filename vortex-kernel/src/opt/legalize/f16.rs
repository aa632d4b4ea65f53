//! 16-bit floats become their bits.
//!
//! Nothing is computed in them: they are loaded, stored, selected, and cast from and to `F32`. After this pass such a
//! value is a `U16`, and the casts are spelled out.

use crate::ir::expand::{Expand, Expanded, expand_body};
use crate::ir::{BinOp, Builder, CmpOp, Function, Op, Type, UnOp, Value};

/// Replaces the 16-bit floats of a structured function by their bits.
pub fn legalize_f16(function: &mut Function) {
    if !function.values.values().any(|ty| ty.is_half()) {
        return;
    }
    expand_body(function, &mut Bits);
    for ty in function.values.values_mut() {
        if ty.is_half() {
            *ty = Type::U16;
        }
    }
}

struct Bits;

impl Expand for Bits {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, results: &[Value]) -> Expanded {
        if let (Op::Cast(a) | Op::Bitcast(a), [result]) = (&*op, results) {
            match (b.function.ty(*a), b.function.ty(*result)) {
                (Type::F16, Type::F32) => *op = from_f16(b, *a),
                (Type::BF16, Type::F32) => *op = from_bf16(b, *a),
                (Type::F32, Type::F16) => *op = to_f16(b, *a),
                (Type::F32, Type::BF16) => *op = to_bf16(b, *a),
                (from, to) if from.is_half() || to.is_half() => *op = Op::Cast(*a),
                _ => {}
            }
        }
        Expanded::Kept
    }
}

/// `op` with a constant as its second operand.
fn by(b: &mut Builder<'_>, op: BinOp, a: Value, constant: u32) -> Value {
    let ty = b.function.ty(a);
    let constant = b.constant(constant, ty);
    b.binary(op, a, constant)
}

/// The bits as a word.
fn word(b: &mut Builder<'_>, a: Value) -> Value {
    // What is a 16-bit float now will be a `U16`.
    b.cast(a, Type::U32)
}

fn from_bf16(b: &mut Builder<'_>, a: Value) -> Op {
    let bits = word(b, a);
    Op::Bitcast(by(b, BinOp::Shl, bits, 16))
}

fn from_f16(b: &mut Builder<'_>, a: Value) -> Op {
    let bits = word(b, a);
    let sign = by(b, BinOp::And, bits, 0x8000);
    let sign = by(b, BinOp::Shl, sign, 16);
    let number = by(b, BinOp::And, bits, 0x7fff);
    let number = by(b, BinOp::Shl, number, 13);
    // The exponents count from different numbers; that of infinities and NaNs is the highest one in both.
    let float = b.bitcast(number, Type::F32);
    let scaled = by(b, BinOp::Mul, float, (127 + 112) << 23);
    let scaled = b.bitcast(scaled, Type::U32);
    let limit = b.u32(0x0f80_0000);
    let finite = b.compare(CmpOp::Lt, number, limit);
    let special = by(b, BinOp::Or, number, 0x7f80_0000);
    let magnitude = b.select(finite, scaled, special);
    Op::Bitcast(b.binary(BinOp::Or, sign, magnitude))
}

fn to_bf16(b: &mut Builder<'_>, a: Value) -> Op {
    let bits = b.bitcast(a, Type::U32);
    let number = b.compare(CmpOp::Eq, a, a);
    // Up if more than half of the last bit is cut off, or just half and the bit is odd.
    let high = by(b, BinOp::Shr, bits, 16);
    let odd = by(b, BinOp::And, high, 1);
    let almost = by(b, BinOp::Add, bits, 0x7fff);
    let rounded = b.binary(BinOp::Add, almost, odd);
    let rounded = by(b, BinOp::Shr, rounded, 16);
    let quiet = b.u32(0x7fc0);
    Op::Cast(b.select(number, rounded, quiet))
}

fn to_f16(b: &mut Builder<'_>, a: Value) -> Op {
    let bits = b.bitcast(a, Type::U32);
    let sign = by(b, BinOp::Shr, bits, 16);
    let sign = by(b, BinOp::And, sign, 0x8000);
    let magnitude = b.unary(UnOp::Abs, a);
    // What is too large becomes an infinity here, and is a number of the right size again.
    let clipped = by(b, BinOp::Mul, magnitude, (127 + 112) << 23);
    let clipped = by(b, BinOp::Mul, clipped, (127 - 110) << 23);
    // The sum with a power of two so much larger that only the bits to be kept have a place rounds to them.
    let exponent = b.bitcast(magnitude, Type::U32);
    let exponent = by(b, BinOp::And, exponent, 0x7f80_0000);
    let exponent = by(b, BinOp::Max, exponent, 0x3880_0000);
    let large = by(b, BinOp::Add, exponent, 15 << 23);
    let large = b.bitcast(large, Type::F32);
    let sum = b.binary(BinOp::Add, large, clipped);
    let sum = b.bitcast(sum, Type::U32);
    let exponent = by(b, BinOp::Shr, sum, 13);
    let exponent = by(b, BinOp::And, exponent, 0x7c00);
    let fraction = by(b, BinOp::And, sum, 0x0fff);
    let number = b.binary(BinOp::Add, exponent, fraction);
    let quiet = b.u32(0x7e00);
    let is_number = b.compare(CmpOp::Eq, a, a);
    let number = b.select(is_number, number, quiet);
    Op::Cast(b.binary(BinOp::Or, sign, number))
}
