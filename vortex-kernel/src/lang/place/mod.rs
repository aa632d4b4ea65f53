//! Places: locals, elements and fields, what they are read and written through, and the memory they lie in.
//!
//! [`Mutable`] and [`Place`] are places; `place_ref` reads and writes what a [`PlaceRef`](super::PlaceRef) says.

pub(in crate::lang) mod access;
pub(in crate::lang) mod coerced;
pub(in crate::lang) mod columns;
pub(in crate::lang) mod elements;
mod fits_kernels;
pub(in crate::lang) mod global;
pub(in crate::lang) mod indexed;
pub(in crate::lang) mod local;
pub(in crate::lang) mod memory;
pub(in crate::lang) mod place_ref;
pub(in crate::lang) mod pointer;
pub(in crate::lang) mod subslice;
pub(in crate::lang) mod tuple;
mod wide;

pub use access::{Mutable, Place, Readable, Writable, declared, get, mutable, set, update};
pub use coerced::{CoercesTo, IsShared, LentFor, NotTaken, Shared, TakenFor, shared};
pub use elements::Elements;
pub use fits_kernels::FitsKernels;
pub use global::{
    Changeable, Contents, Global, GlobalConstant, GlobalItem, HostItem, Named, OnHost, Static,
    contents, rows,
};
pub use indexed::{IndexedBy, IndexedMutBy};
pub use local::{LentAs, Local, LocalType, barrier, fence, lent, local};
pub use memory::{
    Indexable, IndexableInPlace, IndexableMut, IndexableMutInPlace, NumbersElements, Slice,
    SliceMut, SliceParts,
};
pub use pointer::{Pointer, Ptr, PtrMut, Reference};
pub use subslice::{
    AnySlice, Divisible, DivisibleInPlace, shared_subslice, shared_subslice_from,
    shared_subslice_inclusive, subslice, subslice_from, subslice_inclusive,
};
