//! The results of folding, for all that fold.

use crate::ir::{Op, Type, Value};

/// What an instruction can be replaced by.
pub(super) enum Folded {
    /// A value that is there already.
    Value(Value),
    /// A constant.
    Word(u32),
    /// A better operation on the same operands or their operands.
    Op(Op),
    /// An operation with a new constant of type `ty` as its second operand.
    WithConst(fn(Value, Value) -> Op, Value, u32, Type),
}
