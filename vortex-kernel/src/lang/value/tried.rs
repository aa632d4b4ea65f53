//! `To::try_from(value)` and `value.try_into()`, of integers and of slices, and the arrays that slices begin and end
//! with.

use std::array::TryFromSliceError;
use std::num::TryFromIntError;
use std::panic::Location;

use super::arith;
use super::array::array;
use super::convert::{CastTo, convert};
use super::option::{Opt, element_at};
use super::result::Res;
use crate::ir::{BinOp, CmpOp, Op, Type, UnOp, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Int;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::base::truth::both;
use crate::lang::base::written::written;
use crate::lang::place::access::Readable;
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Indexable, Slice, SliceMut};
use crate::lang::recorder::{At, PlaceRef, emit, emit_const};
use crate::types::{DeviceType, Element, Leaf, Words};

/// What `To::try_from(value)` makes a `To` of, where it can, and what there is instead. That is a parameter, as rustc
/// would complain once more of a type that is to have one.
#[diagnostic::on_unimplemented(
    message = "`try_from` and `try_into` make no `{To}` of this in a kernel",
    label = "no such conversion",
    note = "they make integers of integers, `u8::try_from(n)`, and arrays of slices of numbers, `x[..4].try_into()`; \
            other numbers are converted by `as`, an array's elements one by one"
)]
pub trait TryTo<To: DeviceType, Error> {
    /// The conversion, at this place of the kernel.
    #[doc(hidden)]
    fn try_to(self, at: At) -> Res<Lane<To>, Error>;
}

/// `To::try_from(value)`, and `value.try_into()`: `Ok` if the value is one of `To`.
#[track_caller]
pub fn try_from<To: DeviceType, Error>(value: impl TryTo<To, Error>) -> Res<Lane<To>, Error> {
    value.try_to(Location::caller())
}

#[diagnostic::do_not_recommend]
impl<To: Int + CastTo<Of>, Of: Int + CastTo<To>> TryTo<To, NotInRange> for Lane<Of> {
    fn try_to(self, at: At) -> Res<Lane<To>, NotInRange> {
        let converted: Lane<To> = convert(self, at);
        let back: Lane<Of> = convert(converted, at);
        let same = arith::compare(CmpOp::Eq, back.value(), self.value(), at);
        let signs = [is_negative(self, at), is_negative(converted, at)];
        let same_sign = match signs {
            [None, None] => None,
            [None, Some(negative)] | [Some(negative), None] => {
                Some(emit(Op::Unary(UnOp::Not, negative), Type::Bool, at))
            }
            [Some(a), Some(b)] => Some(arith::compare(CmpOp::Eq, a, b, at)),
        };
        let fits = same_sign.map_or(same, |same_sign| both(same, same_sign, at));
        Res::of(Lane::new(fits), converted, NotInRange)
    }
}

/// Whether a value is less than zero, if one of its type can be.
fn is_negative<T: Int>(value: Lane<T>, at: At) -> Option<Value> {
    let ty = T::SCALAR.ir();
    ty.is_signed().then(|| {
        let zero = emit_const(0, ty, at);
        arith::compare(CmpOp::Lt, value.value(), zero, at)
    })
}

macro_rules! arrays_of_slices {
    ($($slice:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, const N: usize> TryTo<[T; N], OfAnotherLength> for $slice<T> {
            fn try_to(self, at: At) -> Res<Lane<[T; N]>, OfAnotherLength> {
                let (len, first) = (self.len().value(), number(0, at));
                elements(self, CmpOp::Eq, len, first, at).ok_or(OfAnotherLength)
            }
        }
    )*};
}

arrays_of_slices! { Slice SliceMut }

macro_rules! chunks {
    ($($slice:ty $(, $n:ident)?;)*) => {$(
        impl<T: Element $(, const $n: usize)?> $slice {
            /// The first elements, if there are as many.
            #[track_caller]
            #[must_use]
            pub fn first_chunk<const M: usize>(self) -> Opt<Lane<[T; M]>> {
                let at = Location::caller();
                elements(self, CmpOp::Le, self.len().value(), number(0, at), at)
            }

            /// The last elements, if there are as many.
            #[track_caller]
            #[must_use]
            pub fn last_chunk<const M: usize>(self) -> Opt<Lane<[T; M]>> {
                let at = Location::caller();
                let len = self.len().value();
                // Of fewer elements this is beyond the end.
                let first = Op::Binary(BinOp::Sub, len, number(M, at));
                elements(self, CmpOp::Le, len, emit(first, Type::U32, at), at)
            }
        }
    )*};
}

chunks! {
    Slice<T>;
    SliceMut<T>;
    Local<[T; N]>, N;
    Lane<[T; N]>, N;
}

/// `N` elements from `first` on, if `N` compares so with the length.
fn elements<T: DeviceType, const N: usize, S>(
    slice: S,
    compares: CmpOp,
    len: Value,
    first: Value,
    at: At,
) -> Opt<Lane<[T; N]>>
where
    S: Indexable,
    S::Place: Readable<Value = Lane<T>>,
{
    let fits = emit(Op::Compare(compares, number(N, at), len), Type::Bool, at);
    let element = |n| {
        let index = emit(Op::Binary(BinOp::Add, first, number(n, at)), Type::U32, at);
        element_at(slice, Lane::new(index), at)
    };
    let read = || array(std::array::from_fn(element));
    Opt::of(Lane::new(fits), branch(fits, read, || zero(at), at))
}

fn number(n: usize, at: At) -> Value {
    emit_const(u32::try_from(n).unwrap_or(u32::MAX), Type::U32, at)
}

/// Errors of which there is nothing to know.
macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident = $host:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        written! { [] $name => $host; }

        impl Staged for $name {
            type Parts = ();

            fn leaves(_: &mut Vec<Leaf>) {}

            fn build(_: &mut Words) -> Self {
                Self
            }

            fn parts(_: PlaceRef) {}

            fn values(self, _: &mut Vec<Value>) {}

            fn rebuild(self, _: &mut dyn Iterator<Item = Value>) -> Self {
                self
            }

            fn either(self, _: Self) -> Self {
                self
            }
        }
    )*};
}

errors! {
    /// The error of `u8::try_from(n)`: a `TryFromIntError`.
    NotInRange = TryFromIntError;
    /// The error of making an array of a slice that is shorter or longer: a `TryFromSliceError`.
    OfAnotherLength = TryFromSliceError;
}
