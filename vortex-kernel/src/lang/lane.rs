//! Values: constants, values of a lane, mutable locals.

use std::panic::Location;

use super::recorder::{self, emit, emit_const, emit_void};
use super::staged::Staged;
use super::{StageError, opaque_debug};
use crate::ir::{Op, SourceLoc, Value};
use crate::meta::{DeviceType, Scalar};

/// A `T` in every lane: the type of the values a kernel computes with.
///
/// Each work item runs in a lane of the device and has its own value. In a kernel's source it is
/// written as a plain `T`.
pub struct Lane<T: DeviceType> {
    pub(super) repr: T::Repr,
}

impl<T: DeviceType> Copy for Lane<T> {}

impl<T: DeviceType> Clone for Lane<T> {
    fn clone(&self) -> Self {
        *self
    }
}

opaque_debug! { Lane<T: DeviceType> Mutable<T: Staged> }

impl<T: Scalar> Lane<T> {
    pub(super) const fn new(value: Value) -> Self {
        Self { repr: value }
    }

    pub(super) const fn value(self) -> Value {
        self.repr
    }
}

/// A `let mut` local of a kernel.
#[derive(Clone, Copy)]
pub struct Mutable<T: Staged> {
    /// Tells types and number of the variables that hold the value.
    shape: T,
    /// They are numbered consecutively from this one.
    first: u32,
}

impl<T: Staged> Mutable<T> {
    /// Reads the local.
    #[track_caller]
    #[must_use]
    pub fn get(self) -> T {
        let at = Location::caller();
        let values = self
            .vars()
            .map(|(var, value)| emit(Op::VarGet(var), recorder::type_of(value), at));
        self.shape
            .rebuild(&mut values.collect::<Vec<_>>().into_iter())
    }

    /// Assigns to the local.
    #[track_caller]
    pub fn set(self, value: T) {
        let at = Location::caller();
        for ((var, _), value) in self.vars().zip(values_of(value)) {
            emit_void(Op::VarSet(var, value), at);
        }
    }

    fn vars(self) -> impl Iterator<Item = (crate::ir::Var, Value)> {
        (self.first..)
            .map(crate::ir::Var)
            .zip(values_of(self.shape))
    }
}

/// The IR values that make up a staged value.
pub(super) fn values_of<T: Staged>(value: T) -> Vec<Value> {
    let mut values = Vec::new();
    value.values(&mut values);
    values
}

/// `let mut` in a kernel: a local that can be assigned to, with its first value.
#[track_caller]
#[must_use]
pub fn mutable<T: Staged>(value: T) -> Mutable<T> {
    let values = values_of(value);
    let vars: Vec<_> = values
        .iter()
        .map(|&value| recorder::new_var(recorder::type_of(value)))
        .collect();
    let local = Mutable {
        shape: value.assignable(),
        first: vars.first().map_or(0, |var| var.0),
    };
    local.set(value);
    local
}

/// `local = value`.
#[track_caller]
pub fn set<T: Staged>(local: Mutable<T>, value: impl FnOnce() -> T) {
    local.set(value());
}

/// A constant of the host, to become a value of a kernel.
///
/// Not a function: rustc has less to say about a field of the wrong type.
#[derive(Clone, Copy, Debug)]
pub struct Constant<T> {
    /// The constant.
    pub value: T,
}

impl<T> Constant<T> {
    /// The constant in every lane.
    #[track_caller]
    #[must_use]
    pub fn lane(self) -> Lane<T>
    where
        T: Scalar,
    {
        let at = Location::caller();
        let word = self.value.to_word().unwrap_or_else(|| {
            recorder::report(StageError::ConstantTooLarge {
                value: self.value.to_string(),
                ty: T::SCALAR.name(),
                at: SourceLoc::from_caller(at),
            });
            0
        });
        Lane::new(emit_const(word, T::SCALAR.ir(), at))
    }
}
