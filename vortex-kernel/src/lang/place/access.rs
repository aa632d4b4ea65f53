//! Places: `let mut` locals, elements, what pointers point to, and their fields.

use std::any::type_name;
use std::ops::Deref;
use std::panic::Location;

use crate::ir::Var;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, Whole, leaves, size, values_of, zero};
use crate::lang::base::written::{Written, written};
use crate::lang::opaque_debug;
use crate::lang::recorder::{self, At, PlaceRef, Reached, Root};
use crate::types::{DeviceType, Kind, Lanes, Mutables, Places, Struct, Words};

/// A place that can be assigned to: a `let mut` local of a kernel, an element of a `&mut [T]`, what
/// a `*mut T` points to, a field of these.
pub struct Mutable<S: Staged> {
    position: PlaceRef,
    parts: S::Parts,
}

/// A place that can only be read: an element of a `&[T]`, what a `*const T` points to, a field of these.
pub struct Place<T: DeviceType> {
    position: PlaceRef,
    parts: T::Fields<Places>,
}

opaque_debug! { Mutable<T: Staged> Place<T: DeviceType> }

written! {
    [S: Staged + Written<Type<'static>: 'static>] Mutable<S> => &'a mut S::Type<'static>;
    [T: DeviceType] Place<T> => &'a T;
}

impl<S: Staged> Copy for Mutable<S> {}

impl<S: Staged> Clone for Mutable<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceType> Copy for Place<T> {}

impl<T: DeviceType> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Whole> Deref for Mutable<S> {
    type Target = S::Parts;

    fn deref(&self) -> &S::Parts {
        &self.parts
    }
}

impl<T: DeviceType + Struct> Deref for Place<T> {
    type Target = T::Fields<Places>;

    fn deref(&self) -> &Self::Target {
        &self.parts
    }
}

impl<S: Staged> Mutable<S> {
    pub(in crate::lang) fn at(position: PlaceRef) -> Self {
        Self {
            position,
            parts: S::parts(position),
        }
    }

    pub(in crate::lang) const fn position(self) -> PlaceRef {
        self.position
    }

    /// Does `access` if the place is inside its slice, and records a fault otherwise.
    pub(in crate::lang) fn guarded<R: Staged>(
        self,
        access: impl FnOnce(Reached) -> R,
        otherwise: impl Fn(At) -> R,
    ) -> R {
        self.position.guarded(access, otherwise)
    }

    /// Reads the place. Outside its slice this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn get(self) -> S {
        self.position.get(Location::caller())
    }

    /// Assigns to the place. Outside its slice this is a fault, and writes nothing.
    #[track_caller]
    pub fn set(self, value: S) {
        self.position.set(value, Location::caller());
    }

    /// Assigns what `f` makes of the place's value; the place is found and checked once.
    #[track_caller]
    pub fn update(self, f: impl FnOnce(S) -> S) {
        self.position.update(f, Location::caller());
    }
}

impl<T: DeviceType> Place<T> {
    pub(in crate::lang) fn at(mut position: PlaceRef) -> Self {
        Self {
            position,
            parts: T::parts::<Places>(&mut position),
        }
    }

    /// What a value is read through as a place is.
    pub(in crate::lang) fn of_value(value: Lane<T>) -> Self {
        let values = recorder::new_list(values_of(value));
        Self::at(PlaceRef::new(Root::Values(values)))
    }

    pub(in crate::lang) const fn position(self) -> PlaceRef {
        self.position
    }

    /// Reads the place. Outside its slice this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn get(self) -> Lane<T> {
        self.position.get(Location::caller())
    }
}

/// A place, for [`get`].
///
/// Generated code calls functions and no methods of places: to find a method, rustc would want to know the
/// type of a number before anything has told it.
pub trait Readable {
    /// What it holds.
    type Value;

    /// Its value.
    #[doc(hidden)]
    fn read(self, at: &'static Location<'static>) -> Self::Value;
}

impl<S: Staged> Readable for Mutable<S> {
    type Value = S;

    fn read(self, at: At) -> S {
        self.position.get(at)
    }
}

impl<T: DeviceType> Readable for Place<T> {
    type Value = Lane<T>;

    fn read(self, at: At) -> Lane<T> {
        self.position.get(at)
    }
}

impl<T: DeviceType> Readable for Lane<T> {
    type Value = Self;

    fn read(self, _: At) -> Self {
        self
    }
}

/// Reads a place. Outside its slice this is a fault, and reads zero.
#[track_caller]
#[must_use]
pub fn get<P: Readable>(place: P) -> P::Value {
    place.read(Location::caller())
}

/// `place op= ..`: assigns what `f` makes of the place's value; the place is found and checked once.
#[track_caller]
pub fn update<P: Writable>(place: P, f: impl FnOnce(P::Value) -> P::Value) {
    place.update_place(f);
}

/// Says that a place can be assigned to.
#[diagnostic::on_unimplemented(
    message = "cannot assign to this, which is not declared as mutable",
    label = "this place is read-only",
    note = "write `&mut [T]` or `*mut T` for the kernel's parameter, and `let mut` for an array"
)]
pub trait Writable: Sized {
    /// What it holds.
    type Value;

    /// `place = value`.
    #[doc(hidden)]
    #[track_caller]
    fn set_place(self, value: Self::Value);

    /// `place = f(place)`.
    #[doc(hidden)]
    #[track_caller]
    fn update_place(self, f: impl FnOnce(Self::Value) -> Self::Value);

    /// `place = value`: the value is computed first, as in Rust.
    #[doc(hidden)]
    #[track_caller]
    fn assign(place: impl FnOnce() -> Self, value: impl FnOnce() -> Self::Value) {
        let value = value();
        place().set_place(value);
    }
}

impl<S: Staged> Writable for Mutable<S> {
    type Value = S;

    fn set_place(self, value: S) {
        self.set(value);
    }

    fn update_place(self, f: impl FnOnce(S) -> S) {
        self.update(f);
    }
}

/// `let mut` in a kernel: a local that can be assigned to, with its first value.
#[track_caller]
#[must_use]
pub fn mutable<S: Staged>(value: S) -> Mutable<S> {
    let local: Mutable<S> = room();
    local.set(value);
    local
}

/// `let x;` in a kernel: a local that gets its value before it is read, as has been checked.
#[track_caller]
#[must_use]
pub fn declared<S: Staged>() -> Mutable<S> {
    let local: Mutable<S> = room();
    if !S::IN_MEMORY {
        // A value for every way through the code, of which none is seen.
        local.set(zero(Location::caller()));
    }
    local
}

/// Room for a local, which is to be set before it is read.
#[track_caller]
pub(in crate::lang) fn room<S: Staged>() -> Mutable<S> {
    Mutable::at(if S::IN_MEMORY {
        let at = Location::caller();
        let (addr, alias) = recorder::new_private(size::<S>(), type_name::<S>(), at);
        PlaceRef::new(Root::Memory {
            addr,
            check: None,
            alias,
            at,
        })
    } else {
        let vars: Vec<_> = leaves::<S>()
            .into_iter()
            .map(|leaf| recorder::new_var(leaf.ty))
            .collect();
        PlaceRef::variables(vars.first().copied().unwrap_or(Var::from_u32(0)))
    })
}

/// `local = value`.
#[track_caller]
pub fn set<S: Staged>(local: Mutable<S>, value: impl FnOnce() -> S) {
    local.set(value());
}

impl Kind for Lanes {
    type Of<T: DeviceType> = Lane<T>;
    type Whole = Words;

    fn field<T: DeviceType>(whole: &mut Words, _: usize) -> Lane<T> {
        Lane::build(whole)
    }
}

impl Kind for Mutables {
    type Of<T: DeviceType> = Mutable<Lane<T>>;
    type Whole = PlaceRef;

    fn field<T: DeviceType>(whole: &mut PlaceRef, offset: usize) -> Mutable<Lane<T>> {
        Mutable::at(whole.part::<T>(offset))
    }
}

impl Kind for Places {
    type Of<T: DeviceType> = Place<T>;
    type Whole = PlaceRef;

    fn field<T: DeviceType>(whole: &mut PlaceRef, offset: usize) -> Place<T> {
        Place::at(whole.part::<T>(offset))
    }
}
