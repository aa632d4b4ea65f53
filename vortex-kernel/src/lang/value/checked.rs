//! Overflow: how it is found out, and where it is a fault.

use crate::ir::{
    BinOp, CmpOp, Const, FaultKind, FaultOperands, OVERFLOWING, Op, Overflowed, Type, Value, eval,
};
use crate::lang::base::branch::fail_with;
use crate::lang::recorder::{
    At, checks_overflow, const_of, emit, emit_const, emit_constant, type_of,
};

/// `Add`, `Sub` or `Mul` of integers, wrapped, and whether it was.
pub(in crate::lang) fn overflowing(op: BinOp, a: Value, b: Value, at: At) -> [Value; 2] {
    let ty = type_of(a);
    let binary = |op, a, b, ty| emit(Op::Binary(op, a, b), ty, at);
    let compare = |op, a, b| emit(Op::Compare(op, a, b), Type::Bool, at);
    if ty.bits() < 32 {
        // Of 8 and 16 bits a word holds the result, and differs from what is left in the type.
        let cast = |value, ty| emit(Op::Cast(value), ty, at);
        let wide = binary(op, cast(a, Type::I32), cast(b, Type::I32), Type::I32);
        let result = cast(wide, ty);
        return [result, compare(CmpOp::Ne, cast(result, Type::I32), wide)];
    }
    let result = binary(op, a, b, ty);
    let zero = emit_const(0, ty, at);
    let overflow = match op {
        BinOp::Mul => {
            let high = binary(BinOp::MulHigh, a, b, ty);
            let expected = if ty.is_signed() {
                let last = emit_const(ty.bits() - 1, ty, at);
                binary(BinOp::Shr, result, last, ty)
            } else {
                zero
            };
            compare(CmpOp::Ne, high, expected)
        }
        BinOp::Sub if !ty.is_signed() => compare(CmpOp::Lt, a, b),
        _ if !ty.is_signed() => compare(CmpOp::Lt, result, a),
        _ => {
            // The sign is not that of `a`, and for a sum not that of `b` either; for a difference it is.
            let other = if op == BinOp::Sub { a } else { result };
            let (one, two) = (
                binary(BinOp::Xor, a, result, ty),
                binary(BinOp::Xor, b, other, ty),
            );
            compare(CmpOp::Lt, binary(BinOp::And, one, two, ty), zero)
        }
    };
    [result, overflow]
}

/// What overflows: its number among [`OVERFLOWING`].
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) enum Overflows {
    Add,
    Sub,
    Mul,
    Neg,
    Shl,
    Shr,
    Abs,
    Power,
    NextMultiple,
}

const _: () = assert!(Overflows::NextMultiple as usize + 1 == OVERFLOWING.len());

/// Where overflow is a fault, ends the work item if `overflow` holds.
pub(in crate::lang) fn fail_on(what: Overflows, overflow: impl FnOnce() -> Value, at: At) {
    if checks_overflow() {
        fail_with_operands(what, overflow(), &[], at);
    }
}

/// Ends the work item if `overflow` holds, and tells of which numbers.
fn fail_with_operands(what: Overflows, overflow: Value, of: &[Value], at: At) {
    // Of constants it may be known.
    if const_of(overflow) == Some(0) {
        return;
    }
    let told = || {
        let ty = of.first().map(|number| type_of(*number));
        let word = Overflowed::word(what as u32, ty);
        let mut told = FaultOperands::from_elem(emit_const(word, Type::U32, at), 1);
        let word = |number| match type_of(number) {
            Type::U32 => number,
            _ => emit(Op::Cast(number), Type::U32, at),
        };
        for &number in of {
            told.push(word(number));
            let ty = type_of(number);
            if ty.bits() == 64 {
                let half = emit_const(32, ty, at);
                told.push(word(emit(Op::Binary(BinOp::Shr, number, half), ty, at)));
            }
        }
        told.resize(told.len().max(2), emit_const(0, Type::U32, at));
        told
    };
    fail_with(overflow, FaultKind::Overflow, told, at);
}

/// `+ - *` with its check.
pub(in crate::lang) fn arithmetic(op: BinOp, a: Value, b: Value, at: At) -> Value {
    let what = match op {
        BinOp::Add => Overflows::Add,
        BinOp::Sub => Overflows::Sub,
        _ => Overflows::Mul,
    };
    let [result, overflow] = overflowing(op, a, b, at);
    if checks_overflow() {
        fail_with_operands(what, overflow, &[a, b], at);
    }
    result
}

/// Whether a signed integer is the smallest one, of which there is no absolute value.
pub(in crate::lang) fn is_least(x: Value, at: At) -> Value {
    let ty = type_of(x);
    let least = (i64::MIN >> (64 - ty.bits())).cast_unsigned();
    let least = emit_constant(Const(eval::wide::canonical(least, ty)), ty, at);
    emit(Op::Compare(CmpOp::Eq, x, least), Type::Bool, at)
}

/// Whether an amount to shift by is none for a type of `width` bits.
pub(in crate::lang) fn is_beyond(amount: Value, width: u32, at: At) -> Value {
    let limit = emit_const(width, type_of(amount), at);
    emit(Op::Compare(CmpOp::Ge, amount, limit), Type::Bool, at)
}
