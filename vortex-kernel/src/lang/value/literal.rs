//! Constants, and struct literals.

use std::fmt;
use std::panic::Location;

use super::lane::{Lane, values_of, words_of};
use crate::ir::{Const, SourceLoc, Space, Type, Value};
use crate::lang::StageError;
use crate::lang::recorder::{self, At, emit_const, emit_constant};
use crate::types::{DeviceType, Lift, ScalarType, Struct};

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

/// The fields of a struct literal that is being recorded, in the order in which they are written.
#[derive(Default)]
pub(in crate::lang) struct OpenLiteral {
    fields: Vec<(&'static str, Vec<Value>)>,
    rest: Vec<Value>,
}

/// `P { a: .., b: .. }`. The closure holds the user's literal, so that rustc checks it as such;
/// its fields are [`field`]s, which record their values.
pub fn literal<T: Struct>(literal: impl FnOnce() -> T) -> T::Value {
    recorder::with(|recorder| recorder.literals.push(OpenLiteral::default()));
    literal();
    let open = recorder::with(|recorder| recorder::closed(recorder.literals.pop()));
    let (mut values, mut at) = (Vec::new(), 0);
    for &(name, words) in T::FIELDS {
        let next = at + words as usize;
        match open.fields.iter().find(|(field, _)| *field == name) {
            Some((_, field)) => values.extend_from_slice(field),
            None => values.extend_from_slice(open.rest.get(at..next).unwrap_or_default()),
        }
        at = next;
    }
    T::value(words_of(values))
}

/// A field of a [`literal`].
pub fn field<T: DeviceType>(name: &'static str, value: impl FnOnce() -> Lane<T>) -> T {
    let values = values_of(value());
    recorder::with(|recorder| {
        if let Some(open) = recorder.literals.last_mut() {
            open.fields.push((name, values));
        }
    });
    T::placeholder()
}

/// `..base` in a [`literal`].
pub fn rest<T: DeviceType>(base: impl FnOnce() -> Lane<T>) -> T {
    let values = values_of(base());
    recorder::with(|recorder| {
        if let Some(open) = recorder.literals.last_mut() {
            open.rest = values;
        }
    });
    T::placeholder()
}
