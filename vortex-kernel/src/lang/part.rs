//! Parts of slices: `&x[a..b]`.

use std::panic::Location;

use super::flow::branch;
use super::lane::Lane;
use super::memory::{Slice, SliceMut, SliceParts};
use super::recorder::{At, emit, emit_const, emit_void, type_of};
use crate::ir::{BinOp, CmpOp, FaultKind, Op, Type, Value};
use crate::meta::Element;

/// What has parts: slices.
#[diagnostic::on_unimplemented(
    message = "a part of `{Self}` cannot be taken in a kernel",
    label = "not a slice",
    note = "`&x[a..b]` is for `&[T]` and `&mut [T]`; index an array with `a[start + i]`"
)]
pub trait Divisible: Copy {
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

macro_rules! slices {
    ($($slice:ident)*) => {$(
        impl<T: Element> Divisible for $slice<T> {
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
    )*};
}

slices! { Slice SliceMut }

/// `x[start..end]`. Where that is not inside, it is a fault, and there are no elements.
#[track_caller]
pub fn part<S: Divisible>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
    end: impl FnOnce() -> Lane<usize>,
) -> S {
    between(slice, start().value(), end().value(), Location::caller())
}

/// `x[start..=end]`.
#[track_caller]
pub fn part_inclusive<S: Divisible>(
    slice: S,
    start: impl FnOnce() -> Lane<usize>,
    end: impl FnOnce() -> Lane<usize>,
) -> S {
    let at = Location::caller();
    let (start, end) = (start().value(), end().value());
    let one = emit_const(1, Type::U32, at);
    let end = emit(Op::Binary(BinOp::Add, end, one), Type::U32, at);
    between(slice, start, end, at)
}

/// `x[start..]`.
#[track_caller]
pub fn part_from<S: Divisible>(slice: S, start: impl FnOnce() -> Lane<usize>) -> S {
    let end = slice.parts().len;
    between(slice, start().value(), end, Location::caller())
}

/// `&x[..]`: for reading only.
pub fn shared<S: Divisible>(slice: S) -> S::Shared {
    slice.shared()
}

fn between<S: Divisible>(slice: S, start: Value, end: Value, at: At) -> S {
    let SliceParts { addr, len, alias } = slice.parts();
    let compare = |a, b| emit(Op::Compare(CmpOp::Le, a, b), Type::Bool, at);
    let (ordered, ends) = (compare(start, end), compare(end, len));
    let inside = emit(Op::Binary(BinOp::And, ordered, ends), Type::Bool, at);
    let count = || {
        let count = Op::Binary(BinOp::Sub, end, start);
        Lane::<usize>::new(emit(count, Type::U32, at))
    };
    let nothing = || {
        // Of the two ends, the one that is wrong, and what it must not pass.
        let select = |a, b| emit(Op::Select(ends, a, b), Type::U32, at);
        let operands = [select(start, end), select(end, len)];
        let kind = FaultKind::Index;
        emit_void(Op::Fault { kind, operands }, at);
        Lane::new(emit_const(0, Type::U32, at))
    };
    let len = branch(inside, count, nothing, at).value();
    let first = Op::PtrAdd {
        base: addr,
        index: start,
        scale: S::SIZE,
    };
    let addr = emit(first, type_of(addr), at);
    slice.with(SliceParts { addr, len, alias })
}
