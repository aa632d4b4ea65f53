//! Combining values of a group's items on the host, with the device's results.

use vortex_kernel::lang::{Vec2, Vec3, Vec4};
use vortex_kernel::meta::{bf16, f16};

/// What can be added, and compared: numbers, and short vectors component by component.
pub trait Combine: Copy + Send + 'static {
    /// What it is combined as.
    #[doc(hidden)]
    type Wide: Copy;
    #[doc(hidden)]
    const NEUTRAL: [Self::Wide; 3];
    #[doc(hidden)]
    fn wide(self) -> Self::Wide;
    #[doc(hidden)]
    fn narrow(wide: Self::Wide) -> Self;
    #[doc(hidden)]
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    #[doc(hidden)]
    fn min(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    #[doc(hidden)]
    fn max(a: Self::Wide, b: Self::Wide) -> Self::Wide;
}

/// What can be combined bit by bit: integers and `bool`, and short vectors of these.
pub trait CombineBits: Copy + Send + 'static {
    #[doc(hidden)]
    const ZEROS: Self;
    #[doc(hidden)]
    const ONES: Self;
    #[doc(hidden)]
    fn and(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn or(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn xor(a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Combine for $ty {
            type Wide = Self;
            const NEUTRAL: [Self; 3] = [0, $ty::MAX, $ty::MIN];

            fn wide(self) -> Self {
                self
            }
            fn narrow(wide: Self) -> Self {
                wide
            }
            fn add(a: Self, b: Self) -> Self {
                a.wrapping_add(b)
            }
            fn min(a: Self, b: Self) -> Self {
                a.min(b)
            }
            fn max(a: Self, b: Self) -> Self {
                a.max(b)
            }
        }

        bits! { $ty 0 !0 }
    )*};
}

macro_rules! bits {
    ($ty:ident $zeros:expr, $ones:expr) => {
        impl CombineBits for $ty {
            const ZEROS: Self = $zeros;
            const ONES: Self = $ones;

            fn and(a: Self, b: Self) -> Self {
                a & b
            }
            fn or(a: Self, b: Self) -> Self {
                a | b
            }
            fn xor(a: Self, b: Self) -> Self {
                a ^ b
            }
        }
    };
    ($ty:ident $zeros:literal !$ones:literal) => {
        bits! { $ty $zeros, !$ones }
    };
}

integers! { i8 i16 i32 i64 u8 u16 u32 u64 isize usize }
bits! { bool false, true }

macro_rules! floats {
    ($($ty:ident $wide:expr, $narrow:expr;)*) => {$(
        impl Combine for $ty {
            type Wide = f32;
            const NEUTRAL: [f32; 3] = [0.0, f32::INFINITY, f32::NEG_INFINITY];

            fn wide(self) -> f32 {
                $wide(self)
            }
            fn narrow(wide: f32) -> Self {
                $narrow(wide)
            }
            fn add(a: f32, b: f32) -> f32 {
                a + b
            }
            fn min(a: f32, b: f32) -> f32 {
                a.min(b)
            }
            fn max(a: f32, b: f32) -> f32 {
                a.max(b)
            }
        }
    )*};
}

floats! {
    f32 |x| x, |x| x;
    f16 Self::to_f32, Self::from_f32;
    bf16 Self::to_f32, Self::from_f32;
}

macro_rules! vectors {
    ($($vec:ident [$($part:ident)*];)*) => {$(
        impl<T: Combine> Combine for $vec<T> {
            type Wide = $vec<T::Wide>;
            const NEUTRAL: [$vec<T::Wide>; 3] = {
                let [add, min, max] = T::NEUTRAL;
                [$vec { $($part: add),* }, $vec { $($part: min),* }, $vec { $($part: max),* }]
            };

            fn wide(self) -> Self::Wide {
                $vec { $($part: self.$part.wide()),* }
            }
            fn narrow(wide: Self::Wide) -> Self {
                $vec { $($part: T::narrow(wide.$part)),* }
            }
            fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide {
                $vec { $($part: T::add(a.$part, b.$part)),* }
            }
            fn min(a: Self::Wide, b: Self::Wide) -> Self::Wide {
                $vec { $($part: T::min(a.$part, b.$part)),* }
            }
            fn max(a: Self::Wide, b: Self::Wide) -> Self::Wide {
                $vec { $($part: T::max(a.$part, b.$part)),* }
            }
        }

        impl<T: CombineBits> CombineBits for $vec<T> {
            const ZEROS: Self = $vec { $($part: T::ZEROS),* };
            const ONES: Self = $vec { $($part: T::ONES),* };

            fn and(a: Self, b: Self) -> Self {
                $vec { $($part: T::and(a.$part, b.$part)),* }
            }
            fn or(a: Self, b: Self) -> Self {
                $vec { $($part: T::or(a.$part, b.$part)),* }
            }
            fn xor(a: Self, b: Self) -> Self {
                $vec { $($part: T::xor(a.$part, b.$part)),* }
            }
        }
    )*};
}

vectors! {
    Vec2 [x y];
    Vec3 [x y z];
    Vec4 [x y z w];
}
