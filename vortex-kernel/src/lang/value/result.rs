//! `Result` in kernels.

use std::panic::Location;

use super::compare::{Asked, Equal, Ordered};
use super::option::{Opt, Variants};
use crate::ir::{CmpOp, Shape, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::constant::default;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::base::truth::{not, truth};
use crate::lang::base::written::{Written, written};
use crate::lang::place::tuple::structure;
use crate::lang::recorder::{At, PlaceRef};
use crate::types::{DeviceType, Leaf, Words};

/// A `Result` in every lane: `Res<Lane<u8>, Lane<u32>>` for `Result<u8, u32>`.
///
/// Of value and error each means nothing in lanes where the other one is there.
#[derive(Clone, Copy, Debug)]
#[must_use = "this `Result` may be an `Err`, which a kernel handles, too: `if let Err(e) = ..`, or `.unwrap();`"]
pub struct Res<S, E> {
    ok: Lane<bool>,
    value: S,
    error: E,
}

written! {
    [S: Written, E: Written] Res<S, E> => Result<S::Type<'a>, E::Type<'a>>;
}

/// `Ok(value)`.
#[track_caller]
pub fn ok<S: Staged, E: Staged>(value: impl FnOnce() -> S) -> Res<S, E> {
    let value = value();
    let at = Location::caller();
    let (ok, error) = (truth(true, at), zero(at));
    Res { ok, value, error }
}

/// `Err(error)`.
#[track_caller]
pub fn err<S: Staged, E: Staged>(error: impl FnOnce() -> E) -> Res<S, E> {
    let error = error();
    let at = Location::caller();
    let (ok, value) = (truth(false, at), zero(at));
    Res { ok, value, error }
}

/// Whether the pattern `Ok(_)` matches.
pub fn matches_ok<V: Variants>(result: &V) -> Lane<bool> {
    result.has_value()
}

/// Whether the pattern `Err(_)` matches.
#[track_caller]
pub fn matches_err<V: Variants>(result: &V) -> Lane<bool> {
    not(result.has_value(), Location::caller())
}

impl<S: Staged, E: Staged> Variants for Res<S, E> {
    type Inside = S;
    type Error = E;

    fn value(self) -> S {
        self.value
    }

    fn error(self) -> E {
        self.error
    }

    fn has_value(&self) -> Lane<bool> {
        self.ok
    }
}

impl<S: Staged, E: Staged> Staged for Res<S, E> {
    const IN_MEMORY: bool = <(S, E)>::IN_MEMORY;

    type Parts = ();

    fn leaves(out: &mut Vec<Leaf>) {
        <(Lane<bool>, S, E)>::leaves(out);
    }

    fn shape() -> Shape {
        let (value, error) = (S::shape(), E::shape());
        let name = format!("Result<{}, {}>", value.name(), error.name());
        let parts = [
            ("is_ok", Lane::<bool>::shape()),
            ("ok", value),
            ("err", error),
        ];
        structure(name, parts.map(|(name, part)| (name.to_owned(), part)))
    }

    fn build(words: &mut Words) -> Self {
        Self::of_parts(Staged::build(words))
    }

    fn parts(_: PlaceRef) {}

    fn values(self, out: &mut Vec<Value>) {
        self.into_parts().values(out);
    }

    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
        Self::of_parts(self.into_parts().rebuild(values))
    }

    fn either(self, other: Self) -> Self {
        Self::of_parts(self.into_parts().either(other.into_parts()))
    }
}

impl<S: Staged, E: Staged> Res<S, E> {
    fn of_parts((ok, value, error): (Lane<bool>, S, E)) -> Self {
        Self { ok, value, error }
    }

    /// Whether it is `Ok`, the value and the error.
    pub(in crate::lang) fn into_parts(self) -> (Lane<bool>, S, E) {
        (self.ok, self.value, self.error)
    }

    /// `Ok(value)` where `ok` holds, else `Err(error)`.
    pub(in crate::lang) fn of(ok: Lane<bool>, value: S, error: E) -> Self {
        Self { ok, value, error }
    }

    /// What `f` makes of either.
    fn either_way<R: Staged>(
        self,
        of_value: impl FnOnce(S) -> R,
        of_error: impl FnOnce(E) -> R,
        at: At,
    ) -> R {
        let Self { ok, value, error } = self;
        branch(ok.value(), || of_value(value), || of_error(error), at)
    }

    /// The value; where there is none, does `leave`, which ends in a jump.
    #[doc(hidden)]
    #[track_caller]
    pub fn or_leave(self, leave: impl FnOnce(E)) -> S {
        let leave = || leave(self.error);
        branch(self.ok.value(), || (), leave, Location::caller());
        self.value
    }
}

/// The methods of `Result`; closures run in the lanes that they are for.
impl<S: Staged, E: Staged> Res<S, E> {
    /// Whether it is `Ok`.
    #[must_use]
    pub fn is_ok(self) -> Lane<bool> {
        self.ok
    }

    /// Whether it is `Err`.
    #[track_caller]
    #[must_use]
    pub fn is_err(self) -> Lane<bool> {
        not(self.ok, Location::caller())
    }

    /// Whether it is `Ok`, and `test` holds of the value.
    #[track_caller]
    #[must_use]
    pub fn is_ok_and(self, test: impl FnOnce(S) -> Lane<bool>) -> Lane<bool> {
        let at = Location::caller();
        self.either_way(test, |_| truth(false, at), at)
    }

    /// Whether it is `Err`, and `test` holds of the error.
    #[track_caller]
    #[must_use]
    pub fn is_err_and(self, test: impl FnOnce(E) -> Lane<bool>) -> Lane<bool> {
        let at = Location::caller();
        self.either_way(|_| truth(false, at), test, at)
    }

    /// The value, if it is `Ok`.
    #[must_use]
    pub fn ok(self) -> Opt<S> {
        Opt::of(self.ok, self.value)
    }

    /// The error, if it is `Err`.
    #[track_caller]
    #[must_use]
    pub fn err(self) -> Opt<E> {
        Opt::of(self.is_err(), self.error)
    }

    /// What `f` makes of the value, or the error.
    #[track_caller]
    pub fn map<R: Staged>(self, f: impl FnOnce(S) -> R) -> Res<R, E> {
        let at = Location::caller();
        let value = self.either_way(f, |_| zero(at), at);
        Res::of(self.ok, value, self.error)
    }

    /// The value, or what `f` makes of the error.
    #[track_caller]
    pub fn map_err<R: Staged>(self, f: impl FnOnce(E) -> R) -> Res<S, R> {
        let at = Location::caller();
        let error = self.either_way(|_| zero(at), f, at);
        Res::of(self.ok, self.value, error)
    }

    /// What `f` makes of the value, or `default`.
    #[track_caller]
    #[must_use]
    pub fn map_or<R: Staged>(self, default: R, f: impl FnOnce(S) -> R) -> R {
        self.either_way(f, |_| default, Location::caller())
    }

    /// What `f` makes of the value, or what `default` makes of the error.
    #[track_caller]
    #[must_use]
    pub fn map_or_else<R: Staged>(self, default: impl FnOnce(E) -> R, f: impl FnOnce(S) -> R) -> R {
        self.either_way(f, default, Location::caller())
    }

    /// What `f` makes of the value, or the error.
    #[track_caller]
    pub fn and_then<R: Staged>(self, f: impl FnOnce(S) -> Res<R, E>) -> Res<R, E> {
        let at = Location::caller();
        let failed = |error| Res::of(truth(false, at), zero(at), error);
        self.either_way(f, failed, at)
    }

    /// `other` if this is `Ok`, or the error.
    #[track_caller]
    pub fn and<R: Staged>(self, other: Res<R, E>) -> Res<R, E> {
        self.and_then(|_| other)
    }

    /// This if it is `Ok`, or what `f` makes of the error.
    #[track_caller]
    pub fn or_else<F: Staged>(self, f: impl FnOnce(E) -> Res<S, F>) -> Res<S, F> {
        let at = Location::caller();
        let succeeded = |value| Res::of(truth(true, at), value, zero(at));
        self.either_way(succeeded, f, at)
    }

    /// This if it is `Ok`, or `other`.
    #[track_caller]
    pub fn or<F: Staged>(self, other: Res<S, F>) -> Res<S, F> {
        self.or_else(|_| other)
    }

    /// The value, or `default`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or(self, default: S) -> S {
        self.either_way(|value| value, |_| default, Location::caller())
    }

    /// The value, or what `f` makes of the error.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_else(self, f: impl FnOnce(E) -> S) -> S {
        self.either_way(|value| value, f, Location::caller())
    }

    /// `Err` for `Ok`, and `Ok` for `Err`.
    #[track_caller]
    pub(in crate::lang) fn turned(self) -> Res<E, S> {
        Res::of(self.is_err(), self.error, self.value)
    }

    /// The same: what a result holds is a value already.
    pub fn copied(self) -> Self {
        self
    }

    /// The same: what a result holds is a value already.
    pub fn cloned(self) -> Self {
        self
    }
}

impl<T: DeviceType + Default, E: Staged> Res<Lane<T>, E> {
    /// The value, or `T::default()`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_default(self) -> Lane<T> {
        self.unwrap_or_else(|_| default())
    }
}

impl<S: Staged, E: Staged> Res<Opt<S>, E> {
    /// None if this is `Ok(None)`, else some result.
    #[track_caller]
    #[must_use]
    pub fn transpose(self) -> Opt<Res<S, E>> {
        let at = Location::caller();
        let some = self.either_way(Opt::is_some, |_| truth(true, at), at);
        Opt::of(some, Res::of(self.ok, self.value.value(), self.error))
    }
}

impl<S: Staged, E: Staged> Opt<Res<S, E>> {
    /// `Ok(None)` if this is none, else the result with its value as some value.
    #[track_caller]
    pub fn transpose(self) -> Res<Opt<S>, E> {
        let at = Location::caller();
        let result = self.value();
        let ok = branch(self.is_some().value(), || result.ok, || truth(true, at), at);
        Res::of(ok, Opt::of(self.is_some(), result.value), result.error)
    }
}

impl<S: Staged> Opt<S> {
    /// The value, or `Err(error)`.
    #[track_caller]
    pub fn ok_or<E: Staged>(self, error: E) -> Res<S, E> {
        Res::of(self.is_some(), self.value(), error)
    }

    /// The value, or `Err` of what `error` computes.
    #[track_caller]
    pub fn ok_or_else<E: Staged>(self, error: impl FnOnce() -> E) -> Res<S, E> {
        let at = Location::caller();
        let error = branch(self.is_some().value(), || zero(at), error, at);
        self.ok_or(error)
    }
}

// `Ok` comes before `Err`. Two of one kind are compared by what they hold, of which the other kind has none.
impl<S: Equal, E: Equal> Equal for Res<S, E> {
    fn equal(self, other: Self, at: At) -> Value {
        self.compared(at).equal(other.compared(at), at)
    }
}

impl<S: Ordered, E: Ordered> Ordered for Res<S, E> {
    fn ordered(self, other: Self, op: CmpOp, at: At) -> Value {
        self.compared(at).ordered(other.compared(at), op, at)
    }

    fn order(self, other: Self, asked: Asked, at: At) -> Value {
        self.compared(at).order(other.compared(at), asked, at)
    }
}

impl<S: Staged, E: Staged> Res<S, E> {
    fn compared(self, at: At) -> (Lane<bool>, Opt<S>, Opt<E>) {
        let failed = not(self.ok, at);
        (failed, self.ok(), Opt::of(failed, self.error))
    }
}
