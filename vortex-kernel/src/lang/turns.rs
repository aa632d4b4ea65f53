//! What a `for` goes over when it does not just count upwards: ranges with `rev` and `step_by`.

use std::panic::Location;

use super::arith::fail_if;
use super::flow::{Counter, Label, branch, break_if, repeat};
use super::integer::Int;
use super::lane::Lane;
use super::recorder::{At, const_of, emit, emit_const};
use crate::ir::{BinOp, CmpOp, FaultKind, Op, Type, UnOp, Value};

/// The turns of a `for` over a range.
#[derive(Clone, Copy, Debug)]
pub struct Turns<T: Int> {
    /// The first number, and the one that is not passed; neither means anything if there are no turns.
    from: Lane<T>,
    to: Lane<T>,
    /// Whether there are turns.
    any: Value,
    down: bool,
    step: Option<Value>,
}

/// `start..end`.
#[track_caller]
#[must_use]
pub fn turns<T: Int>(start: Lane<T>, end: impl FnOnce() -> Lane<T>) -> Turns<T> {
    let at = Location::caller();
    let end = end();
    let one = emit_const(1, T::SCALAR.ir(), at);
    Turns {
        from: start,
        to: binary(BinOp::Sub, end, one, at),
        any: compare(CmpOp::Lt, start.value(), end.value(), at),
        down: false,
        step: None,
    }
}

/// `start..=end`.
#[track_caller]
#[must_use]
pub fn turns_inclusive<T: Int>(start: Lane<T>, end: impl FnOnce() -> Lane<T>) -> Turns<T> {
    let at = Location::caller();
    let end = end();
    Turns {
        from: start,
        to: end,
        any: compare(CmpOp::Le, start.value(), end.value(), at),
        down: false,
        step: None,
    }
}

impl<T: Int> Turns<T> {
    /// The same numbers, last one first.
    #[track_caller]
    #[must_use]
    pub fn rev(self) -> Self {
        let at = Location::caller();
        let last = match self.step {
            None => self.to,
            Some(step) => {
                let distance = self.distance(self.from.value(), at);
                let beyond = emit(
                    Op::Binary(BinOp::Rem, distance, step),
                    word(T::SCALAR.ir()),
                    at,
                );
                let beyond = emit(Op::Cast(beyond), T::SCALAR.ir(), at);
                let op = if self.down { BinOp::Add } else { BinOp::Sub };
                binary(op, self.to, beyond, at)
            }
        };
        Self {
            from: last,
            to: self.from,
            down: !self.down,
            ..self
        }
    }

    /// Every `step`th number, beginning with the first. A step of zero ends the work item.
    #[track_caller]
    #[must_use]
    pub fn step_by(self, step: Lane<usize>) -> Self {
        let at = Location::caller();
        if const_of(step.value()).is_none_or(|step| step == 0) {
            let zero = emit_const(0, Type::U32, at);
            let is_zero = compare(CmpOp::Eq, step.value(), zero, at);
            fail_if(is_zero, FaultKind::StepByZero, [zero, step.value()], at);
        }
        let ty = word(T::SCALAR.ir());
        let step = match ty {
            Type::U32 => step.value(),
            _ => emit(Op::Cast(step.value()), ty, at),
        };
        let step = match self.step {
            None => step,
            Some(inner) => saturating_product(inner, step, ty, at),
        };
        Self {
            step: Some(step),
            ..self
        }
    }

    /// How far `i` is from the end.
    fn distance(&self, i: Value, at: At) -> Value {
        let (low, high) = if self.down {
            (self.to.value(), i)
        } else {
            (i, self.to.value())
        };
        let ty = T::SCALAR.ir();
        let distance = emit(Op::Binary(BinOp::Sub, high, low), ty, at);
        let distance = emit(Op::Cast(distance), unsigned(ty), at);
        match word(ty) {
            Type::U32 => emit(Op::Cast(distance), Type::U32, at),
            _ => distance,
        }
    }
}

/// The type of a distance between two numbers: it holds that of the least and the greatest one.
fn unsigned(ty: Type) -> Type {
    match ty {
        Type::Bool | Type::I8 | Type::U8 => Type::U8,
        Type::I16 | Type::U16 => Type::U16,
        Type::I32 | Type::U32 | Type::F32 | Type::Ptr(_) => Type::U32,
        Type::I64 | Type::U64 => Type::U64,
    }
}

/// What distances are compared with steps as; a step has 32 bits.
const fn word(ty: Type) -> Type {
    if ty.is_wide() { Type::U64 } else { Type::U32 }
}

/// A product of two steps. No distance is greater than the greatest number.
fn saturating_product(a: Value, b: Value, ty: Type, at: At) -> Value {
    let zero = emit_const(0, ty, at);
    let max = emit(Op::Unary(UnOp::Not, zero), ty, at);
    let high = emit(Op::Binary(BinOp::MulHigh, a, b), ty, at);
    let low = emit(Op::Binary(BinOp::Mul, a, b), ty, at);
    let fits = emit(Op::Compare(CmpOp::Eq, high, zero), Type::Bool, at);
    emit(Op::Select(fits, low, max), ty, at)
}

fn compare(op: CmpOp, a: Value, b: Value, at: At) -> Value {
    emit(Op::Compare(op, a, b), Type::Bool, at)
}

fn binary<T: Int>(op: BinOp, a: Lane<T>, b: Value, at: At) -> Lane<T> {
    Lane::new(emit(Op::Binary(op, a.value(), b), T::SCALAR.ir(), at))
}

/// `for i in turns { .. }`.
#[track_caller]
pub fn for_turns<T: Int>(turns: Turns<T>, body: impl FnOnce(Label, Lane<T>)) {
    let at = Location::caller();
    let ty = T::SCALAR.ir();
    let run = || {
        let counter = Counter::new(turns.from, at);
        let advance = |label: Label| {
            let current = counter.get();
            let i = current.value();
            let (done, by) = match turns.step {
                None => (
                    compare(CmpOp::Eq, i, turns.to.value(), at),
                    emit_const(1, ty, at),
                ),
                Some(step) => (
                    compare(CmpOp::Lt, turns.distance(i, at), step, at),
                    emit(Op::Cast(step), ty, at),
                ),
            };
            break_if(done, label, at);
            let op = if turns.down { BinOp::Sub } else { BinOp::Add };
            counter.set(binary(op, current, by, at));
        };
        repeat(|label| body(label, counter.get()), advance, at);
    };
    branch(turns.any, run, || (), at);
}
