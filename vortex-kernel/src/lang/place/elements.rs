//! What has elements, so many of them.

use super::access::{Mutable, Place};
use super::local::Local;
use super::memory::{Indexable, IndexableInPlace, Slice, SliceMut};
use crate::lang::base::constant::Constant;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::types::{DeviceType, Element};

/// What a `for` of a kernel goes over: a range, or the elements of a slice or an array.
#[diagnostic::on_unimplemented(
    message = "a `for` in a kernel cannot go over `{Self}`",
    label = "neither a range nor a slice",
    note = "write `for i in 0..n` for numbers, `for x in slice` for the elements of a slice"
)]
pub trait Elements: Indexable {
    /// How many there are.
    #[doc(hidden)]
    #[track_caller]
    fn count(self) -> Lane<usize>;

    /// How many a place holds.
    #[doc(hidden)]
    #[track_caller]
    fn count_in(place: Mutable<Self>) -> Lane<usize>
    where
        Self: Staged,
    {
        place.get().count()
    }
}

impl<T: Element> Elements for Slice<T> {
    fn count(self) -> Lane<usize> {
        self.len()
    }
}

impl<T: Element> Elements for SliceMut<T> {
    fn count(self) -> Lane<usize> {
        self.len()
    }
}

impl<T: Element, const N: usize> Elements for Local<[T; N]> {
    fn count(self) -> Lane<usize> {
        self.len()
    }
}

impl<T: Element> Elements for Local<[T]> {
    fn count(self) -> Lane<usize> {
        self.len()
    }
}

impl<T: DeviceType, const N: usize> Elements for Lane<[T; N]> {
    fn count(self) -> Lane<usize> {
        self.len()
    }

    fn count_in(place: Mutable<Self>) -> Lane<usize> {
        place.len()
    }
}

impl<T: DeviceType, const N: usize> Elements for Place<[T; N]> {
    fn count(self) -> Lane<usize> {
        Constant { value: N }.lane()
    }
}

impl<S: Elements + IndexableInPlace> Elements for Mutable<S> {
    fn count(self) -> Lane<usize> {
        S::count_in(self)
    }
}
