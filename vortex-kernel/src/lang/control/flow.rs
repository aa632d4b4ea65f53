//! Control flow.
//!
//! What has to have a certain type is taken as a closure, here and elsewhere: where it has another,
//! rustc then says so of the user's expression, and not of a call that the user has not written.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;

use crate::ir::{self, Arm, BinOp, CmpOp, Op, SourceLoc, Type, UnOp, Value, Var};
use crate::lang::error::StageError;
use crate::lang::place::access::{Mutable, room};
use crate::lang::place::staged::Staged;
use crate::lang::recorder::{
    self, At, OpenBlock, emit, emit_const, emit_jump, emit_many, emit_void, in_block, is_dead,
    is_left, mark_dead, new_label, new_var, report, result_like, type_of,
};
use crate::lang::value::integer::Int;
use crate::lang::value::lane::{Lane, values_of};
use crate::lang::value::truth::truth;

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
    fn of_loop(exit: ir::Label) -> Self {
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

pub(in crate::lang) fn branch<R: Staged>(
    condition: Value,
    then: impl FnOnce() -> R,
    els: impl FnOnce() -> R,
    at: At,
) -> R {
    let (then_value, then) = in_block(then);
    let (els_value, els) = in_block(els);
    let outcome = match (then.dead, els.dead) {
        (true, true) => None,
        (false, true) => Some(then_value),
        (true, false) => Some(els_value),
        (false, false) => Some(then_value.either(els_value)),
    };
    let shape = outcome.map(values_of).unwrap_or_default();
    let of_then = if then.dead {
        Vec::new()
    } else {
        values_of(then_value)
    };
    let of_els = if els.dead {
        Vec::new()
    } else {
        values_of(els_value)
    };
    let results = emit_if(condition, [(then, of_then), (els, of_els)], &shape, at);
    match outcome {
        Some(value) => value.rebuild(&mut results.into_iter()),
        None => {
            mark_dead();
            R::unreachable()
        }
    }
}

/// An `if` of two arms, each with the values at its end if that can be reached. Gives its results, which are like
/// `shape`.
fn emit_if(cond: Value, arms: [(OpenBlock, Vec<Value>); 2], shape: &[Value], at: At) -> Vec<Value> {
    let results: Vec<_> = shape.iter().map(|&value| result_like(value)).collect();
    let [then, els] = arms.map(|(block, values)| arm(block, values, &results, at));
    emit_many(Op::If { cond, then, els }, results.clone(), at);
    results
}

/// Closes an arm of an `if` with these results.
fn arm(arm: OpenBlock, values: Vec<Value>, results: &[Value], at: At) -> Arm {
    let yields = if arm.ends_in_jump() || results.is_empty() {
        Vec::new()
    } else if arm.dead {
        // Its end cannot be reached, but not because of a jump at the end: it still has to name something.
        results
            .iter()
            .map(|&result| emit_const(0, type_of(result), at))
            .collect()
    } else {
        values
    };
    Arm {
        block: arm.block,
        yields,
    }
}

/// What a function that records gives where its code ends in something of type `!`.
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

/// Where `break` with a value goes: out of a `loop` or of a labelled block.
#[derive(Debug)]
pub struct Exit<R: Staged> {
    label: ir::Label,
    /// Holds the value. It is made out here, where what a `break` further inside puts there can be read.
    slot: Mutable<R>,
    /// Whether anything is ever put there.
    is_used: Cell<bool>,
}

impl<R: Staged> Exit<R> {
    #[track_caller]
    fn new() -> Self {
        Self {
            label: new_label(),
            slot: room(),
            is_used: Cell::new(false),
        }
    }

    /// For `continue`, and for jumps out of loops inside.
    #[must_use]
    pub fn label(&self) -> Label {
        Label::of_loop(self.label)
    }

    #[track_caller]
    fn put(&self, value: R) {
        self.slot.set(value);
        self.is_used.set(true);
    }

    /// What was put, once control is outside; nothing is there if it never gets there.
    #[track_caller]
    fn take(&self) -> R {
        if self.is_used.get() {
            return self.slot.get();
        }
        mark_dead();
        R::unreachable()
    }
}

/// `break 'label value` out of a labelled block, `break value` out of a `loop`.
#[track_caller]
pub fn break_with<R: Staged>(exit: &Exit<R>, value: impl FnOnce() -> R) {
    let value = value();
    if !is_dead() {
        exit.put(value);
    }
    emit_jump(Op::Break(exit.label), Location::caller());
}

/// `'label: { .. }`.
#[track_caller]
pub fn scope<R: Staged>(body: impl FnOnce(&Exit<R>) -> R) -> R {
    let at = Location::caller();
    let exit = Exit::new();
    let ((), body) = in_block(|| {
        let value = body(&exit);
        if !is_dead() {
            exit.put(value);
        }
    });
    emit_scope(exit.label, body, at);
    exit.take()
}

/// `loop { .. }` with a `break value` in it.
#[track_caller]
pub fn loop_value<R: Staged>(body: impl FnOnce(&Exit<R>)) -> R {
    let exit = Exit::new();
    record_loop(exit.label, |_| body(&exit), |_| (), Location::caller());
    exit.take()
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

fn record_loop(label: ir::Label, body: impl FnOnce(Label), step: impl FnOnce(Label), at: At) {
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
    branch(done, || emit_jump(Op::Break(label.exit), at), || (), at);
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
