//! `as`.

use std::cmp::Ordering;
use std::panic::Location;

use ::half::{bf16, f16};

use super::half::half_from_f32;
use super::overload::From;
use crate::ir::Op;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::numbers::Half;
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::recorder::{self, At, emit};
use crate::types::{DeviceType, Element, Scalar, Vec2, Vec3, Vec4, Word};

/// Scalars that `as` converts to `To`.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot cast `{Self}` as `{To}`",
    label = "no such cast",
    note = "an enum is chosen by `match`, and `bool` by comparing: `x != 0`, `x != 0.0`; of a `bool`, a float is made \
            by `b as u32 as f32`; a pointer is no number: it has `is_null`, `add` and `offset`",
    note = "numbers cast to numbers, `bool` and enums cast to integers; floats of 16 bits are no target of `as`, as on the host: write `x.to_f32()` and `f16::from_f32(x)`"
)]
pub trait CastTo<To: DeviceType>: DeviceType<Repr = Word> {
    /// `value as To`, with Rust's meaning. Of a type that nothing casts to, nothing else is asked: rustc complains only
    /// once.
    #[doc(hidden)]
    #[track_caller]
    fn cast(value: Lane<Self>) -> Lane<To>;
}

macro_rules! casts {
    ($($from:ident)* => $to:tt) => { $(casts!(@each $from $to);)* };
    (@each $from:ident [$($to:ident)*]) => {$(
        #[diagnostic::do_not_recommend]
        impl CastTo<$to> for $from {
            fn cast(value: Lane<Self>) -> Lane<$to> {
                convert(value, Location::caller())
            }
        }
    )*};
}

casts! {
    i8 i16 i32 u8 u16 u32 i64 u64 f32 usize isize => [i8 i16 i32 u8 u16 u32 i64 u64 f32 usize isize]
}
casts! { Ordering => [i8 i16 i32 u8 u16 u32 usize isize] }
casts! { bool => [bool i8 i16 i32 u8 u16 u32 i64 u64 usize isize] }

impl<T: DeviceType> From<T> for T {
    fn from(value: Lane<T>) -> Lane<T> {
        value
    }
}

/// Conversions that lose nothing, and what computes them.
macro_rules! lossless {
    ($convert:ident { $($to:ident: $($of:ident)*;)* }) => {$($(
        #[diagnostic::do_not_recommend]
        impl From<$of> for $to {
            #[track_caller]
            fn from(value: Lane<$of>) -> Lane<$to> {
                $convert(value, Location::caller())
            }
        }
    )*)*};
}

// As Rust has them, and of floats of 16 bits the crate `half`.
lossless! {
    convert {
        i8: bool;
        i16: bool i8 u8;
        i32: bool i8 i16 u8 u16;
        i64: bool i8 i16 i32 u8 u16 u32;
        isize: bool i8 i16 u8;
        u8: bool;
        u16: bool u8;
        u32: bool u8 u16;
        u64: bool u8 u16 u32;
        usize: bool u8 u16;
        f32: i8 i16 u8 u16 f16 bf16;
    }
}
lossless! { float_of_bool { f32: bool; } }
// These have 8 digits at least.
lossless! { half_of { f16: i8 u8; bf16: i8 u8; } }

fn float_of_bool(value: Lane<bool>, at: At) -> Lane<f32> {
    convert(convert::<u32, _>(value, at), at)
}

#[track_caller]
fn half_of<To: Half, Of: DeviceType<Repr = Word>>(value: Lane<Of>, at: At) -> Lane<To> {
    half_from_f32(convert(value, at))
}

macro_rules! vectors_of_arrays {
    ($($vec:ident $n:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element> From<[T; $n]> for $vec<T> {
            fn from(array: Lane<[T; $n]>) -> Lane<Self> {
                Staged::build(&mut words_of(values_of(array)))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element> From<$vec<T>> for [T; $n] {
            fn from(vector: Lane<$vec<T>>) -> Lane<Self> {
                Staged::build(&mut words_of(values_of(vector)))
            }
        }
    )*};
}

vectors_of_arrays! {
    Vec2 2;
    Vec3 3;
    Vec4 4;
}

/// `To::from(value)`, and `value.into()`.
#[track_caller]
#[must_use]
pub fn made_from<To: From<Of>, Of: DeviceType>(value: Lane<Of>) -> Lane<To> {
    To::from(value)
}

/// A conversion of any scalars, or of an enum's discriminant.
pub fn convert<To: Scalar, Of: DeviceType<Repr = Word>>(value: Lane<Of>, at: At) -> Lane<To> {
    if To::SCALAR.ir() == recorder::type_of(value.value()) {
        return Lane::new(value.value());
    }
    Lane::new(emit(Op::Cast(value.value()), To::SCALAR.ir(), at))
}
