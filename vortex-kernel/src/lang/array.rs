//! Arrays: values of a kernel with elements of one type.

use std::borrow::Cow;
use std::panic::Location;

use super::device_type::{DeviceType, Kind, Lanes, Leaf, Words};
use super::lane::{Lane, values_of};
use super::literal::Constant;
use super::memory::{Indexable, IndexableInPlace};
use super::place::{Mutable, Place};
use super::position::{Position, Root};
use super::recorder::{self, At};
use crate::ir::Value;
use crate::meta::{Element, InMemory, Spelling};

impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    type Repr = [T::Repr; N];
    type Fields<K: Kind> = ();

    const IN_MEMORY: bool = true;
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

    fn placeholder() -> Self {
        [T::placeholder(); N]
    }

    fn lift(self, at: At, out: &mut Vec<Value>) {
        for element in self {
            element.lift(at, out);
        }
    }
}

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

impl<T: InMemory, const N: usize> InMemory for [T; N] {
    type This = [T::This; N];
    const SPELLING: Spelling = Spelling {
        name: Text::<T, N>::NAME.as_str(),
        slice: Text::<T, N>::SLICE.as_str(),
        slice_mut: Text::<T, N>::SLICE_MUT.as_str(),
        ptr: Text::<T, N>::PTR.as_str(),
        ptr_mut: Text::<T, N>::PTR_MUT.as_str(),
        local: Text::<T, N>::LOCAL.as_str(),
    };
}

/// How an array is written.
struct Text<T, const N: usize>(T);

impl<T: InMemory, const N: usize> Text<T, N> {
    const NAME: &'static Spelled = &Spelled::array("", T::SPELLING.name, N, "");
    const SLICE: &'static Spelled = &Spelled::array("&[", T::SPELLING.name, N, "]");
    const SLICE_MUT: &'static Spelled = &Spelled::array("&mut [", T::SPELLING.name, N, "]");
    const PTR: &'static Spelled = &Spelled::array("*const ", T::SPELLING.name, N, "");
    const PTR_MUT: &'static Spelled = &Spelled::array("*mut ", T::SPELLING.name, N, "");
    const LOCAL: &'static Spelled = &Spelled::array("&mut Local<[", T::SPELLING.name, N, "]>");
}

/// A text that is put together before the program runs; longer ones are cut off.
struct Spelled {
    bytes: [u8; 120],
    len: usize,
}

impl Spelled {
    const fn array(before: &str, element: &str, count: usize, after: &str) -> Self {
        let text = Self {
            bytes: [0; 120],
            len: 0,
        };
        let text = text.with(before).with("[").with(element).with("; ");
        text.with_number(count).with("]").with(after)
    }

    const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.len + text.len() > self.bytes.len() {
            return self;
        }
        let mut n = 0;
        while n < text.len() {
            self.bytes[self.len + n] = text[n];
            n += 1;
        }
        self.len += n;
        self
    }

    const fn with_number(self, number: usize) -> Self {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let before = if number < 10 {
            self
        } else {
            self.with_number(number / 10)
        };
        before.with(DIGITS[number % 10])
    }

    const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// `[a, b, c]`.
#[must_use]
pub fn array<T: DeviceType, const N: usize>(elements: [Lane<T>; N]) -> Lane<[T; N]> {
    let values = elements.into_iter().flat_map(values_of).collect();
    Lane::build(&mut Words::new(values))
}

/// `[a; N]`.
#[must_use]
pub fn repeat<T: DeviceType, const N: usize>(element: impl FnOnce() -> Lane<T>) -> Lane<[T; N]> {
    array([element(); N])
}

/// In a pattern: the element with this number.
#[must_use]
pub fn element<T: DeviceType, const N: usize>(array: Lane<[T; N]>, number: usize) -> Lane<T> {
    let values = values_of(array).into_iter();
    let values = values.skip(number * T::LEAVES as usize).collect();
    Lane::build(&mut Words::new(values))
}

/// In a pattern: the element with so many behind it.
#[must_use]
pub fn element_from_end<T: DeviceType, const N: usize>(
    array: Lane<[T; N]>,
    behind: usize,
) -> Lane<T> {
    element(array, N.saturating_sub(behind + 1))
}

impl<T: DeviceType, const N: usize> Lane<[T; N]> {
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

impl<T: DeviceType, const N: usize> Indexable for Lane<[T; N]> {
    type Place = Place<T>;

    fn index(self, index: impl FnOnce() -> Lane<usize>) -> Place<T> {
        let values = recorder::new_list(values_of(self));
        let whole = Position::new(Root::Values(values));
        Place::at(whole.element_of_array::<T, N>(index(), Location::caller()))
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
