//! Local memory: what the work items of a group share.

use std::marker::PhantomData;
use std::panic::Location;

use super::lane::Lane;
use super::memory::{Indexable, pointee};
use super::place::Mutable;
use super::recorder::{self, emit, emit_const, emit_void};
use crate::ir::{Alias, LocalId, MemoryObject, Op, Scope, Space, Type, Value};
use crate::meta::Element;

const POINTER: Type = Type::Ptr(Space::Local);

/// A `T` in local memory, of which every work group has its own: what `local::<T>()` gives.
///
/// An array `[T; N]` is indexed, checked like a slice; a scalar is `*x`. It starts with any contents.
pub struct Local<T: LocalType> {
    addr: Value,
    id: LocalId,
    ty: PhantomData<T>,
}

impl<T: LocalType> Copy for Local<T> {}

impl<T: LocalType> Clone for Local<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: LocalType> std::fmt::Debug for Local<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Local")
    }
}

/// What local memory can hold: scalars, structs, and arrays of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in local memory",
    label = "not a type that can lie in memory",
    note = "`local::<T>()` takes `f32`, `i32`, `u32`, `bool` and the other scalars, structs with `#[derive(vortex::DeviceType)]`, and arrays `[T; N]` of them"
)]
pub trait LocalType: Element {}

impl<T: Element> LocalType for T {}

/// Memory that the work items of a group share: `let tile = local::<[f32; 256]>();`.
///
/// Each group has its own, with any contents at first. What one item writes the others see after a [`barrier`].
#[track_caller]
#[must_use]
pub fn local<T: LocalType>() -> Local<T> {
    let at = Location::caller();
    // An object of no elements has an address like any other. One beyond all local memories is refused by the launch.
    let size = u32::try_from(size_of::<T>().max(1)).unwrap_or(u32::MAX);
    let id = recorder::new_local(at, |loc| MemoryObject {
        size,
        align: align_of::<T>() as u32,
        name: std::any::type_name::<T>().to_owned(),
        loc,
    });
    Local {
        addr: emit(Op::LocalAddr(id), POINTER, at),
        id,
        ty: PhantomData,
    }
}

/// Waits until all work items of the group have come here; what they wrote before, all of them see after it.
///
/// It must be reached by all items of the group or by none.
#[track_caller]
pub fn barrier() {
    emit_void(Op::Barrier, Location::caller());
}

/// Orders memory: what the item wrote before, all items of the launch see before anything it writes afterwards, and what it
/// reads afterwards it reads from memory anew. It waits for nobody.
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
        Mutable::at(pointee(self.addr, alias, Location::caller()))
    }
}

impl<T: Element, const N: usize> Indexable for Local<[T; N]> {
    type Place = Mutable<Lane<T>>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Mutable<Lane<T>> {
        let at = Location::caller();
        let whole = pointee(self.addr, Alias::Local(self.id), at);
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
