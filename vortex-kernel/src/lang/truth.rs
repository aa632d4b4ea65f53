//! Truth values that the language's own code makes.

use super::compare;
use super::lane::Lane;
use super::recorder::{At, emit_const};
use crate::ir::Type;

pub(super) fn truth(value: bool, at: At) -> Lane<bool> {
    Lane::new(emit_const(value.into(), Type::Bool, at))
}

pub(super) fn not(x: Lane<bool>, at: At) -> Lane<bool> {
    Lane::new(compare::not(x.value(), at))
}
