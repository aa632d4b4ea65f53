//! The values of a lane.

use std::ops::Deref;

use super::device_type::{DeviceType, Lanes, Struct, Word, Words};
use super::opaque_debug;
use super::staged::Staged;
use crate::ir::Value;

/// A `T` in every lane: the type of the values a kernel computes with.
///
/// Each work item runs in a lane of the device and has its own value. In a kernel's source it is
/// written as a plain `T`.
pub struct Lane<T: DeviceType> {
    repr: T::Repr,
}

impl<T: DeviceType> Copy for Lane<T> {}

impl<T: DeviceType> Clone for Lane<T> {
    fn clone(&self) -> Self {
        *self
    }
}

opaque_debug! { Lane<T: DeviceType> }

// Not for scalars: rustc would propose to write `*1` for `1`.
impl<T: DeviceType + Struct> Deref for Lane<T> {
    type Target = T::Fields<Lanes>;

    fn deref(&self) -> &Self::Target {
        T::fields(&self.repr)
    }
}

impl<T: DeviceType> Lane<T> {
    #[doc(hidden)]
    #[must_use]
    pub fn build(words: &mut Words) -> Self {
        Self {
            repr: T::build(words),
        }
    }

    pub(super) fn append(&self, out: &mut Vec<Value>) {
        T::values(&self.repr, out);
    }
}

impl<T: DeviceType<Repr = Word>> Lane<T> {
    pub(super) const fn new(value: Value) -> Self {
        Self {
            repr: Word::new(value),
        }
    }

    pub(super) const fn value(self) -> Value {
        self.repr.value()
    }
}

/// The IR values that make up a staged value.
pub(super) fn values_of<T: Staged>(value: T) -> Vec<Value> {
    let mut values = Vec::new();
    value.values(&mut values);
    values
}
