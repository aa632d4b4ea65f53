//! Places: `let mut` locals, elements, what pointers point to, and their fields.

use std::ops::Deref;
use std::panic::Location;

use super::device_type::{DeviceType, Leaf, Places, Struct, Words};
use super::flow::branch;
use super::lane::{Lane, values_of};
use super::opaque_debug;
use super::recorder::{self, At, emit, emit_const, emit_void, type_of};
use super::staged::{Staged, Whole};
use crate::ir::{Alias, CmpOp, FaultKind, Op, Type, Value, Var};

/// A place that can be assigned to: a `let mut` local of a kernel, an element of a `&mut [T]`, what
/// a `*mut T` points to, a field of these.
pub struct Mutable<S: Staged> {
    position: Position,
    parts: S::Parts,
}

/// A place that can only be read: an element of a `&[T]`, what a `*const T` points to, a field of these.
pub struct Place<T: DeviceType> {
    position: Position,
    parts: T::Fields<Places>,
}

opaque_debug! { Mutable<T: Staged> Place<T: DeviceType> }

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

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    root: Root,
    /// In variables: the first one; they are numbered consecutively.
    first: u32,
    /// In memory: the displacement in bytes.
    offset: u32,
}

/// What a place is a part of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// A local.
    Variables,
    /// An element of a slice, or what a pointer points to.
    Memory {
        addr: Value,
        /// Index and length, for a place in a slice; checked when it is read or written.
        within: Option<(Value, Value)>,
        /// Bytes per element.
        scale: u32,
        alias: Alias,
        at: At,
    },
}

impl Position {
    pub(super) const fn new(root: Root) -> Self {
        Self {
            root,
            first: 0,
            offset: 0,
        }
    }

    /// The next part of this place, at `offset` in memory.
    pub(super) fn part<T: DeviceType>(&mut self, offset: usize) -> Self {
        let part = Self {
            offset: self.offset.wrapping_add(offset as u32),
            ..*self
        };
        self.first = self.first.wrapping_add(T::LEAVES);
        part
    }

    /// The part that the next variables hold, of something that never lies in memory.
    pub(super) fn next<S: Staged>(&mut self) -> Self {
        let part = *self;
        self.first = self.first.wrapping_add(leaves::<S>().len() as u32);
        part
    }

    fn get<S: Staged>(&self, at: At) -> S {
        match self.root {
            Root::Variables => {
                let values = self
                    .variables::<S>()
                    .map(|(var, leaf)| emit(Op::VarGet(var), leaf.ty, at));
                S::build(&mut Words::new(values.collect()))
            }
            Root::Memory { .. } => self.guarded(|ptr| self.load(ptr), zero::<S>),
        }
    }

    fn set<S: Staged>(&self, value: S, at: At) {
        match self.root {
            Root::Variables => {
                for ((var, _), value) in self.variables::<S>().zip(values_of(value)) {
                    emit_void(Op::VarSet(var, value), at);
                }
            }
            Root::Memory { .. } => self.guarded(|ptr| self.store(ptr, value), |_| ()),
        }
    }

    fn update<S: Staged>(&self, f: impl FnOnce(S) -> S, at: At) {
        match self.root {
            Root::Variables => self.set(f(self.get(at)), at),
            Root::Memory { .. } => {
                self.guarded(|ptr| self.store(ptr, f(self.load(ptr))), |_| ());
            }
        }
    }

    fn variables<S: Staged>(&self) -> impl Iterator<Item = (Var, Leaf)> {
        (self.first..).map(Var).zip(leaves::<S>())
    }

    fn load<S: Staged>(&self, (ptr, alias, at): Reached) -> S {
        let values = leaves::<S>().into_iter().map(|leaf| {
            let offset = self.displacement(leaf);
            emit(Op::Load { ptr, offset, alias }, leaf.ty, at)
        });
        S::build(&mut Words::new(values.collect()))
    }

    fn store<S: Staged>(&self, (ptr, alias, at): Reached, value: S) {
        for (leaf, value) in leaves::<S>().into_iter().zip(values_of(value)) {
            let offset = self.displacement(leaf);
            emit_void(
                Op::Store {
                    ptr,
                    value,
                    offset,
                    alias,
                },
                at,
            );
        }
    }

    /// Device types are far smaller than 2 GiB.
    fn displacement(&self, leaf: Leaf) -> i32 {
        self.offset.wrapping_add(leaf.offset).cast_signed()
    }

    /// Does `access` if the place is inside its slice, and records a fault otherwise.
    fn guarded<R: Staged>(
        &self,
        access: impl FnOnce(Reached) -> R,
        otherwise: impl FnOnce(At) -> R,
    ) -> R {
        let Root::Memory {
            addr,
            within,
            scale,
            alias,
            at,
        } = self.root
        else {
            return R::unreachable();
        };
        let Some((index, len)) = within else {
            return access((addr, alias, at));
        };
        let inside = emit(Op::Compare(CmpOp::Lt, index, len), Type::Bool, at);
        let element = || {
            let op = Op::PtrAdd {
                base: addr,
                index,
                scale,
            };
            emit(op, type_of(addr), at)
        };
        let fault = || {
            let fault = Op::Fault {
                kind: FaultKind::Index,
                operands: [index, len],
            };
            emit_void(fault, at);
            otherwise(at)
        };
        branch(inside, || access((element(), alias, at)), fault, at)
    }
}

/// An address that may be accessed, what it reaches through, and where the user says so.
pub(super) type Reached = (Value, Alias, At);

fn leaves<S: Staged>() -> Vec<Leaf> {
    let mut leaves = Vec::new();
    S::leaves(&mut leaves);
    leaves
}

/// What is read outside of a slice.
pub(super) fn zero<S: Staged>(at: At) -> S {
    let zeros = leaves::<S>().into_iter();
    let zeros = zeros.map(|leaf| emit_const(0, leaf.ty, at)).collect();
    S::build(&mut Words::new(zeros))
}

impl<S: Staged> Mutable<S> {
    pub(super) fn at(position: Position) -> Self {
        Self {
            position,
            parts: S::parts(position),
        }
    }

    /// Does `access` if the place is inside its slice, and records a fault otherwise.
    pub(super) fn guarded<R: Staged>(
        self,
        access: impl FnOnce(Reached) -> R,
        otherwise: impl FnOnce(At) -> R,
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
    pub(super) fn at(mut position: Position) -> Self {
        Self {
            position,
            parts: T::parts::<Places>(&mut position),
        }
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
    message = "cannot assign through a `&[T]` or a `*const T`",
    label = "this place is read-only",
    note = "declare the kernel's parameter as `&mut [T]` or `*mut T` to write through it"
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
    let vars: Vec<_> = leaves::<S>()
        .into_iter()
        .map(|leaf| recorder::new_var(leaf.ty))
        .collect();
    let local: Mutable<S> = Mutable::at(Position {
        root: Root::Variables,
        first: vars.first().map_or(0, |var| var.0),
        offset: 0,
    });
    local.set(value);
    local
}

/// `local = value`.
#[track_caller]
pub fn set<S: Staged>(local: Mutable<S>, value: impl FnOnce() -> S) {
    local.set(value());
}

/// `place = value`: the value is computed first, as in Rust.
#[track_caller]
pub fn assign<P: Writable>(place: impl FnOnce() -> P, value: impl FnOnce() -> P::Value) {
    let value = value();
    place().set_place(value);
}
