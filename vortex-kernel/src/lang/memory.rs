//! Slices, raw pointers and the places they lead to.

use std::marker::PhantomData;
use std::panic::Location;

use super::flow::branch;
use super::lane::Lane;
use super::opaque_debug;
use super::recorder::{At, emit, emit_const, emit_void, type_of, undefined};
use super::staged::Staged;
use crate::ir::{Alias, BinOp, CmpOp, FaultKind, Op, Space, Type, Value};
use crate::meta::Element;

const POINTER: Type = Type::Ptr(Space::Global);

/// A `&[T]` in a kernel: elements that nobody writes during the launch.
pub struct Slice<T: Element> {
    parts: SliceParts,
    elem: PhantomData<T>,
}

/// A `&mut [T]` in a kernel: elements that are reached through no other argument.
pub struct SliceMut<T: Element> {
    parts: SliceParts,
    elem: PhantomData<T>,
}

/// A `*const T` in a kernel: a device address to read from.
pub struct Ptr<T: Element> {
    addr: Value,
    elem: PhantomData<T>,
}

/// A `*mut T` in a kernel: a device address to read from and to write to.
pub struct PtrMut<T: Element> {
    addr: Value,
    elem: PhantomData<T>,
}

/// What a slice is made of.
#[derive(Clone, Copy, Debug)]
pub struct SliceParts {
    pub(super) addr: Value,
    pub(super) len: Value,
    pub(super) alias: Alias,
}

opaque_debug! { Slice<T: Element> SliceMut<T: Element> Ptr<T: Element> PtrMut<T: Element> }

/// What is read through is not written through.
#[derive(Clone, Copy, Debug)]
pub struct ReadOnly;

/// What may be read and written through.
#[derive(Clone, Copy, Debug)]
pub struct ReadWrite;

/// Says that a place can be assigned to.
#[diagnostic::on_unimplemented(
    message = "cannot assign through a `&[T]` or a `*const T`",
    label = "this place is read-only",
    note = "declare the kernel's parameter as `&mut [T]` or `*mut T` to write through it"
)]
pub trait Writable {}

impl Writable for ReadWrite {}

/// What an index or a dereference leads to: `y[i]`, `*p`.
pub struct Place<T: Element, A = ReadOnly> {
    addr: Value,
    /// Index and length, for a place in a slice.
    within: Option<(Value, Value)>,
    pub(super) alias: Alias,
    at: At,
    kind: PhantomData<(T, A)>,
}

/// A [`Place`] that can be assigned to.
pub type PlaceMut<T> = Place<T, ReadWrite>;

impl<T: Element, A> Place<T, A> {
    /// A place that is known to exist.
    pub(super) fn unchecked(addr: Value, alias: Alias, at: At) -> Self {
        Self {
            addr,
            within: None,
            alias,
            at,
            kind: PhantomData,
        }
    }

    /// Reads the place. Outside its slice this is a fault, and reads zero.
    #[must_use]
    pub fn get(self) -> Lane<T> {
        self.guarded(
            |addr| self.load(addr),
            || Lane::new(emit_const(0, T::SCALAR.ir(), self.at)),
        )
    }

    /// Assigns to the place. Outside its slice this is a fault, and writes nothing.
    pub fn set(self, value: Lane<T>)
    where
        A: Writable,
    {
        self.guarded(|addr| self.store(addr, value), || ());
    }

    /// Assigns what `f` makes of the place's value; the place is found and checked once.
    pub fn update(self, f: impl FnOnce(Lane<T>) -> Lane<T>)
    where
        A: Writable,
    {
        self.guarded(|addr| self.store(addr, f(self.load(addr))), || ());
    }

    fn load(&self, addr: Value) -> Lane<T> {
        Lane::new(emit(
            Op::Load {
                ptr: addr,
                offset: 0,
                alias: self.alias,
            },
            T::SCALAR.ir(),
            self.at,
        ))
    }

    fn store(&self, addr: Value, value: Lane<T>) {
        let value = value.value();
        emit_void(
            Op::Store {
                ptr: addr,
                value,
                offset: 0,
                alias: self.alias,
            },
            self.at,
        );
    }

    /// Does `access` if the place is inside its slice, and records a fault otherwise.
    pub(super) fn guarded<R: Staged>(
        &self,
        access: impl FnOnce(Value) -> R,
        otherwise: impl FnOnce() -> R,
    ) -> R {
        let Some((index, len)) = self.within else {
            return access(self.addr);
        };
        let inside = emit(Op::Compare(CmpOp::Lt, index, len), Type::Bool, self.at);
        branch(
            inside,
            || access(element::<T>(self.addr, index, self.at)),
            || {
                emit_void(
                    Op::Fault {
                        kind: FaultKind::Index,
                        operands: [index, len],
                    },
                    self.at,
                );
                otherwise()
            },
            self.at,
        )
    }
}

fn element<T: Element>(base: Value, index: Value, at: At) -> Value {
    emit(
        Op::PtrAdd {
            base,
            index,
            scale: T::SCALAR.ir().bytes(),
        },
        type_of(base),
        at,
    )
}

/// What `x[i]` accepts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed in a kernel",
    label = "not a slice",
    note = "only `&[T]` and `&mut [T]` can be indexed, that is `Slice<T>` and `SliceMut<T>`"
)]
pub trait Indexable: Copy {
    /// What it holds.
    type Elem: Element;
    /// Whether that may be written.
    type Access;

    /// Address, length, and what an access reaches through.
    #[doc(hidden)]
    fn parts(self) -> SliceParts;

    /// `slice[index]`: a place, checked when it is read or written.
    #[track_caller]
    #[must_use]
    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<Self::Elem, Self::Access> {
        let SliceParts { addr, len, alias } = self.parts();
        Place {
            addr,
            within: Some((index().value(), len)),
            alias,
            at: Location::caller(),
            kind: PhantomData,
        }
    }
}

impl<T: Element> Indexable for Slice<T> {
    type Elem = T;
    type Access = ReadOnly;

    fn parts(self) -> SliceParts {
        self.parts
    }
}

impl<T: Element> Indexable for SliceMut<T> {
    type Elem = T;
    type Access = ReadWrite;

    fn parts(self) -> SliceParts {
        self.parts
    }
}

/// `place = value`: the value is computed first, as in Rust.
pub fn assign<T: Element, A: Writable>(
    place: impl FnOnce() -> Place<T, A>,
    value: impl FnOnce() -> Lane<T>,
) {
    let value = value();
    place().set(value);
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
            pub(super) fn new(addr: Value, len: Value, arg: u32) -> Self {
                Self::of(SliceParts { addr, len, alias: Alias::$alias(arg) })
            }

            fn of(parts: SliceParts) -> Self {
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
            fn values(self, out: &mut Vec<Value>) {
                out.extend([self.parts.addr, self.parts.len]);
            }

            fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
                let addr = values.next().unwrap_or(self.parts.addr);
                let len = values.next().unwrap_or(self.parts.len);
                Self::of(SliceParts { addr, len, ..self.parts })
            }

            fn either(self, other: Self) -> Self {
                if self.parts.alias == other.parts.alias { self } else { self.assignable() }
            }

            fn assignable(self) -> Self {
                Self::of(SliceParts { alias: Alias::Any, ..self.parts })
            }

            fn unreachable() -> Self {
                Self::of(SliceParts { addr: undefined(POINTER), len: undefined(Type::U32), alias: Alias::Any })
            }
        }
    )*};
}

slices! {
    Slice Shared;
    SliceMut Exclusive;
}

/// What `*p` accepts.
#[diagnostic::on_unimplemented(
    message = "only raw pointers can be dereferenced in a kernel",
    label = "not a `*const T` or `*mut T`"
)]
pub trait Pointer: Copy {
    /// What it points to.
    type Elem: Element;
    /// Whether that may be written.
    type Access;

    /// The address.
    #[doc(hidden)]
    fn addr(self) -> Value;

    /// `*pointer`: what it points to.
    ///
    /// # Safety
    /// As for Rust's raw pointers: it must point to a `T` that may be accessed.
    #[track_caller]
    #[must_use]
    unsafe fn deref(self) -> Place<Self::Elem, Self::Access> {
        Place::unchecked(self.addr(), Alias::Any, Location::caller())
    }
}

impl<T: Element> Pointer for Ptr<T> {
    type Elem = T;
    type Access = ReadOnly;

    fn addr(self) -> Value {
        self.addr
    }
}

impl<T: Element> Pointer for PtrMut<T> {
    type Elem = T;
    type Access = ReadWrite;

    fn addr(self) -> Value {
        self.addr
    }
}

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<T: Element> Copy for $pointer<T> {}

        impl<T: Element> Clone for $pointer<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T: Element> $pointer<T> {
            pub(super) fn new(addr: Value) -> Self {
                Self { addr, elem: PhantomData }
            }

            /// The pointer `count` elements further on.
            ///
            /// # Safety
            /// As for Rust's raw pointers: the result must stay within the allocation.
            #[track_caller]
            #[must_use]
            pub unsafe fn add(self, count: Lane<usize>) -> Self {
                Self::new(element::<T>(self.addr, count.value(), Location::caller()))
            }

            /// The pointer `count` elements back.
            ///
            /// # Safety
            /// As for Rust's raw pointers: the result must stay within the allocation.
            #[track_caller]
            #[must_use]
            pub unsafe fn sub(self, count: Lane<usize>) -> Self {
                let at = Location::caller();
                let zero = emit_const(0, Type::U32, at);
                let back = emit(Op::Binary(BinOp::Sub, zero, count.value()), Type::U32, at);
                Self::new(element::<T>(self.addr, back, at))
            }

            /// The pointer `count` elements on, or back when `count` is negative.
            ///
            /// # Safety
            /// As for Rust's raw pointers: the result must stay within the allocation.
            #[track_caller]
            #[must_use]
            pub unsafe fn offset(self, count: Lane<isize>) -> Self {
                Self::new(element::<T>(self.addr, count.value(), Location::caller()))
            }

            /// Whether it is the null pointer.
            #[track_caller]
            #[must_use]
            pub fn is_null(self) -> Lane<bool> {
                let at = Location::caller();
                let address = emit(Op::Bitcast(self.addr), Type::U32, at);
                let zero = emit_const(0, Type::U32, at);
                Lane::new(emit(Op::Compare(CmpOp::Eq, address, zero), Type::Bool, at))
            }
        }

        impl<T: Element> Staged for $pointer<T> {
            fn values(self, out: &mut Vec<Value>) {
                out.push(self.addr);
            }

            fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
                values.next().map_or(self, Self::new)
            }

            fn either(self, _: Self) -> Self {
                self
            }

            fn assignable(self) -> Self {
                self
            }

            fn unreachable() -> Self {
                Self::new(undefined(POINTER))
            }
        }
    )*};
}

pointers! {
    Ptr PtrMut
}
