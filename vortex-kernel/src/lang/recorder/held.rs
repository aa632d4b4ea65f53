//! What is held until another call takes it up: the fields of a struct literal, and what a method is called on.

use super::PlaceRef;
use crate::ir::Value;

/// The fields of a struct literal that is being recorded, in the order in which they are written.
#[derive(Default)]
pub(in crate::lang) struct OpenLiteral {
    pub(in crate::lang) fields: Vec<(&'static str, Vec<Value>)>,
    pub(in crate::lang) rest: Vec<Value>,
}

/// What a method is called on, until the method takes it up.
#[derive(Debug)]
pub(in crate::lang) enum Receiver {
    Value(Vec<Value>),
    Place(PlaceRef),
    /// A place, and what it held before the method's arguments were computed.
    Before(PlaceRef, Vec<Value>),
}
