//! Struct literals.

use crate::ir::Value;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::staged::values_of;
use crate::lang::recorder::{self, OpenLiteral};
use crate::types::{DeviceType, Struct};

/// `P { a: .., b: .. }`. The closure holds the user's literal, so that rustc checks it as such;
/// its fields are [`field`]s, which record their values.
pub fn literal<T: Struct>(literal: impl FnOnce() -> T) -> T::Value {
    open_literal();
    literal();
    T::value(words_of(close_literal(T::FIELDS)))
}

fn open_literal() {
    recorder::with(|recorder| recorder.literals.push(OpenLiteral::default()));
}

/// The values of a struct with these fields, which take so many words each.
fn close_literal(fields: &[(&str, u32)]) -> Vec<Value> {
    let open = recorder::with(|recorder| recorder::closed(recorder.literals.pop()));
    let (mut values, mut at) = (Vec::new(), 0);
    for &(name, words) in fields {
        let next = at + words as usize;
        match open.fields.iter().find(|(field, _)| *field == name) {
            Some((_, field)) => values.extend_from_slice(field),
            None => values.extend_from_slice(open.rest.get(at..next).unwrap_or_default()),
        }
        at = next;
    }
    values
}

/// A field of a [`literal`].
pub fn field<T: DeviceType>(name: &'static str, value: impl FnOnce() -> Lane<T>) -> T {
    let values = values_of(value());
    note_field(name, values);
    T::placeholder()
}

fn note_field(name: &'static str, values: Vec<Value>) {
    recorder::with(|recorder| {
        if let Some(open) = recorder.literals.last_mut() {
            open.fields.push((name, values));
        }
    });
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
