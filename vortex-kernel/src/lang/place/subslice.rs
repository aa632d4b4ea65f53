//! Parts of slices and arrays: `&x[a..b]`.

use std::panic::Location;

use super::access::{Mutable, Place};
use super::memory::{Slice, SliceMut, SliceParts};
use crate::ir::{BinOp, CmpOp, FaultKind, Op, Type, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::recorder::{
    self, At, PlaceRef, Reached, Root, emit, emit_const, emit_void, type_of,
};
use crate::types::{DeviceType, Element};

/// What has parts: slices, and arrays where they lie in memory.
#[diagnostic::on_unimplemented(
    message = "a part of `{Self}` cannot be taken in a kernel",
    label = "neither a slice nor an array",
    note = "`&x[a..b]` is for slices, arrays, and local memory"
)]
pub trait Divisible<Part: AnySlice>: Copy {
    /// All of it.
    #[doc(hidden)]
    fn whole(self, at: At) -> Part;
}

/// A slice, whether it can be written to or not.
pub trait AnySlice: Copy {
    /// The same that can only be read.
    type Shared;

    #[doc(hidden)]
    fn parts(self) -> SliceParts;

    /// The same kind of slice of other memory.
    #[doc(hidden)]
    #[must_use]
    fn with(self, parts: SliceParts) -> Self;

    /// Another kind of slice of the same memory.
    #[doc(hidden)]
    fn shared(self) -> Self::Shared;

    /// Bytes per element.
    #[doc(hidden)]
    const SIZE: u32;
}

/// What has parts while it is in a `let mut` local, or an element itself.
#[diagnostic::on_unimplemented(
    message = "a part of `{Self}` cannot be taken in a kernel",
    label = "neither a slice nor an array"
)]
pub trait DivisibleInPlace<Part: AnySlice>: Staged {
    /// All of it.
    #[doc(hidden)]
    fn whole(place: Mutable<Self>, at: At) -> Part;
}

impl<S: DivisibleInPlace<Part>, Part: AnySlice> Divisible<Part> for Mutable<S> {
    fn whole(self, at: At) -> Part {
        S::whole(self, at)
    }
}

macro_rules! slices {
    ($($slice:ident)*) => {$(
        impl<T: Element> AnySlice for $slice<T> {
            type Shared = Slice<T>;

            const SIZE: u32 = size_of::<T>() as u32;

            fn parts(self) -> SliceParts {
                self.parts
            }

            fn with(self, parts: SliceParts) -> Self {
                Self::of(parts)
            }

            fn shared(self) -> Slice<T> {
                Slice::of(self.parts)
            }
        }

        impl<T: Element> Divisible<Self> for $slice<T> {
            fn whole(self, _: At) -> Self {
                self
            }
        }

        impl<T: Element> DivisibleInPlace<Self> for $slice<T> {
            fn whole(place: Mutable<Self>, at: At) -> Self {
                place.position().get(at)
            }
        }
    )*};
}

slices! { Slice SliceMut }

impl PlaceRef {
    /// The elements of an array, as a slice. Outside of what it lies in this is a fault, and there are none.
    fn array<S: Staged, T: DeviceType, const N: usize>(
        self,
        at: At,
        slice: impl Fn(SliceParts) -> S,
    ) -> S {
        if let Root::Values(list) = self.root {
            let (addr, alias) = self.materialized::<T, N>(list, at);
            let len = emit_const(u32::try_from(N).unwrap_or(u32::MAX), Type::U32, at);
            return slice(SliceParts::new(addr, len, alias, at));
        }
        let Root::Memory { addr, alias, .. } = self.root else {
            return S::unreachable();
        };
        let inside = |(base, alias, _): Reached| {
            let index = emit_const(self.offset, Type::U32, at);
            let scale = 1;
            let first = emit(Op::PtrAdd { base, index, scale }, type_of(base), at);
            let len = emit_const(u32::try_from(N).unwrap_or(u32::MAX), Type::U32, at);
            slice(SliceParts::new(first, len, alias, at))
        };
        let outside = |_: At| {
            let none = emit_const(0, Type::U32, at);
            slice(SliceParts::new(addr, none, alias, at))
        };
        self.guarded(inside, outside)
    }
}

impl<T: Element, const N: usize> DivisibleInPlace<SliceMut<T>> for Lane<[T; N]> {
    fn whole(place: Mutable<Self>, at: At) -> SliceMut<T> {
        place
            .position()
            .array::<SliceMut<T>, T, N>(at, SliceMut::of)
    }
}

impl<T: Element, const N: usize> Divisible<Slice<T>> for Place<[T; N]> {
    fn whole(self, at: At) -> Slice<T> {
        self.position().array::<Slice<T>, T, N>(at, Slice::of)
    }
}

impl<T: Element, const N: usize> Divisible<Slice<T>> for Lane<[T; N]> {
    fn whole(self, at: At) -> Slice<T> {
        let values = recorder::new_list(values_of(self));
        let whole = PlaceRef::new(Root::Values(values));
        whole.array::<Slice<T>, T, N>(at, Slice::of)
    }
}

/// `x[start..end]`. Where that is not inside, it is a fault, and there are no elements.
#[track_caller]
pub fn subslice<S: Divisible<Part>, Part: AnySlice>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
    end: impl FnOnce() -> Lane<usize>,
) -> Part {
    let at = Location::caller();
    let slice = slice.whole(at);
    between(slice, start().value(), end().value(), Outside::Either, at)
}

/// `x[start..=end]`.
#[track_caller]
pub fn subslice_inclusive<S: Divisible<Part>, Part: AnySlice>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
    end: impl FnOnce() -> Lane<usize>,
) -> Part {
    let at = Location::caller();
    let slice = slice.whole(at);
    let (start, end) = (start().value(), end().value());
    let one = emit_const(1, Type::U32, at);
    let end = emit(Op::Binary(BinOp::Add, end, one), Type::U32, at);
    between(slice, start, end, Outside::Either, at)
}

/// `x[start..]`.
#[track_caller]
pub fn subslice_from<S: Divisible<Part>, Part: AnySlice>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
) -> Part {
    let at = Location::caller();
    let slice = slice.whole(at);
    let end = slice.parts().len;
    let start = start().value();
    let outside = Outside::Beyond(FaultKind::RangeStart, start);
    between(slice, start, end, outside, at)
}

/// `&x[start..end]`: for reading only.
#[track_caller]
pub fn shared_subslice<S: Divisible<Part>, Part: AnySlice>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
    end: impl FnOnce() -> Lane<usize>,
) -> Part::Shared {
    subslice(slice, start, end).shared()
}

/// `&x[start..=end]`.
#[track_caller]
pub fn shared_subslice_inclusive<S: Divisible<Part>, Part: AnySlice>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
    end: impl FnOnce() -> Lane<usize>,
) -> Part::Shared {
    subslice_inclusive(slice, start, end).shared()
}

/// `&x[start..]`.
#[track_caller]
pub fn shared_subslice_from<S: Divisible<Part>, Part: AnySlice>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
) -> Part::Shared {
    subslice_from(slice, start).shared()
}

/// What is told of elements that are not inside of their slice.
#[derive(Clone, Copy)]
pub(in crate::lang) enum Outside {
    /// Both ends are given, and either may be wrong.
    Either,
    /// One is given, this, and is greater than the length: a fault of this kind.
    Beyond(FaultKind, Value),
}

/// The elements from `start` to before `end`; where these are not inside, a fault, and no elements.
pub(in crate::lang) fn between<S: AnySlice>(
    slice: S,
    start: Value,
    end: Value,
    outside: Outside,
    at: At,
) -> S {
    let len = slice.parts().len;
    let compare = |a, b| emit(Op::Compare(CmpOp::Le, a, b), Type::Bool, at);
    let (ordered, ends) = (compare(start, end), compare(end, len));
    let inside = emit(Op::Binary(BinOp::And, ordered, ends), Type::Bool, at);
    let count = || {
        let count = Op::Binary(BinOp::Sub, end, start);
        Lane::<usize>::new(emit(count, Type::U32, at))
    };
    let nothing = || {
        let (kind, operands) = match outside {
            // The end is greater than the length, or less than the start: so it is known which of these comes with it.
            Outside::Either => {
                let other = emit(Op::Select(ends, start, len), Type::U32, at);
                (FaultKind::Range, [end, other])
            }
            Outside::Beyond(kind, given) => (kind, [given, len]),
        };
        let operands = operands.into();
        emit_void(Op::Fault { kind, operands }, at);
        Lane::new(emit_const(0, Type::U32, at))
    };
    let len = branch(inside, count, nothing, at).value();
    subslice_at(slice, start, len, at)
}

/// `len` elements from number `start` on. Nothing is checked.
pub(in crate::lang) fn subslice_at<S: AnySlice>(slice: S, start: Value, len: Value, at: At) -> S {
    let SliceParts { addr, alias, .. } = slice.parts();
    let first = Op::PtrAdd {
        base: addr,
        index: start,
        scale: S::SIZE,
    };
    let addr = emit(first, type_of(addr), at);
    slice.with(SliceParts { addr, len, alias })
}
