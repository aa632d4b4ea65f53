//! Places: locals, elements and fields, what they are read and written through, and the memory they lie in.
//!
//! [`Mutable`] and [`Place`] are places; `place_ref` says where one is, and reads and writes it.

pub(in crate::lang) mod access;
pub(in crate::lang) mod coerced;
pub(in crate::lang) mod global;
pub(in crate::lang) mod local;
pub(in crate::lang) mod memory;
pub(in crate::lang) mod place_ref;
pub(in crate::lang) mod pointer;
pub(in crate::lang) mod slice_pattern;
pub(in crate::lang) mod slices;
pub(in crate::lang) mod sort;
pub(in crate::lang) mod staged;
pub(in crate::lang) mod subslice;

pub use access::{Mutable, Place, Readable, Writable, assign, declared, get, mutable, set, update};
pub use coerced::{CoercesTo, coerced};
pub use global::{
    Changeable, Contents, Global, GlobalConstant, GlobalItem, HostItem, Named, Static, contents,
    rows,
};
pub use local::{LentAs, Local, LocalType, barrier, fence, lent, local};
pub use memory::{Indexable, IndexableInPlace, NumbersElements, Slice, SliceMut, SliceParts};
pub use place_ref::PlaceRef;
pub use pointer::{Pointer, Ptr, PtrMut, RawPtr, RawPtrMut};
pub use slice_pattern::{
    Listed, Sliced, element, element_from_end, elements_between, has_elements, holds,
};
pub use slices::{ChangedInPlace, SliceOf};
pub use staged::Staged;
pub use subslice::{
    AnySlice, Divisible, DivisibleInPlace, shared_subslice, shared_subslice_from,
    shared_subslice_inclusive, subslice, subslice_from, subslice_inclusive,
};
