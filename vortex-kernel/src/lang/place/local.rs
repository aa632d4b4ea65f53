//! Local memory: what the work items of a group share.

use std::marker::PhantomData;
use std::panic::Location;

use super::access::Mutable;
use super::memory::{Indexable, Slice, SliceMut, SliceParts, indexed_alike};
use super::subslice::Divisible;
use crate::ir::{Alias, CmpOp, LocalId, MemoryObject, Op, Scope, Space, Type, Value};
use crate::lang::base::lane::Lane;
use crate::lang::base::written::written;
use crate::lang::recorder::{self, At, PlaceRef, emit, emit_const, emit_void};
use crate::types::Element;

const POINTER: Type = Type::Ptr(Space::Local);

/// A `T` in local memory, of which every work group has its own: what `local::<T>()` gives, and what a parameter
/// `&mut Local<[T]>` of a kernel is, whose length the launch says.
///
/// An array `[T; N]` and a `[T]` are indexed, checked like a slice; a scalar is `*x`. It starts with any contents.
pub struct Local<T: ?Sized> {
    addr: Value,
    id: LocalId,
    /// Elements of a `[T]`, which the launch gives it.
    count: Option<Value>,
    ty: PhantomData<T>,
}

written! { [T: ?Sized] Local<T> => Self; }

impl<T: ?Sized> Copy for Local<T> {}

impl<T: ?Sized> Clone for Local<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> std::fmt::Debug for Local<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Local")
    }
}

/// What local memory can hold: scalars, structs, and arrays of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in local memory",
    label = "not a type that can lie in memory",
    note = "`local::<T>()` takes `f32`, `i32`, `u32`, `bool` and the other scalars, structs with `#[derive(vortex::DeviceType)]`, and arrays `[T; N]` of them; \
            memory whose length the launch gives is a parameter of the kernel, `tile: &mut Local<[f32]>`"
)]
pub trait LocalType: Element {}

impl<T: Element> LocalType for T {}

impl<T: ?Sized> Local<T> {
    /// Where it is.
    pub(in crate::lang) fn address(&self) -> Value {
        self.addr
    }

    /// Which object it is.
    pub(in crate::lang) fn id(&self) -> LocalId {
        self.id
    }
}

/// Memory that the work items of a group share: `let tile = local::<[f32; 256]>();`.
///
/// Each group has its own, with any contents at first. What one item writes the others see after a [`barrier`].
#[track_caller]
#[must_use]
#[rustfmt::skip] // rustc shows this line of whoever gives values to it.
pub fn local<T: LocalType>() -> Local<T> { // `local::<[f32; 64]>()`: it has no values until items write some
    let at = Location::caller();
    // An object of no elements has an address like any other. One beyond all local memories is refused by the launch.
    let size = u32::try_from(size_of::<T>().max(1)).unwrap_or(u32::MAX);
    let id = recorder::new_local(at, |loc| MemoryObject {
        size,
        count: None,
        align: align_of::<T>() as u32,
        agreed: false,
        name: std::any::type_name::<T>().to_owned(),
        loc,
    });
    Local {
        addr: emit(Op::LocalAddr(id), POINTER, at),
        id,
        count: None,
        ty: PhantomData,
    }
}

/// A parameter `name: &mut Local<[T]>`, which has as many elements as the parameter's word says.
pub(in crate::lang) fn sized_by_launch<T: Element>(
    name: String,
    count: Value,
    at: At,
) -> Local<[T]> {
    let id = recorder::new_local(at, |loc| MemoryObject {
        size: u32::try_from(size_of::<T>().max(1)).unwrap_or(u32::MAX),
        count: Some(count),
        align: align_of::<T>() as u32,
        agreed: false,
        name,
        loc,
    });
    Local {
        addr: emit(Op::LocalAddr(id), POINTER, at),
        id,
        count: Some(count),
        ty: PhantomData,
    }
}

/// Waits until all work items of the group have come here; what they wrote before, all of them see after it.
///
/// It must be reached by all items of the group or by none.
#[track_caller]
pub fn barrier() {
    emit_void(Op::Barrier, Location::caller());
    recorder::with(|recorder| recorder.settled.barrier());
}

/// Orders memory: what the item wrote before, all items of the launch see before anything it writes afterwards, and
/// what it reads afterwards it reads from memory anew. It does not wait.
#[track_caller]
pub fn fence() {
    emit_void(Op::Fence(Scope::Device), Location::caller());
}

impl<T: Element> Local<T> {
    /// `*x`, of a scalar in local memory.
    #[track_caller]
    #[must_use]
    pub fn place(self) -> Mutable<Lane<T>> {
        let alias = Alias::Local(self.id);
        Mutable::at(PlaceRef::pointee(self.addr, alias, Location::caller()))
    }
}

indexed_alike! {
    [T: Element, const N: usize] Local<[T; N]>;
    [T: Element] Local<[T]>;
}

impl<T: Element, const N: usize> Indexable for Local<[T; N]> {
    type Place = Mutable<Lane<T>>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Mutable<Lane<T>> {
        let at = Location::caller();
        let whole = PlaceRef::pointee(self.addr, Alias::Local(self.id), at);
        Mutable::at(whole.element_of_array::<T, N>(index(), at))
    }
}

impl<T: Element, const N: usize> Local<[T; N]> {
    /// How many elements it has.
    #[track_caller]
    #[must_use]
    pub fn len(self) -> Lane<usize> {
        let at = Location::caller();
        Lane::new(emit_const(
            u32::try_from(N).unwrap_or(u32::MAX),
            Type::U32,
            at,
        ))
    }
}

impl<T: Element> Indexable for Local<[T]> {
    type Place = Mutable<Lane<T>>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Mutable<Lane<T>> {
        let at = Location::caller();
        let whole = PlaceRef::pointee(self.addr, Alias::Local(self.id), at);
        let index = index().value();
        Mutable::at(whole.element::<T>(index, || self.elements(at), at))
    }
}

impl<T> Local<[T]> {
    fn elements(self, at: At) -> Value {
        self.count.unwrap_or_else(|| emit_const(0, Type::U32, at))
    }

    /// How many elements the launch gives it.
    #[track_caller]
    #[must_use]
    pub fn len(self) -> Lane<usize> {
        Lane::new(self.elements(Location::caller()))
    }

    /// Whether the launch gives it no elements.
    #[track_caller]
    #[must_use]
    pub fn is_empty(self) -> Lane<bool> {
        let at = Location::caller();
        let (count, zero) = (self.elements(at), emit_const(0, Type::U32, at));
        Lane::new(emit(Op::Compare(CmpOp::Eq, count, zero), Type::Bool, at))
    }
}

impl<T: Element> Divisible<SliceMut<T>> for Local<[T]> {
    fn whole(self, at: At) -> SliceMut<T> {
        let alias = Alias::Local(self.id);
        SliceMut::of(SliceParts::new(self.addr, self.elements(at), alias, at))
    }
}

impl<T: Element, const N: usize> Divisible<SliceMut<T>> for Local<[T; N]> {
    fn whole(self, at: At) -> SliceMut<T> {
        let len = emit_const(u32::try_from(N).unwrap_or(u32::MAX), Type::U32, at);
        let alias = Alias::Local(self.id);
        SliceMut::of(SliceParts::new(self.addr, len, alias, at))
    }
}

/// What `&mut tile` of local memory can be to a function.
#[diagnostic::on_unimplemented(
    message = "this local memory is not what the function takes",
    label = "`{Self}` is passed here",
    note = "a `Local<[T; N]>` can be passed for a `&mut Local<[T; N]>`, a `&mut [T; N]`, a `&mut [T]` or a `&[T]`, a `&mut Local<[T]>` parameter for a \
            `&mut Local<[T]>`, a `&mut [T]` or a `&[T]`, and a `Local<T>` for a `&mut T`"
)]
pub trait LentAs<A, H> {
    /// The same memory.
    #[doc(hidden)]
    fn lent(self, at: At) -> A;
}

impl<T: ?Sized> LentAs<Self, i32> for Local<T> {
    fn lent(self, _: At) -> Self {
        self
    }
}

impl<T: Element> LentAs<Mutable<Lane<T>>, u8> for Local<T> {
    fn lent(self, at: At) -> Mutable<Lane<T>> {
        Mutable::at(PlaceRef::pointee(self.addr, Alias::Local(self.id), at))
    }
}

impl<T: Element> LentAs<Lane<T>, u8> for Local<T> {
    fn lent(self, at: At) -> Lane<T> {
        PlaceRef::pointee(self.addr, Alias::Local(self.id), at).get(at)
    }
}

impl<T: ?Sized, E: Element> LentAs<SliceMut<E>, u8> for Local<T>
where
    Self: Divisible<SliceMut<E>>,
{
    fn lent(self, at: At) -> SliceMut<E> {
        self.whole(at)
    }
}

impl<T: ?Sized, E: Element> LentAs<Slice<E>, u8> for Local<T>
where
    Self: Divisible<SliceMut<E>>,
{
    fn lent(self, at: At) -> Slice<E> {
        Slice::of(self.whole(at).parts)
    }
}

/// `&mut tile` of local memory, as an argument.
#[track_caller]
#[must_use]
pub fn lent<M: LentAs<A, H>, A, H>(memory: M, _: H) -> A {
    memory.lent(Location::caller())
}
