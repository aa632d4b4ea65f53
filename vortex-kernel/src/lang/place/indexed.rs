//! `m[i]` and `m[(row, column)]` of types of the user's, which say themselves what an index leads to:
//! `#[vortex::device] impl Index<usize> for Matrix`.

use super::access::{Mutable, Place};
use super::memory::{Indexable, IndexableInPlace, IndexableMutInPlace, indexed_alike};
use crate::lang::base::lane::Lane;
use crate::lang::recorder::At;
use crate::types::DeviceType;

/// `m[at]` where it is read. For a type of your own, write `#[vortex::device] impl Index<usize> for ..`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed by `{At}`",
    label = "no such index",
    note = "slices and arrays are indexed by one `usize`: of what lies in rows, write `x[row * width + column]`; a \
            type of yours as `#[vortex::device] impl Index<..> for ..` says"
)]
pub trait Index<At: Indices>: DeviceType {
    /// What an index leads to.
    type Output: DeviceType;

    #[doc(hidden)]
    #[track_caller]
    fn index(this: Place<Self>, at: At::Staged) -> Lane<Self::Output>;
}

/// `m[at]` where it is written. For a type of your own, write `#[vortex::device] impl IndexMut<usize> for ..`.
#[diagnostic::on_unimplemented(
    message = "cannot assign to what an index of a `{Self}` leads to",
    label = "no such place",
    note = "of a type of yours, write `#[vortex::device] impl IndexMut<..> for {Self}`; slices and arrays are indexed \
            by one `usize`"
)]
pub trait IndexMut<At: Indices>: Index<At> {
    #[doc(hidden)]
    #[track_caller]
    fn index_mut(this: Mutable<Lane<Self>>, at: At::Staged) -> Mutable<Lane<Self::Output>>;
}

/// What stands between the brackets: a value, or several in a tuple.
pub trait Indices {
    /// The same in a kernel.
    type Staged: StagedIndices<Written = Self>;
}

/// The same in a kernel.
pub trait StagedIndices {
    /// What the user writes.
    type Written: Indices<Staged = Self>;
}

macro_rules! indices {
    ($(($($part:ident),*) $written:ty => $staged:ty;)*) => {$(
        impl<$($part: DeviceType),*> Indices for $written {
            type Staged = $staged;
        }

        impl<$($part: DeviceType),*> StagedIndices for $staged {
            type Written = $written;
        }
    )*};
}

indices! {
    (A) A => Lane<A>;
    (A, B) (A, B) => (Lane<A>, Lane<B>);
    (A, B, C) (A, B, C) => (Lane<A>, Lane<B>, Lane<C>);
}

// What is indexed by mistake has no index of its own.
#[diagnostic::do_not_recommend]
impl<T: Index<usize>> Indexable for Lane<T> {
    type Place = Lane<T::Output>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Lane<T::Output> {
        T::index(Place::of_value(self), index())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Index<usize>> Indexable for Place<T> {
    type Place = Lane<T::Output>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Lane<T::Output> {
        T::index(self, index())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Index<usize>> IndexableInPlace for Lane<T> {
    type Place = Lane<T::Output>;

    #[track_caller]
    fn element(place: Mutable<Self>, index: Lane<usize>, _: At) -> Lane<T::Output> {
        T::index(Place::at(place.position()), index)
    }
}

// Of these nothing can be assigned to, by whatever index.
indexed_alike! {
    [T: Index<usize>] Lane<T>;
    [T: Index<usize>] Place<T>;
}

impl<T: IndexMut<usize>> IndexableMutInPlace for Lane<T> {
    type Place = Mutable<Lane<T::Output>>;

    #[track_caller]
    fn element_mut(place: Mutable<Self>, index: Lane<usize>, _: At) -> Mutable<Lane<T::Output>> {
        T::index_mut(place, index)
    }
}

/// `m[at]` of what is no number: a tuple, or a variant of an enum.
#[diagnostic::on_unimplemented(
    message = "an index is one number, and this is something else",
    label = "not a `usize`",
    note = "slices and arrays are indexed by one `usize`: of what lies in rows, write `x[row * width + column]`"
)]
pub trait IndexedBy<At>: Copy {
    /// What an index leads to.
    type Place;

    /// `self[at]`, read.
    #[doc(hidden)]
    #[track_caller]
    fn indexed_by(self, at: At) -> Self::Place;
}

impl<T: Index<At::Written>, At: StagedIndices> IndexedBy<At> for Lane<T> {
    type Place = Lane<T::Output>;

    fn indexed_by(self, at: At) -> Lane<T::Output> {
        T::index(Place::of_value(self), at)
    }
}

impl<T: Index<At::Written>, At: StagedIndices> IndexedBy<At> for Place<T> {
    type Place = Lane<T::Output>;

    fn indexed_by(self, at: At) -> Lane<T::Output> {
        T::index(self, at)
    }
}

impl<T: Index<At::Written>, At: StagedIndices> IndexedBy<At> for Mutable<Lane<T>> {
    type Place = Lane<T::Output>;

    fn indexed_by(self, at: At) -> Lane<T::Output> {
        T::index(Place::at(self.position()), at)
    }
}

/// `m[at] = ..` of what is no number.
#[diagnostic::on_unimplemented(
    message = "cannot assign to what this index leads to",
    label = "this place is read-only, or has no such index",
    note = "slices and arrays are indexed by one `usize`; a type of yours is assigned to by `#[vortex::device] impl \
            IndexMut<..> for ..`, where it is in a `let mut`, or in what is `&mut`"
)]
pub trait IndexedMutBy<At>: Copy {
    /// What an index leads to.
    type Place;

    /// `self[at]`, written.
    #[doc(hidden)]
    #[track_caller]
    fn indexed_mut_by(self, at: At) -> Self::Place;
}

impl<T: IndexMut<At::Written>, At: StagedIndices> IndexedMutBy<At> for Mutable<Lane<T>> {
    type Place = Mutable<Lane<T::Output>>;

    fn indexed_mut_by(self, at: At) -> Mutable<Lane<T::Output>> {
        T::index_mut(self, at)
    }
}
