//! What `match` and patterns are written with.

use std::array::TryFromSliceError;
use std::num::TryFromIntError;
use std::panic::Location;

use crate::ir::{BinOp, CmpOp, Op, Type};
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::base::truth::truth;
use crate::lang::base::tuples::up_to;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::recorder::{emit, mark_dead};
use crate::lang::value::arith::compare;
use crate::lang::value::option::Opt;
use crate::lang::value::result::Res;
use crate::lang::value::tried::{NotInRange, OfAnotherLength};
use crate::types::{DeviceType, Element};

/// What can be matched: values, slices, and tuples of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be matched in a kernel",
    label = "not a value that patterns can be compared with"
)]
pub trait Matched: Staged {
    /// The type that rustc checks the patterns with.
    #[doc(hidden)]
    type Host;
}

impl<T: DeviceType> Matched for Lane<T> {
    type Host = T;
}

impl<T: Element> Matched for Slice<T> {
    type Host = &'static [T];
}

impl<T: Element> Matched for SliceMut<T> {
    type Host = &'static mut [T];
}

impl<S: Matched> Matched for Opt<S> {
    type Host = Option<S::Host>;
}

impl<S: Matched, E: Matched> Matched for Res<S, E> {
    type Host = Result<S::Host, E::Host>;
}

impl Matched for NotInRange {
    type Host = TryFromIntError;
}

impl Matched for OfAnotherLength {
    type Host = TryFromSliceError;
}

macro_rules! tuples {
    ($(($($part:ident $_name:ident),*))*) => {$(
        impl<$($part: Matched),*> Matched for ($($part,)*) {
            type Host = ($($part::Host,)*);
        }
    )*};
}

up_to! { 8, tuples! { () } }

/// Code that is checked by rustc and not run.
pub fn shadow(_: impl FnOnce()) {}

/// In [`shadow`]: a value of the type that a staged value stands for.
#[must_use]
pub fn host<S: Matched>(_: &S) -> S::Host {
    unreachable!("code to be checked is not run")
}

/// In [`shadow`]: either truth value.
#[must_use]
pub fn any_bool() -> bool {
    unreachable!("code to be checked is not run")
}

/// Whether a value is the constant of a pattern. Whether that can be one, and whether it is of the value's type, rustc
/// says of the host's `match`: here they are of any types, or it would say so twice.
#[track_caller]
#[must_use]
pub fn is_constant<S: Staged, C: Staged>(value: S, constant: impl FnOnce() -> C) -> Lane<bool> {
    let at = Location::caller();
    let pairs = values_of(value).into_iter().zip(values_of(constant()));
    let equal = pairs.map(|(a, b)| Lane::new(compare(CmpOp::Eq, a, b, at)));
    let all = equal.reduce(|a, b| bits(BinOp::And, a, b, at));
    all.unwrap_or_else(|| truth(true, at))
}

/// Both hold, and both are known already.
#[track_caller]
#[must_use]
pub fn all(a: Lane<bool>, b: Lane<bool>) -> Lane<bool> {
    bits(BinOp::And, a, b, Location::caller())
}

/// One of two holds, and both are known already.
#[track_caller]
#[must_use]
pub fn any(a: Lane<bool>, b: Lane<bool>) -> Lane<bool> {
    bits(BinOp::Or, a, b, Location::caller())
}

fn bits(op: BinOp, a: Lane<bool>, b: Lane<bool>, at: &'static Location<'static>) -> Lane<bool> {
    Lane::new(emit(Op::Binary(op, a.value(), b.value()), Type::Bool, at))
}

/// The value of an arm that is never chosen.
#[must_use]
pub fn never<R: Staged>() -> R {
    mark_dead();
    R::unreachable()
}
