//! Truth values that the language's own code makes.

use super::lane::Lane;
use crate::ir::{BinOp, Op, Type, UnOp, Value};
use crate::lang::recorder::{At, emit, emit_const};

pub(in crate::lang) fn truth(value: bool, at: At) -> Lane<bool> {
    Lane::new(emit_const(value.into(), Type::Bool, at))
}

pub(in crate::lang) fn not(x: Lane<bool>, at: At) -> Lane<bool> {
    Lane::new(inverse(x.value(), at))
}

pub(in crate::lang) fn inverse(a: Value, at: At) -> Value {
    emit(Op::Unary(UnOp::Not, a), Type::Bool, at)
}

pub(in crate::lang) fn both(a: Value, b: Value, at: At) -> Value {
    emit(Op::Binary(BinOp::And, a, b), Type::Bool, at)
}

pub(in crate::lang) fn either(a: Value, b: Value, at: At) -> Value {
    emit(Op::Binary(BinOp::Or, a, b), Type::Bool, at)
}
