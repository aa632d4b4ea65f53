//! Indices of the device, for the arithmetic that the host has too.

use crate::ir::{BinOp, Type, Value};
use crate::lang::recorder::{const_of, emit_const};
use crate::lang::value::arith::on_words;
use crate::lang::value::float::here;
use crate::tensor::Word;

/// A word of the device. It stands where the call stands that all is recorded for.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) Value);

impl Number {
    fn with(self, op: BinOp, other: Self) -> Self {
        Self(on_words(op, self.0, other.0, here()))
    }

    /// The difference.
    pub(super) fn minus(self, other: Self) -> Self {
        match other.known() {
            Some(0) => self,
            _ => self.with(BinOp::Sub, other),
        }
    }

    /// The constant that it is.
    fn known(self) -> Option<u32> {
        const_of(self.0).map(|constant| constant as u32)
    }
}

impl Word for Number {
    fn constant(number: u32) -> Self {
        Self(emit_const(number, Type::U32, here()))
    }

    fn plus(self, other: Self) -> Self {
        match (self.known(), other.known()) {
            (Some(0), _) => other,
            (_, Some(0)) => self,
            _ => self.with(BinOp::Add, other),
        }
    }

    fn times(self, other: Self) -> Self {
        match (self.known(), other.known()) {
            (Some(1), _) => other,
            (_, Some(1)) => self,
            _ => self.with(BinOp::Mul, other),
        }
    }

    fn over(self, other: Self) -> Self {
        match other.known() {
            Some(1) => self,
            Some(n) if n.is_power_of_two() => {
                self.with(BinOp::Shr, Self::constant(n.trailing_zeros()))
            }
            _ => self.with(BinOp::Div, other),
        }
    }

    fn modulo(self, other: Self) -> Self {
        match other.known() {
            Some(n) if n.is_power_of_two() => self.with(BinOp::And, Self::constant(n - 1)),
            _ => self.with(BinOp::Rem, other),
        }
    }
}
