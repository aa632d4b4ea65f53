//! Raw pointers as values of a kernel, and what they point to.

use std::panic::Location;

use super::access::{Mutable, Place};
use crate::ir::Alias;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::recorder::PlaceRef;
use crate::types::{Element, RawPtr, RawPtrMut};

/// A `*const T` in a kernel: a device address to read from.
pub type Ptr<T> = Lane<RawPtr<T>>;

/// A `*mut T` in a kernel: a device address to read from and to write to.
pub type PtrMut<T> = Lane<RawPtrMut<T>>;

/// What `*p` accepts.
#[diagnostic::on_unimplemented(
    message = "only raw pointers can be dereferenced in a kernel",
    label = "not a `*const T` or `*mut T`"
)]
pub trait Pointer: Copy {
    /// What a dereference leads to.
    type Place;

    /// `*pointer`: what it points to.
    ///
    /// # Safety
    /// As for Rust's raw pointers: it must point to a `T` that may be accessed.
    #[track_caller]
    #[must_use]
    unsafe fn deref(self) -> Self::Place;
}

impl<T: Element> Pointer for Ptr<T> {
    type Place = Place<T>;

    unsafe fn deref(self) -> Place<T> {
        Place::at(PlaceRef::pointee(
            self.value(),
            Alias::Any,
            Location::caller(),
        ))
    }
}

impl<T: Element> Pointer for PtrMut<T> {
    type Place = Mutable<Lane<T>>;

    unsafe fn deref(self) -> Mutable<Lane<T>> {
        Mutable::at(PlaceRef::pointee(
            self.value(),
            Alias::Any,
            Location::caller(),
        ))
    }
}

/// What `*f(x)` accepts outside of `unsafe` blocks.
#[diagnostic::on_unimplemented(
    message = "dereferencing a raw pointer is unsafe",
    label = "a raw pointer, or no pointer at all",
    note = "write `unsafe {{ .. }}` around it, if the pointer is known to be valid; what is no pointer is read without \
            the `*`"
)]
pub trait Reference {
    /// What it refers to.
    type Place;

    /// The same.
    #[doc(hidden)]
    fn referred(self) -> Self::Place;
}

// No function may give one, which is said of the function.
#[diagnostic::do_not_recommend]
impl<S: Staged> Reference for Mutable<S> {
    type Place = Self;

    fn referred(self) -> Self {
        self
    }
}
