//! `Result` in kernels, as far as they have it: of `compare_exchange`, `binary_search` and `try_from`.

use std::panic::Location;

use super::option::{Opt, Variants, matches_none, matches_some};
use crate::ir::Value;
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::recorder::PlaceRef;
use crate::types::{DeviceType, Leaf, Words};

/// A `Result` whose `Ok` and `Err` hold values of one type: of `compare_exchange` what was there, or what is. For the
/// user it is a `Result<T, T>`.
///
/// An option of which the value always means something.
#[derive(Clone, Copy, Debug)]
pub struct Res<S>(Opt<S>);

/// Whether the pattern `Ok(_)` matches.
pub fn matches_ok<V: Variants>(result: &V) -> Lane<bool> {
    matches_some(result)
}

/// Whether the pattern `Err(_)` matches.
#[track_caller]
pub fn matches_err<V: Variants>(result: &V) -> Lane<bool> {
    matches_none(result)
}

impl<S: Staged> Variants for Res<S> {
    type Inside = S;

    fn value(self) -> S {
        self.0.value()
    }

    fn has_value(&self) -> Lane<bool> {
        self.0.is_some()
    }
}

impl<S: Staged> Staged for Res<S> {
    const IN_MEMORY: bool = Opt::<S>::IN_MEMORY;

    type Parts = ();

    fn leaves(out: &mut Vec<Leaf>) {
        Opt::<S>::leaves(out);
    }

    fn build(words: &mut Words) -> Self {
        Self(Opt::build(words))
    }

    fn parts(_: PlaceRef) {}

    fn values(self, out: &mut Vec<Value>) {
        self.0.values(out);
    }

    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
        Self(self.0.rebuild(values))
    }

    fn either(self, other: Self) -> Self {
        Self(self.0.either(other.0))
    }
}

impl<S: Staged> Res<S> {
    /// `Ok` where `ok` holds.
    pub(in crate::lang) fn of(ok: Lane<bool>, old: S) -> Self {
        Self(Opt::of(ok, old))
    }

    /// Whether it is `Ok`.
    #[must_use]
    pub fn is_ok(self) -> Lane<bool> {
        self.0.is_some()
    }

    /// Whether it is `Err`.
    #[track_caller]
    #[must_use]
    pub fn is_err(self) -> Lane<bool> {
        self.0.is_none()
    }

    /// The value, if it is `Ok`.
    #[must_use]
    pub fn ok(self) -> Opt<S> {
        self.0
    }

    /// The error, if it is `Err`.
    #[track_caller]
    #[must_use]
    pub fn err(self) -> Opt<S> {
        Opt::of(self.is_err(), self.value())
    }

    /// The value. Where it is `Err`, the work item ends with a fault.
    #[track_caller]
    #[must_use]
    pub fn unwrap(self) -> S {
        self.0.unwrap()
    }

    /// The value, or `default`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or(self, default: S) -> S {
        self.0.unwrap_or(default)
    }

    /// Whether it is `Ok`, and `test` holds of the value.
    #[track_caller]
    #[must_use]
    pub fn is_ok_and(self, test: impl FnOnce(S) -> Lane<bool>) -> Lane<bool> {
        self.0.is_some_and(test)
    }

    /// Whether it is `Err`, and `test` holds of the error.
    #[track_caller]
    #[must_use]
    pub fn is_err_and(self, test: impl FnOnce(S) -> Lane<bool>) -> Lane<bool> {
        self.err().is_some_and(test)
    }

    /// What `f` makes of the value, or `default`.
    #[track_caller]
    #[must_use]
    pub fn map_or<R: Staged>(self, default: R, f: impl FnOnce(S) -> R) -> R {
        self.0.map_or(default, f)
    }

    /// What `f` makes of the value, or what `default` makes of the error.
    #[track_caller]
    #[must_use]
    pub fn map_or_else<R: Staged>(self, default: impl FnOnce(S) -> R, f: impl FnOnce(S) -> R) -> R {
        let (ok, old) = self.0.into_parts();
        branch(ok, || f(old), || default(old), Location::caller())
    }

    /// What `f` makes of the value, or the error.
    #[track_caller]
    #[must_use]
    pub fn and_then(self, f: impl FnOnce(S) -> Self) -> Self {
        let (ok, old) = self.0.into_parts();
        branch(ok, || f(old), || self, Location::caller())
    }

    /// This, or what `f` makes of the error.
    #[track_caller]
    #[must_use]
    pub fn or_else(self, f: impl FnOnce(S) -> Self) -> Self {
        let (ok, old) = self.0.into_parts();
        branch(ok, || self, || f(old), Location::caller())
    }

    /// This, or `other` if it is an error.
    #[track_caller]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.or_else(|_| other)
    }

    /// What was there, or what `f` makes of what is there.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_else(self, f: impl FnOnce(S) -> S) -> S {
        let (ok, old) = self.0.into_parts();
        branch(ok, || old, || f(old), Location::caller())
    }
}

impl<T: DeviceType + Default> Res<Lane<T>> {
    /// The value, or `T::default()`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_default(self) -> Lane<T> {
        self.0.unwrap_or_default()
    }
}
