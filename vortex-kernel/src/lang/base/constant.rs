//! Constants of the host.

use std::fmt;
use std::panic::Location;

use super::lane::{Lane, words_of};
use crate::ir::{Const, SourceLoc, Space, Type, Value};
use crate::lang::StageError;
use crate::lang::recorder::{self, At, emit_const, emit_constant};
use crate::types::{DeviceType, Lift, ScalarType};

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
        T: DeviceType,
    {
        Lane::build(&mut words_of(constants(self.value, Location::caller())))
    }
}

/// The words of a value of the host, as constants.
pub(in crate::lang) fn constants<T: DeviceType>(value: T, at: At) -> Vec<Value> {
    let mut constants = Constants {
        at,
        values: Vec::new(),
    };
    value.lift(&mut constants);
    constants.values
}

struct Constants {
    at: At,
    values: Vec<Value>,
}

impl Lift for Constants {
    fn scalar(&mut self, ty: ScalarType, bits: Option<u64>, value: &dyn fmt::Display) {
        let bits = bits.unwrap_or_else(|| {
            recorder::report(StageError::ConstantTooLarge {
                value: value.to_string(),
                ty: ty.name(),
                at: SourceLoc::from_caller(self.at),
            });
            0
        });
        self.values
            .push(emit_constant(Const(bits), ty.ir(), self.at));
    }

    fn address(&mut self, address: u32) {
        self.values
            .push(emit_const(address, Type::Ptr(Space::Global), self.at));
    }
}

/// `T::default()`, as the host computes it.
#[track_caller]
#[must_use]
pub fn default<T: DeviceType + Default>() -> Lane<T> {
    let value = T::default();
    Constant { value }.lane()
}
