//! What a `for` goes over when it does not just count upwards: ranges with `rev` and `step_by`.

use std::panic::Location;

use crate::ir::{self, BinOp, CmpOp, Const, FaultKind, Op, SourceLoc, Type, UnOp, Value};
use crate::lang::base::branch::{branch, fail_if};
use crate::lang::base::flow::{
    Counter, Label, all_iterations, break_if, one_iteration, repeat, too_often,
};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Int;
use crate::lang::base::truth::both;
use crate::lang::error::{MOST_UNROLLED, StageError};
use crate::lang::recorder::{
    At, const_of, emit, emit_const, emit_constant, emit_jump, emit_void, new_var, report,
};
use crate::lang::value::arith::compare;

/// The iterations of a `for` over a range.
#[derive(Clone, Copy, Debug)]
pub struct RangeIter<T: Int> {
    /// The first number, and the one that is not passed; neither means anything if there are no iterations.
    from: Lane<T>,
    to: Lane<T>,
    /// Whether there are iterations.
    any: Value,
    down: bool,
    step: Option<Value>,
}

/// `start..end`.
#[track_caller]
#[must_use]
pub fn range_iter<T: Int>(start: Lane<T>, end: impl FnOnce() -> Lane<T>) -> RangeIter<T> {
    let at = Location::caller();
    let end = end();
    let one = emit_const(1, T::SCALAR.ir(), at);
    RangeIter {
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
pub fn range_iter_inclusive<T: Int>(start: Lane<T>, end: impl FnOnce() -> Lane<T>) -> RangeIter<T> {
    let at = Location::caller();
    let end = end();
    RangeIter {
        from: start,
        to: end,
        any: compare(CmpOp::Le, start.value(), end.value(), at),
        down: false,
        step: None,
    }
}

impl<T: Int> RangeIter<T> {
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

    /// The first `n` iterations.
    #[track_caller]
    #[must_use]
    pub fn take(self, n: Lane<usize>) -> Self {
        let at = Location::caller();
        let ty = word(T::SCALAR.ir());
        let one = emit_const(1, Type::U32, at);
        let after = emit(Op::Binary(BinOp::Sub, n.value(), one), Type::U32, at);
        let after = emit(Op::Cast(after), ty, at);
        let after = emit(Op::Binary(BinOp::Min, self.last_number(at), after), ty, at);
        let zero = emit_const(0, Type::U32, at);
        let some = compare(CmpOp::Ne, n.value(), zero, at);
        Self {
            to: self.after(after, at),
            any: both(self.any, some, at),
            ..self
        }
    }

    /// All iterations but the first `n`.
    #[track_caller]
    #[must_use]
    pub fn skip(self, n: Lane<usize>) -> Self {
        let at = Location::caller();
        let n = emit(Op::Cast(n.value()), word(T::SCALAR.ir()), at);
        let some = compare(CmpOp::Le, n, self.last_number(at), at);
        Self {
            from: self.after(n, at),
            any: both(self.any, some, at),
            ..self
        }
    }

    /// How many iterations come before the last one.
    fn last_number(&self, at: At) -> Value {
        let distance = self.distance(self.from.value(), at);
        match self.step {
            None => distance,
            Some(step) => {
                let ty = word(T::SCALAR.ir());
                emit(Op::Binary(BinOp::Div, distance, step), ty, at)
            }
        }
    }

    /// The number that lies so many iterations after the first.
    fn after(&self, iterations: Value, at: At) -> Lane<T> {
        let mut by = emit(Op::Cast(iterations), T::SCALAR.ir(), at);
        if let Some(step) = self.step {
            let step = emit(Op::Cast(step), T::SCALAR.ir(), at);
            by = emit(Op::Binary(BinOp::Mul, by, step), T::SCALAR.ir(), at);
        }
        let op = if self.down { BinOp::Sub } else { BinOp::Add };
        binary(op, self.from, by, at)
    }

    /// How many iterations come before that of `i`.
    pub(in crate::lang) fn number(&self, i: Lane<T>, at: At) -> Lane<T> {
        let (ty, from) = (T::SCALAR.ir(), self.from);
        if self.step.is_none() && !self.down && const_of(from.value()) == Some(0) {
            return i;
        }
        let (high, low) = if self.down { (from, i) } else { (i, from) };
        let distance = binary(BinOp::Sub, high, low.value(), at);
        match self.step {
            None => distance,
            Some(step) => {
                let step = emit(Op::Cast(step), ty, at);
                binary(BinOp::Div, distance, step, at)
            }
        }
    }

    /// How many iterations there are.
    pub(in crate::lang) fn count(&self, at: At) -> Lane<usize> {
        let some = || {
            let ty = word(T::SCALAR.ir());
            let steps = self.last_number(at);
            // As many as a `usize` can count.
            let most = emit_const(u32::MAX - 1, ty, at);
            let steps = emit(Op::Binary(BinOp::Min, steps, most), ty, at);
            let steps = Lane::new(emit(Op::Cast(steps), Type::U32, at));
            binary(BinOp::Add, steps, emit_const(1, Type::U32, at), at)
        };
        let none = || Lane::new(emit_const(0, Type::U32, at));
        branch(self.any, some, none, at)
    }

    /// The number of iteration `n`.
    pub(in crate::lang) fn nth(&self, n: Lane<usize>, at: At) -> Lane<T> {
        let ty = T::SCALAR.ir();
        if self.step.is_none()
            && !self.down
            && ty == Type::U32
            && const_of(self.from.value()) == Some(0)
        {
            return Lane::new(n.value());
        }
        self.after(n.value(), at)
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
        Type::I16 | Type::U16 | Type::F16 | Type::BF16 => Type::U16,
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

fn binary<T: Int>(op: BinOp, a: Lane<T>, b: Value, at: At) -> Lane<T> {
    Lane::new(emit(Op::Binary(op, a.value(), b), T::SCALAR.ir(), at))
}

/// `for i in range { .. }`.
#[track_caller]
pub fn for_range_iter<T: Int>(range: RangeIter<T>, body: impl FnOnce(Label, Lane<T>)) {
    let at = Location::caller();
    let ty = T::SCALAR.ir();
    let run = || {
        let counter = Counter::new(range.from, at);
        let advance = |label: Label| {
            let current = counter.get();
            let i = current.value();
            let (done, by) = match range.step {
                None => (
                    compare(CmpOp::Eq, i, range.to.value(), at),
                    emit_const(1, ty, at),
                ),
                Some(step) => (
                    compare(CmpOp::Lt, range.distance(i, at), step, at),
                    emit(Op::Cast(step), ty, at),
                ),
            };
            break_if(done, label, at);
            let op = if range.down { BinOp::Sub } else { BinOp::Add };
            counter.set(binary(op, current, by, at));
        };
        repeat(|label| body(label, counter.get()), advance, at);
    };
    branch(range.any, run, || (), at);
}

/// `#[unroll] for i in iterations { .. }`: each iteration is recorded on its own, and `i` is a constant there.
#[track_caller]
pub fn for_unrolled<T: Int>(range: RangeIter<T>, mut body: impl FnMut(Label, Lane<T>)) {
    let at = Location::caller();
    let ty = T::SCALAR.ir();
    let known = (
        const_of(range.any),
        const_of(range.from.value()),
        const_of(range.distance(range.from.value(), at)),
        range.step.map_or(Some(1), const_of),
    );
    let (Some(any), Some(from), Some(distance), Some(step)) = known else {
        let at = SourceLoc::from_caller(at);
        return report(StageError::UnrolledRange { at });
    };
    let Some(last) = distance.checked_div(step).filter(|_| any != 0) else {
        return;
    };
    if last >= MOST_UNROLLED {
        return too_often(last.saturating_add(1), at);
    }
    let iteration = |exit, number: u64, body: &mut dyn FnMut(Label, Lane<T>)| {
        let by = number.wrapping_mul(step);
        let i = match range.down {
            true => from.wrapping_sub(by),
            false => from.wrapping_add(by),
        };
        let constant = Const(ir::eval::wide::cast(Type::U64, ty, i));
        let i = Lane::new(emit_constant(constant, ty, at));
        one_iteration(exit, |label| body(label, i), at);
    };
    all_iterations(
        |exit| (0..=last).for_each(|number| iteration(exit, number, &mut body)),
        at,
    );
}

/// `#[unroll(n)] for i in iterations { .. }`: `n` iterations at a time, and what remains one by one.
#[track_caller]
pub fn for_unrolled_by<T: Int>(
    range: RangeIter<T>,
    n: usize,
    mut body: impl FnMut(Label, Lane<T>),
) {
    let at = Location::caller();
    if n as u64 > MOST_UNROLLED {
        return too_often(n as u64, at);
    }
    let n = n.max(1) as u32;
    let ty = T::SCALAR.ir();
    let step = match range.step {
        None => emit_const(1, ty, at),
        Some(step) => emit(Op::Cast(step), ty, at),
    };
    // The number `iterations` iterations after `i`.
    let after = |i: Lane<T>, iterations: u32| {
        let count = ir::eval::wide::cast(Type::U32, ty, iterations.into());
        let count = emit_constant(Const(count), ty, at);
        let by = emit(Op::Binary(BinOp::Mul, step, count), ty, at);
        let op = if range.down { BinOp::Sub } else { BinOp::Add };
        binary(op, i, by, at)
    };
    let all = |exit: ir::Label| {
        // How many iterations follow the current one.
        let count = word(ty);
        let left = new_var(count);
        let distance = range.distance(range.from.value(), at);
        let following = match range.step {
            None => distance,
            Some(step) => emit(Op::Binary(BinOp::Div, distance, step), count, at),
        };
        emit_void(Op::VarSet(left, following), at);
        let counter = Counter::new(range.from, at);
        let leave_if = |done| branch(done, || emit_jump(Op::Break(exit), at), || (), at);
        let advance = |now: Value, i: Lane<T>, iterations: u32| {
            let by = emit_const(iterations, count, at);
            let rest = emit(Op::Binary(BinOp::Sub, now, by), count, at);
            emit_void(Op::VarSet(left, rest), at);
            counter.set(after(i, iterations));
        };
        let several = |label: Label| {
            let now = emit(Op::VarGet(left), count, at);
            let needed = emit_const(n - 1, count, at);
            break_if(compare(CmpOp::Lt, now, needed, at), label, at);
            let i = counter.get();
            for iteration in 0..n {
                let i = after(i, iteration);
                one_iteration(exit, |label| body(label, i), at);
            }
            leave_if(compare(CmpOp::Eq, now, needed, at));
            advance(now, i, n);
        };
        repeat(several, |_| (), at);
        let one = |_| {
            let i = counter.get();
            one_iteration(exit, |label| body(label, i), at);
            let now = emit(Op::VarGet(left), count, at);
            let none = emit_const(0, count, at);
            leave_if(compare(CmpOp::Eq, now, none, at));
            advance(now, i, 1);
        };
        repeat(one, |_| (), at);
    };
    branch(range.any, || all_iterations(all, at), || (), at);
}
