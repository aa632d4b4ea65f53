//! References as functions take them: a `&[T; N]` for a `&[T]`, a `&mut [T]` for a `&[T]`.

use std::panic::Location;

use super::access::{Mutable, Place};
use super::memory::{Slice, SliceMut};
use super::subslice::Divisible;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::recorder::At;
use crate::types::{DeviceType, Element};

/// What a reference can be to a function.
///
/// Where nothing says which of these it is, it is what it is: `H` is the type of a number of the generated code, which
/// rustc then takes for an `i32`. So a slice is what is reported where a number is wanted, and not that rustc cannot
/// infer a type.
#[diagnostic::on_unimplemented(
    message = "mismatched types",
    label = "expected `{A}`, found `{Self}`"
)]
pub trait CoercesTo<A, H> {
    /// The same, of the type that the function takes.
    #[doc(hidden)]
    fn coerced(self, at: At) -> A;
}

impl<A> CoercesTo<A, i32> for A {
    fn coerced(self, _: At) -> A {
        self
    }
}

/// `&x` of a place, for a function that takes its value.
#[diagnostic::do_not_recommend]
impl<S: Staged> CoercesTo<S, u8> for Mutable<S> {
    fn coerced(self, at: At) -> S {
        self.position().get(at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> CoercesTo<Lane<T>, u8> for Place<T> {
    fn coerced(self, at: At) -> Lane<T> {
        self.position().get(at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> CoercesTo<Slice<T>, u8> for SliceMut<T> {
    fn coerced(self, _: At) -> Slice<T> {
        Slice::of(self.parts)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Lane<[T; N]> {
    fn coerced(self, at: At) -> Slice<T> {
        self.whole(at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Place<[T; N]> {
    fn coerced(self, at: At) -> Slice<T> {
        self.whole(at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Mutable<Lane<[T; N]>> {
    fn coerced(self, at: At) -> Slice<T> {
        Slice::of(Divisible::<SliceMut<T>>::whole(self, at).parts)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<SliceMut<T>, u8> for Mutable<Lane<[T; N]>> {
    fn coerced(self, at: At) -> SliceMut<T> {
        self.whole(at)
    }
}

/// A reference as an argument.
#[track_caller]
#[must_use]
pub fn coerced<R: CoercesTo<A, H>, A, H>(reference: R, _: H) -> A {
    reference.coerced(Location::caller())
}
