//! Fields, and parts of tuples: rustc looks for them in the types of the host first.

use super::pattern::Matched;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::base::tuples::up_to;
use crate::lang::place::access::{Mutable, Place};
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::value::option::Opt;
use crate::lang::value::result::Res;
use crate::types::{DeviceType, Element};

/// What has fields or parts: a value, or a place.
#[diagnostic::on_unimplemented(
    message = "this has no fields that kernels can name",
    label = "not a struct of the device"
)]
pub trait HasFields {
    /// Whose fields they are for the user.
    #[doc(hidden)]
    type Host;
}

macro_rules! values {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> HasFields for $ty {
            type Host = <Self as Matched>::Host;
        }
    )*};
}

values! {
    [T: DeviceType] Lane<T>;
    [T: Element] Slice<T>;
    [T: Element] SliceMut<T>;
    [S: Matched] Opt<S>;
    [S: Matched, E: Matched] Res<S, E>;
}

macro_rules! tuples {
    ($(($($part:ident $_name:ident),*))*) => {$(
        impl<$($part: HasFields),*> HasFields for ($($part,)*) {
            type Host = ($($part::Host,)*);
        }
    )*};
}

up_to! { 8, tuples! { () } }

impl<S: Staged + HasFields> HasFields for Mutable<S> {
    type Host = S::Host;
}

impl<T: DeviceType> HasFields for Place<T> {
    type Host = T;
}

impl<T: Element> HasFields for Local<T> {
    type Host = T;
}

/// The type of a field of a `P`, or of its parts. What is said of `P` is said of the field's type, as rustc knows
/// nothing of it where that is in error, and says no more.
pub trait FieldOf<P> {
    /// `P`.
    #[doc(hidden)]
    type Whole;

    /// The same.
    #[doc(hidden)]
    fn whole(of: P) -> Self::Whole;
}

impl<P, F> FieldOf<P> for F {
    type Whole = P;

    fn whole(of: P) -> P {
        of
    }
}

/// A value that the pattern in `parts` takes apart, which rustc checks and which is not run.
pub fn with_parts<P: HasFields, F: FieldOf<P>>(
    whole: P,
    _parts: impl FnOnce(P::Host) -> F,
) -> F::Whole {
    F::whole(whole)
}

/// A value or a place that has the field that `field` names, which rustc checks and which is not run.
pub fn with_field<'p, P: HasFields, F: FieldOf<&'p P>>(
    whole: &'p P,
    _field: impl FnOnce(P::Host) -> F,
) -> F::Whole {
    F::whole(whole)
}

/// A field of a struct that is given a tuple: rustc compares the types of the host. No field of a device type is one,
/// so it does not compile.
pub fn tuple_field<P: HasFields>(_value: impl FnOnce() -> P) -> P::Host {
    unreachable!("it does not compile")
}
