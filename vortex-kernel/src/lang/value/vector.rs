//! Short vectors: two, three or four numbers of one type.
//!
//! They are structs like any of the user's, with operators and methods of their own.

use std::ops::{
    Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign,
};
use std::panic::Location;

use super::operators::{arithmetic, divide};
use super::overload;
use crate::ir::{BinOp, SourceLoc};
use crate::lang::StageError;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::numbers::{Num, Signed};
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::place::access::{Mutable, Place};
use crate::lang::place::memory::{
    Indexable, IndexableInPlace, indexed_alike, indexed_alike_in_place,
};
use crate::lang::recorder::{self, At, PlaceRef, Root, const_of};
use crate::types::{DeviceType, Element, Scalar, Vec2, Vec3, Vec4, Word};

/// What [`vec2`], [`vec3`] and [`vec4`] make vectors of: numbers and `bool`s, in kernels and on the host.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a component of a vector",
    label = "expected a number or a `bool`"
)]
pub trait Component: Sized {
    #[doc(hidden)]
    type Vec2;
    #[doc(hidden)]
    type Vec3;
    #[doc(hidden)]
    type Vec4;

    #[doc(hidden)]
    fn vec2(parts: [Self; 2]) -> Self::Vec2;
    #[doc(hidden)]
    fn vec3(parts: [Self; 3]) -> Self::Vec3;
    #[doc(hidden)]
    fn vec4(parts: [Self; 4]) -> Self::Vec4;
}

impl<T: Element + DeviceType<Repr = Word>> Component for Lane<T> {
    type Vec2 = Lane<Vec2<T>>;
    type Vec3 = Lane<Vec3<T>>;
    type Vec4 = Lane<Vec4<T>>;

    fn vec2(parts: [Self; 2]) -> Lane<Vec2<T>> {
        whole(parts)
    }

    fn vec3(parts: [Self; 3]) -> Lane<Vec3<T>> {
        whole(parts)
    }

    fn vec4(parts: [Self; 4]) -> Lane<Vec4<T>> {
        whole(parts)
    }
}

macro_rules! components {
    ($($ty:ty)*) => {$(
        impl Component for $ty {
            type Vec2 = Vec2<$ty>;
            type Vec3 = Vec3<$ty>;
            type Vec4 = Vec4<$ty>;

            fn vec2(parts: [Self; 2]) -> Vec2<$ty> {
                parts.into()
            }

            fn vec3(parts: [Self; 3]) -> Vec3<$ty> {
                parts.into()
            }

            fn vec4(parts: [Self; 4]) -> Vec4<$ty> {
                parts.into()
            }
        }
    )*};
}

components! { bool i8 i16 i32 i64 u8 u16 u32 u64 f32 half::f16 half::bf16 }

/// Numbers of the host that have a lesser and a greater one, as in kernels.
pub trait Compared: Copy {
    #[doc(hidden)]
    fn lesser(self, other: Self) -> Self;
    #[doc(hidden)]
    fn greater(self, other: Self) -> Self;
}

macro_rules! compared {
    ($($ty:ty)*) => {$(
        impl Compared for $ty {
            fn lesser(self, other: Self) -> Self {
                self.min(other)
            }

            fn greater(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}

compared! { i8 i16 i32 i64 u8 u16 u32 u64 f32 half::f16 half::bf16 }

/// A vector of two: `vec2(1.0, x)`, in kernels and on the host.
pub fn vec2<C: Component>(x: C, y: C) -> C::Vec2 {
    C::vec2([x, y])
}

/// A vector of three.
pub fn vec3<C: Component>(x: C, y: C, z: C) -> C::Vec3 {
    C::vec3([x, y, z])
}

/// A vector of four.
pub fn vec4<C: Component>(x: C, y: C, z: C, w: C) -> C::Vec4 {
    C::vec4([x, y, z, w])
}

/// A vector of components of another.
pub fn swizzled<V, R>(vector: V, components: impl FnOnce(V) -> R) -> R {
    components(vector)
}

fn whole<T: DeviceType<Repr = Word>, V: DeviceType>(
    parts: impl IntoIterator<Item = Lane<T>>,
) -> Lane<V> {
    let values = parts.into_iter().map(Lane::value).collect();
    Lane::build(&mut words_of(values))
}

fn parts<T: DeviceType<Repr = Word>, V: DeviceType>(vector: Lane<V>) -> Vec<Lane<T>> {
    values_of(vector).into_iter().map(Lane::new).collect()
}

/// Each component of one vector with that of the other.
fn each<T: Scalar, V: DeviceType>(
    a: Lane<V>,
    b: Lane<V>,
    f: impl Fn(Lane<T>, Lane<T>) -> Lane<T>,
) -> Lane<V> {
    whole(parts(a).into_iter().zip(parts(b)).map(|(a, b)| f(a, b)))
}

/// The sum of the products of the components.
fn dot<T: Num, V: DeviceType>(a: Lane<V>, b: Lane<V>, at: At) -> Lane<T> {
    let pairs = parts(a).into_iter().zip(parts(b));
    let products = pairs.map(|(a, b)| arithmetic(BinOp::Mul, a, b, at));
    let sum = products.reduce(|sum, product| arithmetic(BinOp::Add, sum, product, at));
    // No vector is empty.
    sum.unwrap_or_else(Lane::unreachable)
}

/// The component with this number, as the element of an array, which lies alike. Variables of a local have no
/// addresses: of these it has to be known.
fn component<T: DeviceType, const N: usize>(
    vector: PlaceRef,
    index: Lane<usize>,
    at: At,
) -> PlaceRef {
    if const_of(index.value()).is_none() && matches!(vector.root, Root::Variables) {
        recorder::report(StageError::VectorIndex {
            at: SourceLoc::from_caller(at),
        });
        return vector;
    }
    vector.element_of_array::<T, N>(index, at)
}

macro_rules! operators {
    ($vec:ident $($op:ident $method:ident $via:ident;)*) => {$(
        impl<T: Num + Element> overload::$op for $vec<T> {
            type Output = Self;

            #[track_caller]
            fn $method(this: Lane<Self>, other: Lane<Self>) -> Lane<Self> {
                let at = Location::caller();
                each::<T, _>(this, other, |a, b| $via(BinOp::$op, a, b, at))
            }
        }

        // With one number: each component with that.
        impl<T: Num + Element> overload::$op<T> for $vec<T> {
            type Output = Self;

            #[track_caller]
            fn $method(this: Lane<Self>, other: Lane<T>) -> Lane<Self> {
                let at = Location::caller();
                let parts = parts(this).into_iter();
                whole(parts.map(|part| $via(BinOp::$op, part, other, at)))
            }
        }
    )*};
}

macro_rules! host_operators {
    ($vec:ident $op:ident $method:ident $assign:ident $in_place:ident [$($part:ident)*]) => {
        impl<T: Copy, U> $assign<U> for $vec<T>
        where
            Self: $op<U, Output = Self>,
        {
            fn $in_place(&mut self, other: U) {
                *self = (*self).$method(other);
            }
        }

        impl<T: $op<Output = T>> $op for $vec<T> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self { $($part: self.$part.$method(other.$part)),* }
            }
        }

        impl<T: $op<Output = T> + Copy> $op<T> for $vec<T> {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                Self { $($part: self.$part.$method(other)),* }
            }
        }
    };
}

macro_rules! number_times_vector {
    ($vec:ident $parts:tt $($ty:ty)*) => {$(
        number_times_vector! { @one $vec $parts $ty }
    )*};
    (@one $vec:ident [$($part:ident)*] $ty:ty) => {
        impl Mul<$vec<$ty>> for $ty {
            type Output = $vec<$ty>;

            fn mul(self, vector: $vec<$ty>) -> $vec<$ty> {
                $vec { $($part: self * vector.$part),* }
            }
        }
    };
}

macro_rules! vectors {
    ($($vec:ident $function:ident $n:literal [$first:ident $($part:ident)*];)*) => {$(
        impl<T> From<[T; $n]> for $vec<T> {
            fn from([$first, $($part),*]: [T; $n]) -> Self {
                Self { $first, $($part),* }
            }
        }

        impl<T> From<$vec<T>> for [T; $n] {
            fn from(vector: $vec<T>) -> Self {
                [vector.$first, $(vector.$part),*]
            }
        }

        impl<T: Add<Output = T> + Mul<Output = T>> $vec<T> {
            /// The sum of the products of the components.
            #[must_use]
            pub fn dot(self, other: Self) -> T {
                self.$first * other.$first $(+ self.$part * other.$part)*
            }
        }

        impl<T: Compared> $vec<T> {
            /// Of each component the lesser.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self { $first: self.$first.lesser(other.$first), $($part: self.$part.lesser(other.$part)),* }
            }

            /// Of each component the greater.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self { $first: self.$first.greater(other.$first), $($part: self.$part.greater(other.$part)),* }
            }
        }

        impl $vec<f32> {
            /// The square root of [`Self::dot`] with itself.
            #[must_use]
            pub fn length(self) -> f32 {
                self.dot(self).sqrt()
            }

            /// This, divided by its length.
            #[must_use]
            pub fn normalize(self) -> Self {
                self / self.length()
            }
        }

        impl<T> Index<usize> for $vec<T> {
            type Output = T;

            fn index(&self, index: usize) -> &T {
                let Self { $first, $($part),* } = self;
                [$first, $($part),*][index]
            }
        }

        impl<T> IndexMut<usize> for $vec<T> {
            fn index_mut(&mut self, index: usize) -> &mut T {
                let Self { $first, $($part),* } = self;
                let components: [&mut T; $n] = [$first, $($part),*];
                components.into_iter().nth(index).unwrap_or_else(|| panic!("a vector of {} has no component {index}", $n))
            }
        }

        host_operators! { $vec Add add AddAssign add_assign [$first $($part)*] }
        host_operators! { $vec Sub sub SubAssign sub_assign [$first $($part)*] }
        host_operators! { $vec Mul mul MulAssign mul_assign [$first $($part)*] }
        host_operators! { $vec Div div DivAssign div_assign [$first $($part)*] }

        impl<T: Neg<Output = T>> Neg for $vec<T> {
            type Output = Self;

            fn neg(self) -> Self {
                Self { $first: -self.$first, $($part: -self.$part),* }
            }
        }

        impl<C: Component + Copy> $vec<C> {
            /// A vector of the same number in each place.
            pub fn splat(number: C) -> C::$vec {
                C::$function([number; $n])
            }
        }

        // A number with a vector: the number with each component.
        #[diagnostic::do_not_recommend]
        impl<T: Num + Element> overload::Mul<$vec<T>> for T {
            type Output = $vec<T>;

            #[track_caller]
            fn mul(this: Lane<T>, vector: Lane<$vec<T>>) -> Lane<$vec<T>> {
                let at = Location::caller();
                let parts = parts(vector).into_iter();
                whole(parts.map(|part| arithmetic(BinOp::Mul, this, part, at)))
            }
        }

        number_times_vector! { $vec [$first $($part)*] i8 i16 i32 i64 u8 u16 u32 u64 f32 half::f16 half::bf16 }

        operators! { $vec Add add arithmetic; Sub sub arithmetic; Mul mul arithmetic; Div div divide; }

        impl<T: Signed + Element> overload::Neg for $vec<T> {
            type Output = Self;

            #[track_caller]
            fn neg(this: Lane<Self>) -> Lane<Self> {
                let [$first, $($part),*] = this.components();
                whole([-$first, $(-$part),*])
            }
        }

        impl<T: Num + Element> Lane<$vec<T>> {
            fn components(self) -> [Lane<T>; $n] {
                let fields = &*self;
                [fields.$first, $(fields.$part),*]
            }

            /// The sum of the products of the components.
            #[track_caller]
            #[must_use]
            pub fn dot(self, other: Self) -> Lane<T> {
                dot(self, other, Location::caller())
            }

            /// Of each component the lesser.
            #[track_caller]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                let ([$first, $($part),*], other) = (self.components(), &*other);
                whole([$first.min(other.$first), $($part.min(other.$part)),*])
            }

            /// Of each component the greater.
            #[track_caller]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                let ([$first, $($part),*], other) = (self.components(), &*other);
                whole([$first.max(other.$first), $($part.max(other.$part)),*])
            }
        }

        impl Lane<$vec<f32>> {
            /// The square root of [`Self::dot`] with itself.
            #[track_caller]
            #[must_use]
            pub fn length(self) -> Lane<f32> {
                self.dot(self).sqrt()
            }

            /// This, divided by its length.
            #[track_caller]
            #[must_use]
            pub fn normalize(self) -> Self {
                self / self.length()
            }
        }

        indexed_alike! {
            [T: Element] Lane<$vec<T>>;
            [T: Element] Place<$vec<T>>;
        }

        indexed_alike_in_place! { [T: Element] Lane<$vec<T>>; }

        // What is indexed by mistake is no short vector.
        #[diagnostic::do_not_recommend]
        impl<T: Element> Indexable for Lane<$vec<T>> {
            type Place = Place<T>;

            fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<T> {
                Place::of_value(self).index(index)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element> Indexable for Place<$vec<T>> {
            type Place = Place<T>;

            fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<T> {
                Place::at(component::<T, $n>(self.position(), index(), Location::caller()))
            }
        }

        impl<T: Element> IndexableInPlace for Lane<$vec<T>> {
            type Place = Mutable<Lane<T>>;

            fn element(place: Mutable<Self>, index: Lane<usize>, at: At) -> Mutable<Lane<T>> {
                Mutable::at(component::<T, $n>(place.position(), index, at))
            }
        }
    )*};
}

// rustc shows these to who passes too many or too few, and a macro would show it whole.
#[allow(clippy::new_ret_no_self, clippy::missing_const_for_fn)]
impl<C: Component> Vec2<C> {
    /// A vector of these: `Vec2::new(1.0, x)`, in kernels and on the host.
    pub fn new(x: C, y: C) -> C::Vec2 {
        C::vec2([x, y])
    }
}

#[allow(clippy::new_ret_no_self, clippy::missing_const_for_fn)]
impl<C: Component> Vec3<C> {
    /// A vector of these: `Vec3::new(1.0, x, y)`, in kernels and on the host.
    pub fn new(x: C, y: C, z: C) -> C::Vec3 {
        C::vec3([x, y, z])
    }
}

#[allow(clippy::new_ret_no_self, clippy::missing_const_for_fn)]
impl<C: Component> Vec4<C> {
    /// A vector of these: `Vec4::new(1.0, x, y, z)`, in kernels and on the host.
    pub fn new(x: C, y: C, z: C, w: C) -> C::Vec4 {
        C::vec4([x, y, z, w])
    }
}

vectors! {
    Vec2 vec2 2 [x y];
    Vec3 vec3 3 [x y z];
    Vec4 vec4 4 [x y z w];
}

impl<T: Num + Element> Lane<Vec3<T>> {
    /// The cross product.
    #[track_caller]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        let [a, b] = [self, other].map(|v| [v.x, v.y, v.z]);
        let at = Location::caller();
        let product = |a, b| arithmetic(BinOp::Mul, a, b, at);
        whole([(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
            let (left, right) = (product(a[i], b[j]), product(a[j], b[i]));
            arithmetic(BinOp::Sub, left, right, at)
        }))
    }
}

impl<T: Copy + Sub<Output = T> + Mul<Output = T>> Vec3<T> {
    /// The cross product.
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}
