//! Where the type of a value is known: what rustc says of a value of another.
//!
//! It would say `mismatched types`, and of ours: `Lane<i32>`. Of a trait that the user's types lack it says what is
//! written here, of the user's types.

use std::marker::PhantomData;
use std::panic::Location;

use super::compare::{Equal as _, Ordered as _};
use crate::ir::CmpOp;
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::place::access::{Mutable, Writable};
use crate::types::DeviceType;

/// Itself: what a value has to be where another is wanted, whose type is known.
///
/// What is found is `Self`. While rustc does not know it, it infers nothing from this bound; if it could, it would
/// infer the type that is wanted, and say what it says of types that do not match. Generated code calls functions of
/// this trait, and not ones with it as a bound: rustc says of those where they are declared.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{Wanted}`, found `{Self}`",
    label = "expected `{Wanted}`, found `{Self}`",
    note = "a number of another type is converted by `as`, as in `n as f32`, a `bool` is made by a comparison, \
            `n != 0`, and a float is written with a point, `1.0`"
)]
pub trait Is<Wanted: DeviceType>: DeviceType {
    /// The same.
    #[doc(hidden)]
    fn itself(value: Lane<Self>) -> Lane<Wanted>;

    /// The same, where another value is of the type that is wanted.
    #[doc(hidden)]
    fn like(_: Lane<Wanted>, value: Lane<Self>) -> Lane<Wanted> {
        Self::itself(value)
    }

    /// An arm of a `match` or an `if` whose first arm is a `Wanted`.
    #[doc(hidden)]
    fn arm(_: Arms<Wanted>, value: Lane<Self>) -> Lane<Wanted> {
        Self::itself(value)
    }

    /// `place = value`: the value is computed first, as in Rust.
    #[doc(hidden)]
    #[track_caller]
    fn assign<P: Writable<Value = Lane<Wanted>>>(
        place: impl FnOnce() -> P,
        value: impl FnOnce() -> Lane<Self>,
    ) {
        let value = Self::itself(value());
        place().set_place(value);
    }

    /// `local = value`.
    #[doc(hidden)]
    #[track_caller]
    fn set_local(local: Mutable<Lane<Wanted>>, value: Lane<Self>) {
        local.set(Self::itself(value));
    }

    /// `a == b`.
    #[doc(hidden)]
    #[track_caller]
    fn are_eq(a: Lane<Wanted>, b: Lane<Self>) -> Lane<bool>
    where
        Wanted: PartialEq,
    {
        Lane::new(a.equal(Self::itself(b), Location::caller()))
    }

    /// `a != b`.
    #[doc(hidden)]
    #[track_caller]
    fn are_ne(a: Lane<Wanted>, b: Lane<Self>) -> Lane<bool>
    where
        Wanted: PartialEq,
    {
        Lane::new(a.unequal(Self::itself(b), Location::caller()))
    }

    /// `a < b`.
    #[doc(hidden)]
    #[track_caller]
    fn are_lt(a: Lane<Wanted>, b: Lane<Self>) -> Lane<bool>
    where
        Wanted: PartialOrd,
    {
        Lane::new(a.ordered(Self::itself(b), CmpOp::Lt, Location::caller()))
    }

    /// `a <= b`.
    #[doc(hidden)]
    #[track_caller]
    fn are_le(a: Lane<Wanted>, b: Lane<Self>) -> Lane<bool>
    where
        Wanted: PartialOrd,
    {
        Lane::new(a.ordered(Self::itself(b), CmpOp::Le, Location::caller()))
    }

    /// `a > b`.
    #[doc(hidden)]
    #[track_caller]
    fn are_gt(a: Lane<Wanted>, b: Lane<Self>) -> Lane<bool>
    where
        Wanted: PartialOrd,
    {
        Lane::new(a.ordered(Self::itself(b), CmpOp::Gt, Location::caller()))
    }

    /// `a >= b`.
    #[doc(hidden)]
    #[track_caller]
    fn are_ge(a: Lane<Wanted>, b: Lane<Self>) -> Lane<bool>
    where
        Wanted: PartialOrd,
    {
        Lane::new(a.ordered(Self::itself(b), CmpOp::Ge, Location::caller()))
    }
}

impl<T: DeviceType> Is<T> for T {
    fn itself(value: Lane<T>) -> Lane<T> {
        value
    }
}

/// What the arms of a `match` or an `if` are.
#[derive(Clone, Copy, Debug)]
pub struct Arms<T>(PhantomData<T>);

/// The arms of a `match`, of which the first one says what they are.
#[must_use]
pub const fn arms<T: DeviceType>() -> Arms<T> {
    Arms(PhantomData)
}

/// `if condition { .. } else { .. }`, of which the first arm says what the others are.
#[track_caller]
pub fn if_else_alike<T: DeviceType>(
    condition: impl FnOnce() -> Lane<bool>,
    then: impl FnOnce() -> Lane<T>,
    els: impl FnOnce(Arms<T>) -> Lane<T>,
) -> Lane<T> {
    branch(
        condition().value(),
        then,
        || els(Arms(PhantomData)),
        Location::caller(),
    )
}

/// The first arm of a `match`.
pub fn first_arm<T: DeviceType>(_: Arms<T>, value: Lane<T>) -> Lane<T> {
    value
}

/// A `Lane<T>`, by which its `T` can be named.
pub trait OfType {
    /// `T`.
    type Type: DeviceType;
}

impl<T: DeviceType> OfType for Lane<T> {
    type Type = T;
}

/// `bool`.
#[diagnostic::on_unimplemented(
    message = "mismatched types: a condition is a `bool`, and this is `{Self}`",
    label = "expected `bool`, found `{Self}`",
    note = "as in Rust, a number is compared: `n != 0`"
)]
pub trait Truth: DeviceType {
    /// The same.
    #[doc(hidden)]
    fn truth(value: Lane<Self>) -> Lane<bool>;
}

#[diagnostic::do_not_recommend]
impl Truth for bool {
    fn truth(value: Lane<bool>) -> Lane<bool> {
        value
    }
}
