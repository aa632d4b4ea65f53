//! Slices.

use std::marker::PhantomData;
use std::panic::Location;

use super::access::{Mutable, Place};
use crate::ir::{Alias, CmpOp, Op, Shape, Space, Type, Value};
use crate::lang::base::lane::{Lane, address_of_element};
use crate::lang::base::staged::Staged;
use crate::lang::base::written::written;
use crate::lang::opaque_debug;
use crate::lang::recorder::{At, PlaceRef, emit, emit_const, type_of};
use crate::types::{Element, Leaf, Words};

const POINTER: Type = Type::Ptr(Space::Global);

/// A `&[T]` in a kernel: elements that are not written during the launch.
pub struct Slice<T: Element> {
    pub(in crate::lang) parts: SliceParts,
    elem: PhantomData<T>,
}

/// A `&mut [T]` in a kernel: elements that are reached through no other argument.
pub struct SliceMut<T: Element> {
    pub(in crate::lang) parts: SliceParts,
    elem: PhantomData<T>,
}

/// What a slice is made of.
#[derive(Clone, Copy, Debug)]
pub struct SliceParts {
    pub(in crate::lang) addr: Value,
    pub(in crate::lang) len: Value,
    pub(in crate::lang) alias: Alias,
}

opaque_debug! { Slice<T: Element> SliceMut<T: Element> }

written! {
    [T: Element] Slice<T> => &'a [T];
    [T: Element] SliceMut<T> => &'a mut [T];
}

impl SliceParts {
    /// Elements in any memory. To slices all of it is alike, as it is to the device.
    pub(in crate::lang) fn new(addr: Value, len: Value, alias: Alias, at: At) -> Self {
        let addr = match type_of(addr) {
            POINTER => addr,
            _ => emit(Op::Bitcast(addr), POINTER, at),
        };
        Self { addr, len, alias }
    }

    pub(in crate::lang) fn element<T: Element>(self, index: Lane<usize>, at: At) -> PlaceRef {
        PlaceRef::pointee(self.addr, self.alias, at).element::<T>(index.value(), || self.len, at)
    }

    /// An element of which it is known that there is one, so that nothing is checked.
    pub(in crate::lang) fn element_inside<T: Element>(self, index: Value, at: At) -> PlaceRef {
        PlaceRef::pointee(
            address_of_element::<T>(self.addr, index, at),
            self.alias,
            at,
        )
    }
}

/// What elements are numbered by.
#[diagnostic::on_unimplemented(
    message = "an index is a `usize`, and this is `{Self}`",
    label = "expected `usize`",
    note = "write `as usize` after it: `x[i as usize]`"
)]
pub trait NumbersElements: crate::lang::DeviceType {
    /// The number of an element.
    #[doc(hidden)]
    fn number(index: Lane<Self>) -> Lane<usize>;
}

#[diagnostic::do_not_recommend]
impl NumbersElements for usize {
    fn number(index: Lane<usize>) -> Lane<usize> {
        index
    }
}

/// What `x[i]` accepts.
#[diagnostic::on_unimplemented(
    message = "this cannot be indexed in a kernel: it is neither a slice nor an array",
    label = "not a slice or an array",
    note = "`&[T]`, `&mut [T]` and arrays can be indexed, and have one index: of what lies in rows, write `x[row * \
                width + column]`"
)]
pub trait Indexable: Copy {
    /// What an index leads to.
    type Place;

    /// `slice[index]`: a place, checked when it is read or written.
    #[track_caller]
    #[must_use]
    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Self::Place;
}

impl<T: Element> Indexable for Slice<T> {
    type Place = Place<T>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<T> {
        Place::at(self.parts.element::<T>(index(), Location::caller()))
    }
}

impl<T: Element> Indexable for SliceMut<T> {
    type Place = Mutable<Lane<T>>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Mutable<Lane<T>> {
        Mutable::at(self.parts.element::<T>(index(), Location::caller()))
    }
}

/// What has elements while it is in a `let mut` local, or an element itself.
#[diagnostic::on_unimplemented(
    message = "this cannot be indexed in a kernel: it is neither a slice nor an array",
    label = "not a slice or an array"
)]
pub trait IndexableInPlace: Staged {
    /// What an index leads to.
    type Place;

    /// The element at `index`.
    #[doc(hidden)]
    #[track_caller]
    fn element(place: Mutable<Self>, index: Lane<usize>, at: At) -> Self::Place;
}

impl<S: IndexableInPlace> Indexable for Mutable<S> {
    type Place = S::Place;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> S::Place {
        S::element(self, index(), Location::caller())
    }
}

/// What `x[i] = ..` accepts.
#[diagnostic::on_unimplemented(
    message = "this cannot be indexed in a kernel: it is neither a slice nor an array",
    label = "not a slice or an array"
)]
pub trait IndexableMut: Copy {
    /// What an index leads to.
    type Place;

    /// `slice[index]`: a place, checked when it is written.
    #[track_caller]
    #[must_use]
    fn index_mut(self, index: impl FnOnce() -> Lane<usize>) -> Self::Place;
}

/// The same where it is in a `let mut` local, or an element itself.
#[diagnostic::on_unimplemented(
    message = "this cannot be indexed in a kernel: it is neither a slice nor an array",
    label = "not a slice or an array",
    note = "a type of yours is assigned to by its index as `#[vortex::device] impl IndexMut<usize> for ..` says"
)]
pub trait IndexableMutInPlace: Staged {
    /// What an index leads to.
    type Place;

    /// The element at `index`.
    #[doc(hidden)]
    #[track_caller]
    fn element_mut(place: Mutable<Self>, index: Lane<usize>, at: At) -> Self::Place;
}

impl<S: IndexableMutInPlace> IndexableMut for Mutable<S> {
    type Place = S::Place;

    fn index_mut(self, index: impl FnOnce() -> Lane<usize>) -> S::Place {
        S::element_mut(self, index(), Location::caller())
    }
}

/// Of what the language has, an index leads to one place, be that read or written.
macro_rules! indexed_alike {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::lang::place::memory::IndexableMut for $ty {
            type Place = <Self as $crate::lang::place::memory::Indexable>::Place;

            fn index_mut(self, index: impl FnOnce() -> Lane<usize>) -> Self::Place {
                $crate::lang::place::memory::Indexable::index(self, index)
            }
        }
    )*};
}
pub(in crate::lang) use indexed_alike;

/// The same of what can be in a `let mut` local.
macro_rules! indexed_alike_in_place {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::lang::place::memory::IndexableMutInPlace for $ty {
            type Place = <Self as $crate::lang::place::memory::IndexableInPlace>::Place;

            fn element_mut(place: Mutable<Self>, index: Lane<usize>, at: At) -> Self::Place {
                $crate::lang::place::memory::IndexableInPlace::element(place, index, at)
            }
        }
    )*};
}
pub(in crate::lang) use indexed_alike_in_place;

indexed_alike! {
    [T: Element] Slice<T>;
    [T: Element] SliceMut<T>;
}

indexed_alike_in_place! {
    [T: Element] Slice<T>;
    [T: Element] SliceMut<T>;
}

impl<T: Element> IndexableInPlace for Slice<T> {
    type Place = Place<T>;

    fn element(place: Mutable<Self>, index: Lane<usize>, at: At) -> Place<T> {
        let slice = place.position().get::<Self>(at);
        Place::at(slice.parts.element::<T>(index, at))
    }
}

impl<T: Element> IndexableInPlace for SliceMut<T> {
    type Place = Mutable<Lane<T>>;

    fn element(place: Mutable<Self>, index: Lane<usize>, at: At) -> Mutable<Lane<T>> {
        let slice = place.position().get::<Self>(at);
        Mutable::at(slice.parts.element::<T>(index, at))
    }
}

macro_rules! slices {
    ($($slice:ident $alias:ident;)*) => {$(
        impl<T: Element> Copy for $slice<T> {}

        impl<T: Element> Clone for $slice<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T: Element> $slice<T> {
            pub(in crate::lang) fn new(addr: Value, len: Value, arg: u32) -> Self {
                Self::of(SliceParts { addr, len, alias: Alias::$alias(arg) })
            }

            pub(in crate::lang) fn of(parts: SliceParts) -> Self {
                Self { parts, elem: PhantomData }
            }

            /// The number of elements.
            #[must_use]
            pub fn len(self) -> Lane<usize> {
                Lane::new(self.parts.len)
            }

            /// Whether there are no elements.
            #[track_caller]
            #[must_use]
            pub fn is_empty(self) -> Lane<bool> {
                let at = Location::caller();
                let zero = emit_const(0, Type::U32, at);
                Lane::new(emit(Op::Compare(CmpOp::Eq, self.parts.len, zero), Type::Bool, at))
            }
        }

        impl<T: Element> Staged for $slice<T> {
            type Parts = ();

            fn leaves(out: &mut Vec<Leaf>) {
                out.extend([Leaf::new(0, POINTER), Leaf::new(4, Type::U32)]);
            }

            fn shape() -> Shape {
                Shape::Slice {
                    element: Box::new(T::shape()),
                    is_mut: matches!(Alias::$alias(0), Alias::Exclusive(_)),
                }
            }

            fn build(words: &mut Words) -> Self {
                let (addr, len) = (words.next(POINTER), words.next(Type::U32));
                Self::of(SliceParts { addr, len, alias: Alias::Unknown })
            }

            fn parts(_: PlaceRef) {}

            fn values(self, out: &mut Vec<Value>) {
                out.extend([self.parts.addr, self.parts.len]);
            }

            fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
                let addr = values.next().unwrap_or(self.parts.addr);
                let len = values.next().unwrap_or(self.parts.len);
                Self::of(SliceParts { addr, len, ..self.parts })
            }

            fn either(self, other: Self) -> Self {
                if self.parts.alias == other.parts.alias {
                    return self;
                }
                Self::of(SliceParts { alias: Alias::Unknown, ..self.parts })
            }
        }
    )*};
}

slices! {
    Slice Shared;
    SliceMut Exclusive;
}
