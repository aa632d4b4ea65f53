//! Control flow.
//!
//! What has to have a certain type is taken as a closure, here and elsewhere: where it has another,
//! rustc then says so of the user's expression, and not of a call that the user has not written.

use std::marker::PhantomData;
use std::panic::Location;

use super::branch::branch;
use super::lane::Lane;
use super::numbers::Int;
use super::staged::Staged;
use super::truth::truth;
use crate::ir::{self, BinOp, CmpOp, Op, SourceLoc, Type, UnOp, Value, Var};
use crate::lang::error::StageError;
use crate::lang::recorder::{
    self, At, OpenBlock, emit, emit_const, emit_jump, emit_void, in_block, is_dead, is_left,
    mark_dead, new_label, new_var, report,
};

/// Names a loop of a kernel for `break` and `continue`.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// What `break` leaves.
    exit: ir::Label,
    iteration: Iteration,
}

/// What `continue` does.
#[derive(Clone, Copy, Debug)]
enum Iteration {
    /// Goes on with the next iteration of this loop.
    OfLoop(ir::Label),
    /// Leaves this scope: an iteration that was recorded on its own.
    Unrolled(ir::Label),
}

impl Label {
    pub(in crate::lang) fn of_loop(exit: ir::Label) -> Self {
        let iteration = Iteration::OfLoop(exit);
        Self { exit, iteration }
    }

    /// The same iteration of a loop inside of another, which `break` leaves.
    pub(in crate::lang) const fn inside(self, outer: Self) -> Self {
        let exit = outer.exit;
        Self { exit, ..self }
    }
}

/// `if condition { .. } else { .. }`.
#[track_caller]
pub fn if_else<R: Staged>(
    condition: impl FnOnce() -> Lane<bool>,
    then: impl FnOnce() -> R,
    els: impl FnOnce() -> R,
) -> R {
    branch(condition().value(), then, els, Location::caller())
}

/// `if condition { .. }`.
#[track_caller]
pub fn when(condition: impl FnOnce() -> Lane<bool>, then: impl FnOnce()) {
    branch(condition().value(), then, || (), Location::caller());
}

/// `a && b`: `b` is evaluated only if `a` is true.
#[track_caller]
pub fn and(a: impl FnOnce() -> Lane<bool>, b: impl FnOnce() -> Lane<bool>) -> Lane<bool> {
    let at = Location::caller();
    branch(a().value(), b, || truth(false, at), at)
}

/// `a || b`: `b` is evaluated only if `a` is false.
#[track_caller]
pub fn or(a: impl FnOnce() -> Lane<bool>, b: impl FnOnce() -> Lane<bool>) -> Lane<bool> {
    let at = Location::caller();
    branch(a().value(), || truth(true, at), b, at)
}

/// What a function that records gives where its code ends in something of type `!`.
///
/// # Panics
/// If code that comes here has not ended, by `return`, `break`, `continue` or a failure: the macro calls it only where
/// rustc has found the type `!`.
#[must_use]
pub fn diverged<R: Staged>() -> R {
    assert!(is_dead(), "what is of type `!` is never passed");
    R::unreachable()
}

/// `while condition { .. }`.
#[track_caller]
pub fn while_loop(condition: impl FnOnce(Label) -> Lane<bool>, body: impl FnOnce(Label)) {
    let at = Location::caller();
    repeat(
        |label| {
            let go_on = condition(label);
            let done = emit(Op::Unary(UnOp::Not, go_on.value()), Type::Bool, at);
            break_if(done, label, at);
            body(label);
        },
        |_| (),
        at,
    );
}

/// `loop { .. }`.
#[track_caller]
pub fn endless_loop(body: impl FnOnce(Label)) {
    repeat(body, |_| (), Location::caller());
}

/// `for i in start..end { .. }`.
#[track_caller]
pub fn for_range<T: Int>(
    start: Lane<T>,
    end: impl FnOnce() -> Lane<T>,
    body: impl FnOnce(Label, Lane<T>),
) {
    let at = Location::caller();
    let end = end();
    let counter = Counter::new(start, at);
    repeat(
        |label| {
            let i = counter.get();
            break_if(compare(CmpOp::Ge, i, end, at), label, at);
            body(label, i);
        },
        |_| counter.advance(),
        at,
    );
}

/// `for i in start..=end { .. }`. The counter never passes `end`, so it cannot overflow.
#[track_caller]
pub fn for_range_inclusive<T: Int>(
    start: Lane<T>,
    end: impl FnOnce() -> Lane<T>,
    body: impl FnOnce(Label, Lane<T>),
) {
    let at = Location::caller();
    let end = end();
    let all = || {
        let counter = Counter::new(start, at);
        repeat(
            |label| body(label, counter.get()),
            |label| {
                break_if(compare(CmpOp::Eq, counter.get(), end, at), label, at);
                counter.advance();
            },
            at,
        );
    };
    branch(compare(CmpOp::Le, start, end, at), all, || (), at);
}

/// `break`.
#[track_caller]
pub fn break_(label: Label) {
    emit_jump(Op::Break(label.exit), Location::caller());
}

/// `continue`.
#[track_caller]
pub fn continue_(label: Label) {
    let jump = match label.iteration {
        Iteration::OfLoop(of) => Op::Continue(of),
        Iteration::Unrolled(scope) => Op::Break(scope),
    };
    emit_jump(jump, Location::caller());
}

/// `return`: ends the work item.
#[track_caller]
pub fn return_() {
    emit_jump(Op::Return, Location::caller());
}

/// RangeIter that are recorded one after the other; `break` leaves all of them.
pub(in crate::lang) fn all_iterations(body: impl FnOnce(ir::Label), at: At) {
    let exit = new_label();
    let ((), body) = in_block(|| body(exit));
    emit_scope(exit, body, at);
}

/// One of them; `continue` leaves it.
pub(in crate::lang) fn one_iteration(exit: ir::Label, body: impl FnOnce(Label), at: At) {
    let scope = new_label();
    let iteration = Iteration::Unrolled(scope);
    let ((), body) = in_block(|| body(Label { exit, iteration }));
    emit_scope(scope, body, at);
}

/// Code of an iteration that something follows; `continue` leaves this code only.
pub(in crate::lang) fn continued(label: Label, body: impl FnOnce(Label), at: At) {
    one_iteration(label.exit, body, at);
}

/// A loop: `body`, then `step` (which `continue` does not skip), over and over.
pub(in crate::lang) fn repeat(body: impl FnOnce(Label), step: impl FnOnce(Label), at: At) {
    record_loop(new_label(), body, step, at);
}

pub(in crate::lang) fn record_loop(
    label: ir::Label,
    body: impl FnOnce(Label),
    step: impl FnOnce(Label),
    at: At,
) {
    let ((), body) = in_block(|| {
        recorder::begin_iteration();
        body(Label::of_loop(label));
    });
    let ((), step) = in_block(|| step(Label::of_loop(label)));
    emit_loop(label, body, step, at);
}

fn emit_loop(label: ir::Label, body: OpenBlock, step: OpenBlock, at: At) {
    emit_void(
        Op::Loop {
            label,
            body: body.block,
            step: step.block,
        },
        at,
    );
    if !is_left(label) {
        mark_dead();
    }
}

/// A block that `label` leaves. Where nothing leaves it and its end is never reached, neither is what follows.
pub(in crate::lang) fn emit_scope(label: ir::Label, body: OpenBlock, at: At) {
    let dead = body.dead && !is_left(label);
    let body = body.block;
    emit_void(Op::Scope { label, body }, at);
    if dead {
        mark_dead();
    }
}

pub(in crate::lang) fn break_if(done: Value, label: Label, at: At) {
    leave_if(done, label.exit, at);
}

/// Leaves a scope if that is so.
pub(in crate::lang) fn leave_if(done: Value, exit: ir::Label, at: At) {
    branch(done, || emit_jump(Op::Break(exit), at), || (), at);
}

fn compare<T: Int>(op: CmpOp, a: Lane<T>, b: Lane<T>, at: At) -> Value {
    emit(Op::Compare(op, a.value(), b.value()), Type::Bool, at)
}

/// The hidden variable of a `for`; what the body does to its own `i` does not touch it.
pub(in crate::lang) struct Counter<T> {
    var: Var,
    at: At,
    ty: PhantomData<T>,
}

impl<T: Int> Counter<T> {
    pub(in crate::lang) fn new(start: Lane<T>, at: At) -> Self {
        let var = new_var(T::SCALAR.ir());
        emit_void(Op::VarSet(var, start.value()), at);
        Self {
            var,
            at,
            ty: PhantomData,
        }
    }

    pub(in crate::lang) fn get(&self) -> Lane<T> {
        Lane::new(emit(Op::VarGet(self.var), T::SCALAR.ir(), self.at))
    }

    pub(in crate::lang) fn set(&self, value: Lane<T>) {
        emit_void(Op::VarSet(self.var, value.value()), self.at);
    }

    fn advance(&self) {
        let ty = T::SCALAR.ir();
        let one = emit_const(1, ty, self.at);
        let next = emit(Op::Binary(BinOp::Add, self.get().value(), one), ty, self.at);
        self.set(Lane::new(next));
    }
}

/// Complains of a loop that is recorded one iteration after the other, and has too many.
pub(in crate::lang) fn too_often(iterations: u64, at: At) {
    let at = SourceLoc::from_caller(at);
    report(StageError::UnrolledTooOften { iterations, at });
}
