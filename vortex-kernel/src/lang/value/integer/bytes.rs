//! Numbers as bytes.

use std::panic::Location;

use super::{convert, here, of};
use crate::lang::base::constant::Constant;
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Int;
use crate::lang::place::memory::Indexable as _;
use crate::lang::recorder::placed;
use crate::lang::value::array::array;
use crate::lang::value::float::f32_from_bits;

/// The lowest byte first.
fn taken_apart<T: Int, const N: usize>(x: Lane<T>) -> [Lane<u8>; N] {
    std::array::from_fn(|n| convert(x >> of::<T>(8 * n as i64), here()))
}

fn put_together<T: Int, const N: usize>(bytes: [Lane<u8>; N]) -> Lane<T> {
    let all = (bytes.into_iter().enumerate())
        .map(|(n, byte)| {
            convert::<T::Unsigned, u8>(byte, here()) << of::<T::Unsigned>(8 * n as i64)
        })
        .reduce(|a, b| a | b);
    convert(all.unwrap_or_else(|| of(0)), here())
}

fn elements<const N: usize>(bytes: Lane<[u8; N]>) -> [Lane<u8>; N] {
    std::array::from_fn(|value| bytes.index(|| Constant { value }.lane()).get())
}

fn reversed<const N: usize>(mut bytes: [Lane<u8>; N]) -> [Lane<u8>; N] {
    bytes.reverse();
    bytes
}

macro_rules! bytes {
    ($($ty:ident $n:literal: $this:ident => $bits:expr, $from:expr;)*) => {$(
        impl Lane<$ty> {
            /// The bytes, the lowest first.
            #[track_caller]
            #[must_use]
            pub fn to_le_bytes(self) -> Lane<[u8; $n]> {
                let $this = self;
                placed(Location::caller(), || array(taken_apart($bits)))
            }

            /// The bytes, the highest first.
            #[track_caller]
            #[must_use]
            pub fn to_be_bytes(self) -> Lane<[u8; $n]> {
                let $this = self;
                placed(Location::caller(), || array(reversed(taken_apart($bits))))
            }

            /// The bytes as they lie in memory: the lowest first.
            #[track_caller]
            #[must_use]
            pub fn to_ne_bytes(self) -> Lane<[u8; $n]> {
                self.to_le_bytes()
            }

            /// The number with these bytes, the lowest first.
            #[track_caller]
            #[must_use]
            pub fn from_le_bytes(bytes: Lane<[u8; $n]>) -> Self {
                placed(Location::caller(), || $from(put_together(elements(bytes))))
            }

            /// The number with these bytes, the highest first.
            #[track_caller]
            #[must_use]
            pub fn from_be_bytes(bytes: Lane<[u8; $n]>) -> Self {
                placed(Location::caller(), || $from(put_together(reversed(elements(bytes)))))
            }

            /// The number with these bytes as they lie in memory: the lowest first.
            #[track_caller]
            #[must_use]
            pub fn from_ne_bytes(bytes: Lane<[u8; $n]>) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    )*};
}

bytes! {
    u8 1: x => x, std::convert::identity;
    i8 1: x => x, std::convert::identity;
    u16 2: x => x, std::convert::identity;
    i16 2: x => x, std::convert::identity;
    u32 4: x => x, std::convert::identity;
    i32 4: x => x, std::convert::identity;
    u64 8: x => x, std::convert::identity;
    i64 8: x => x, std::convert::identity;
    f32 4: x => x.to_bits(), |bits: Lane<u32>| f32_from_bits(bits);
}
