//! `Result` in kernels, as far as they have it: of `compare_exchange`.

use std::panic::Location;

use super::arith::fail_if;
use super::device_type::{Leaf, Words};
use super::flow::branch;
use super::lane::Lane;
use super::option::{Opt, Variants};
use super::pattern::Matched;
use super::position::Position;
use super::recorder::{emit, emit_const};
use super::staged::{Staged, append_leaves};
use crate::ir::{FaultKind, Op, Type, UnOp, Value};

/// What `compare_exchange` gives: `Ok` of what was there where it has written, else `Err` of what is there. For the user it is
/// a `Result<T, T>`.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged<S> {
    /// A `bool`.
    ok: Value,
    /// What was there, in either case.
    old: S,
}

/// Whether the pattern `Ok(_)` matches.
pub fn matches_ok<S: Staged>(result: &Exchanged<S>) -> Lane<bool> {
    result.is_ok()
}

/// Whether the pattern `Err(_)` matches.
#[track_caller]
pub fn matches_err<S: Staged>(result: &Exchanged<S>) -> Lane<bool> {
    result.is_err()
}

impl<S: Staged> Variants for Exchanged<S> {
    type Inside = S;

    fn value(self) -> S {
        self.old
    }
}

impl<S: Staged> Staged for Exchanged<S> {
    const IN_MEMORY: bool = S::IN_MEMORY;

    type Parts = ();

    fn leaves(out: &mut Vec<Leaf>) {
        out.push(Leaf::new(0, Type::Bool));
        append_leaves::<S>(out);
    }

    fn build(words: &mut Words) -> Self {
        let ok = words.next(Type::Bool);
        let old = S::build(words);
        Self { ok, old }
    }

    fn parts(_: Position) {}

    fn values(self, out: &mut Vec<Value>) {
        out.push(self.ok);
        self.old.values(out);
    }

    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
        let ok = values.next().unwrap_or(self.ok);
        let old = self.old.rebuild(values);
        Self { ok, old }
    }

    fn either(self, other: Self) -> Self {
        let old = self.old.either(other.old);
        Self { old, ..self }
    }
}

impl<S: Matched> Matched for Exchanged<S> {
    type Host = Result<S::Host, S::Host>;
}

impl<S: Staged> Exchanged<S> {
    /// `Ok` where `ok` holds.
    pub(super) fn of(ok: Lane<bool>, old: S) -> Self {
        let ok = ok.value();
        Self { ok, old }
    }

    /// Whether the element was written.
    #[must_use]
    pub fn is_ok(self) -> Lane<bool> {
        Lane::new(self.ok)
    }

    /// Whether it was not.
    #[track_caller]
    #[must_use]
    pub fn is_err(self) -> Lane<bool> {
        let not = Op::Unary(UnOp::Not, self.ok);
        Lane::new(emit(not, Type::Bool, Location::caller()))
    }

    /// What was there, if the element was written.
    #[must_use]
    pub fn ok(self) -> Opt<S> {
        Opt::of(self.is_ok(), self.old)
    }

    /// What is there, if the element was not written.
    #[track_caller]
    #[must_use]
    pub fn err(self) -> Opt<S> {
        Opt::of(self.is_err(), self.old)
    }

    /// What was there. Where the element was not written, the work item ends with a fault.
    #[track_caller]
    #[must_use]
    pub fn unwrap(self) -> S {
        let at = Location::caller();
        let missing = emit(Op::Unary(UnOp::Not, self.ok), Type::Bool, at);
        let zero = emit_const(0, Type::U32, at);
        fail_if(missing, FaultKind::Unwrap, [zero, zero], at);
        self.old
    }

    /// What was there, or `default`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or(self, default: S) -> S {
        branch(self.ok, || self.old, || default, Location::caller())
    }

    /// What was there, or what `f` makes of what is there.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_else(self, f: impl FnOnce(S) -> S) -> S {
        branch(self.ok, || self.old, || f(self.old), Location::caller())
    }
}
