//! Arrays: values of a kernel with elements of one type.

use std::borrow::Cow;
use std::panic::Location;

use crate::ir::{Shape, Value};
use crate::lang::base::constant::Constant;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::staged::values_of;
use crate::lang::place::access::{Mutable, Place};
use crate::lang::place::columns::Columns;
use crate::lang::place::memory::{
    Indexable, IndexableInPlace, indexed_alike, indexed_alike_in_place,
};
use crate::lang::recorder::At;
use crate::types::{
    ByHand, Comparison, DeviceType, Element, InMemory, Kind, Lanes, Leaf, Lift, Part, Parts,
    Spelled, Spelling, Words,
};

impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    type Repr = [T::Repr; N];
    type Fields<K: Kind> = ();

    const IN_MEMORY: bool = true;
    const HOLDS_POINTERS: bool = T::HOLDS_POINTERS;
    const LEAVES: u32 = T::LEAVES * N as u32;

    fn leaves(offset: u32, out: &mut Vec<Leaf>) {
        for n in 0..N as u32 {
            T::leaves(offset + n * size_of::<T>() as u32, out);
        }
    }

    fn values(repr: &Self::Repr, out: &mut Vec<Value>) {
        for element in repr {
            T::values(element, out);
        }
    }

    fn build(words: &mut Words) -> Self::Repr {
        std::array::from_fn(|_| T::build(words))
    }

    fn fields(_: &Self::Repr) -> &Self::Fields<Lanes> {
        &()
    }

    fn parts<K: Kind>(_: &mut K::Whole) {}

    fn shape() -> Shape {
        Shape::Array {
            element: Box::new(T::shape()),
            count: u32::try_from(N).unwrap_or(u32::MAX),
        }
    }

    fn compared_by_hand(asked: Comparison) -> Option<ByHand> {
        T::compared_by_hand(asked)
    }

    fn placeholder() -> Self {
        std::array::from_fn(|_| T::placeholder())
    }

    fn lift(self, out: &mut dyn Lift) {
        for element in self {
            element.lift(out);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> Element for [T; N] {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut elements = bytes.chunks_exact(size_of::<T>().max(1)).map(T::from_bytes);
        let elements: Option<Vec<T>> = elements.by_ref().take(N).collect();
        elements?.try_into().ok()
    }

    fn to_bytes(&self, bytes: &mut [u8]) {
        for (element, bytes) in self
            .iter()
            .zip(bytes.chunks_exact_mut(size_of::<T>().max(1)))
        {
            element.to_bytes(bytes);
        }
    }

    fn bytes_of(elements: &[Self]) -> Cow<'_, [u8]> {
        T::bytes_of(elements.as_flattened())
    }
}

#[diagnostic::do_not_recommend]
impl<T: InMemory, const N: usize> InMemory for [T; N] {
    type This = [T::This; N];
    const SPELLING: Spelling = Spelled::<Self>::SPELLING;
}

impl<T: InMemory, const N: usize> Parts for [T; N] {
    const PARTS: &'static [Part] = &[
        Part::Text("["),
        Part::Text(T::SPELLING.name),
        Part::Text("; "),
        Part::Number(N as i128),
        Part::Text("]"),
    ];
}

/// `[a, b, c]`.
#[must_use]
pub fn array<T: DeviceType, const N: usize>(elements: [Lane<T>; N]) -> Lane<[T; N]> {
    let values = elements.into_iter().flat_map(values_of).collect();
    Lane::build(&mut words_of(values))
}

/// `[a; N]`.
#[must_use]
pub fn repeat<T: DeviceType, const N: usize>(element: impl FnOnce() -> Lane<T>) -> Lane<[T; N]> {
    array([element(); N])
}

macro_rules! lengths {
    ($([$($generics:tt)*] $place:ty;)*) => {$(
        impl<$($generics)*> $place {
            /// How many elements it has.
            #[track_caller]
            #[must_use]
            pub fn len(self) -> Lane<usize> {
                Constant { value: N }.lane()
            }

            /// Whether it has no elements.
            #[track_caller]
            #[must_use]
            pub fn is_empty(self) -> Lane<bool> {
                Constant { value: N == 0 }.lane()
            }
        }
    )*};
}

lengths! {
    [T: DeviceType, const N: usize] Lane<[T; N]>;
    [T: DeviceType, const N: usize] Place<[T; N]>;
    [T: DeviceType, const N: usize] Mutable<Lane<[T; N]>>;
    [C: Copy, const N: usize] Columns<C, N>;
}

indexed_alike! {
    [T: DeviceType, const N: usize] Lane<[T; N]>;
    [T: DeviceType, const N: usize] Place<[T; N]>;
}

indexed_alike_in_place! { [T: DeviceType, const N: usize] Lane<[T; N]>; }

impl<T: DeviceType, const N: usize> Indexable for Lane<[T; N]> {
    type Place = Place<T>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<T> {
        Place::of_value(self).index(index)
    }
}

impl<T: DeviceType, const N: usize> Indexable for Place<[T; N]> {
    type Place = Place<T>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<T> {
        let at = Location::caller();
        Place::at(self.position().element_of_array::<T, N>(index(), at))
    }
}

impl<T: DeviceType, const N: usize> IndexableInPlace for Lane<[T; N]> {
    type Place = Mutable<Lane<T>>;

    fn element(place: Mutable<Self>, index: Lane<usize>, at: At) -> Mutable<Lane<T>> {
        Mutable::at(place.position().element_of_array::<T, N>(index, at))
    }
}
