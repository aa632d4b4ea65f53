//! Patterns of arrays and slices: `[first, .., last]`.

use std::panic::Location;

use crate::ir::{BinOp, CmpOp, Type, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::constant::Constant;
use crate::lang::base::lane::Lane;
use crate::lang::base::truth::truth;
use crate::lang::place::access::Readable;
use crate::lang::place::elements::Elements;
use crate::lang::place::subslice::{AnySlice, subslice_at};
use crate::lang::recorder::{At, const_of, emit_const};
use crate::lang::value::arith::{compare, on_words};

/// What patterns like `[first, .., last]` take apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no elements that a pattern could name",
    label = "neither a slice nor an array"
)]
pub trait Listed: Elements<Place: Readable> {}

impl<S: Elements<Place: Readable>> Listed for S {}

/// What patterns like `[first, rest @ ..]` take apart.
#[diagnostic::on_unimplemented(
    message = "`name @ ..` in a kernel is a part of a slice, and this is none",
    label = "not a slice",
    note = "of an array, write `let rest = &a[1..];`"
)]
pub trait Sliced: AnySlice {}

impl<S: AnySlice> Sliced for S {}

fn number(n: usize, at: At) -> Value {
    // No pattern is as long as that.
    emit_const(u32::try_from(n).unwrap_or(u32::MAX), Type::U32, at)
}

/// Whether it has as many elements as a pattern, or at least as many if that is `open`, and then whether `tests` hold
/// for these. rustc knows the length of arrays.
#[track_caller]
pub fn has_elements<S: Listed>(
    elements: S,
    n: usize,
    open: bool,
    tests: impl FnOnce() -> Lane<bool>,
) -> Lane<bool> {
    let at = Location::caller();
    let count = elements.count().value();
    if const_of(count).is_some() {
        return tests();
    }
    let op = if open { CmpOp::Ge } else { CmpOp::Eq };
    let fits = compare(op, count, number(n, at), at);
    branch(fits, tests, || truth(false, at), at)
}

/// The test of a pattern that nothing is left to be tested for.
#[track_caller]
#[must_use]
pub fn holds() -> Lane<bool> {
    truth(true, Location::caller())
}

/// The element with this number.
#[track_caller]
pub fn element<S: Listed>(elements: S, number: usize) -> <S::Place as Readable>::Value {
    let index = || Constant { value: number }.lane();
    elements.index(index).read(Location::caller())
}

/// The element with so many after it.
#[track_caller]
pub fn element_from_end<S: Listed>(elements: S, after: usize) -> <S::Place as Readable>::Value {
    let at = Location::caller();
    let index = || {
        let count = elements.count().value();
        Lane::new(on_words(BinOp::Sub, count, number(after + 1, at), at))
    };
    elements.index(index).read(at)
}

/// `name @ ..`: all but so many elements in front of it and after it.
#[track_caller]
pub fn elements_between<S: Sliced>(slice: S, before: usize, after: usize) -> S {
    let at = Location::caller();
    let others = number(before + after, at);
    let len = on_words(BinOp::Sub, slice.parts().len, others, at);
    subslice_at(slice, number(before, at), len, at)
}
