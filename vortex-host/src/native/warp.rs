//! Warp operations on the host, whose warps have one lane each: each lane only communicates with itself.

use super::combine::{Combine, CombineBits};

/// As in kernels: `warp::active()`.
#[must_use]
pub const fn active() -> u32 {
    1
}

/// As in kernels: `warp::elect()`.
#[must_use]
pub const fn elect() -> bool {
    true
}

/// As in kernels: `warp::all(condition)`.
#[must_use]
pub const fn all(condition: bool) -> bool {
    condition
}

/// As in kernels: `warp::any(condition)`.
#[must_use]
pub const fn any(condition: bool) -> bool {
    condition
}

/// As in kernels: `warp::uniform(condition)`.
#[must_use]
pub const fn uniform(_: bool) -> bool {
    true
}

/// As in kernels: `warp::ballot(condition)`.
#[must_use]
pub const fn ballot(condition: bool) -> u32 {
    condition as u32
}

/// As in kernels: `warp::broadcast(value)`.
#[must_use]
pub const fn broadcast<T: Copy>(value: T) -> T {
    value
}

macro_rules! shuffles {
    ($($name:ident)*) => {$(
        #[doc = concat!("As in kernels: `warp::", stringify!($name), "(value, n)`. There is no other lane.")]
        #[must_use]
        pub const fn $name<T: Copy>(value: T, _: usize) -> T {
            value
        }
    )*};
}

shuffles! { shuffle shuffle_up shuffle_down shuffle_xor }

macro_rules! combining {
    ($($bound:ident $neutral:expr; $reduce:ident $inclusive:ident $exclusive:ident;)*) => {$(
        #[doc = concat!("As in kernels: `warp::", stringify!($reduce), "(value)`.")]
        #[must_use]
        pub fn $reduce<T: $bound>(value: T) -> T {
            value
        }

        #[doc = concat!("As in kernels: `warp::", stringify!($inclusive), "(value)`.")]
        #[must_use]
        pub fn $inclusive<T: $bound>(value: T) -> T {
            value
        }

        #[doc = concat!("As in kernels: `warp::", stringify!($exclusive), "(value)`.")]
        #[must_use]
        pub fn $exclusive<T: $bound>(_: T) -> T {
            $neutral
        }
    )*};
}

combining! {
    Combine T::narrow(T::NEUTRAL[0]); reduce_add inclusive_add exclusive_add;
    Combine T::narrow(T::NEUTRAL[1]); reduce_min inclusive_min exclusive_min;
    Combine T::narrow(T::NEUTRAL[2]); reduce_max inclusive_max exclusive_max;
    CombineBits T::ONES; reduce_and inclusive_and exclusive_and;
    CombineBits T::ZEROS; reduce_or inclusive_or exclusive_or;
    CombineBits T::ZEROS; reduce_xor inclusive_xor exclusive_xor;
}
