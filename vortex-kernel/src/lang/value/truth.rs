//! Truth values that the language's own code makes.

use super::compare;
use super::lane::Lane;
use crate::ir::Type;
use crate::lang::recorder::{At, emit_const};

pub(in crate::lang) fn truth(value: bool, at: At) -> Lane<bool> {
    Lane::new(emit_const(value.into(), Type::Bool, at))
}

pub(in crate::lang) fn not(x: Lane<bool>, at: At) -> Lane<bool> {
    Lane::new(compare::not(x.value(), at))
}
