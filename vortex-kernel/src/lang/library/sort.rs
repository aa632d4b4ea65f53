//! `sort` and its kin: an insertion sort, by one work item. Few elements are sorted fast that way, and no memory is
//! needed besides theirs. All that is read and written is inside, so nothing is checked.

use std::cmp::Ordering;
use std::panic::Location;

use super::slices::ChangedInPlace;
use crate::ir::{BinOp, CmpOp, Type, Value};
use crate::lang::base::flow::{and, for_range, while_loop};
use crate::lang::base::lane::Lane;
use crate::lang::base::written::Written;
use crate::lang::control::function::Nothing;
use crate::lang::control::method::ReadOnly;
use crate::lang::place::access::mutable;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::recorder::{At, emit_const};
use crate::lang::value::arith::{compare, on_words};
use crate::lang::value::compare::{Ordered, Ordinal};
use crate::types::Element;

impl<T: Element> SliceMut<T> {
    /// Each element goes to the left of those whose key is greater than its own, as `is_greater` says.
    fn insert_each<K: Copy>(
        self,
        key: impl Fn(Lane<T>) -> K,
        is_greater: impl Fn(K, K) -> Value,
        at: At,
    ) {
        let one = || emit_const(1, Type::U32, at);
        let start = Lane::new(one());
        let less_by_one =
            |n: Lane<usize>| Lane::<usize>::new(on_words(BinOp::Sub, n.value(), one(), at));
        for_range(
            start,
            || self.len(),
            |_, i: Lane<usize>| {
                let of = |index: Lane<usize>| self.parts.element_inside::<T>(index.value(), at);
                let element: Lane<T> = of(i).get(at);
                let of_element = key(element);
                let place = mutable(i).position();
                // What is in front of there.
                let front = mutable(element).position();
                while_loop(
                    |_| {
                        let now: Lane<usize> = place.get(at);
                        let none = emit_const(0, Type::U32, at);
                        let inside = Lane::new(compare(CmpOp::Ne, now.value(), none, at));
                        and(
                            || inside,
                            || {
                                let before: Lane<T> = of(less_by_one(now)).get(at);
                                front.set(before, at);
                                Lane::new(is_greater(key(before), of_element))
                            },
                        )
                    },
                    |_| {
                        let now: Lane<usize> = place.get(at);
                        of(now).set(front.get::<Lane<T>>(at), at);
                        place.set(less_by_one(now), at);
                    },
                );
                of(place.get(at)).set(element, at);
            },
        );
    }

    /// Sorts the elements; equal ones keep their order.
    #[track_caller]
    pub fn sort(self) -> Nothing
    where
        T: Ordinal,
    {
        self.sort_by_key(|element| element)
    }

    /// Sorts the elements.
    #[track_caller]
    pub fn sort_unstable(self) -> Nothing
    where
        T: Ordinal,
    {
        self.sort()
    }

    /// Sorts the elements by their keys; equal ones keep their order.
    #[track_caller]
    pub fn sort_by_key<'a, H: Ordinal, K>(self, key: impl Fn(Lane<T>) -> K) -> Nothing
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        let at = Location::caller();
        self.insert_each(key, |a, b| a.ordered(b, CmpOp::Gt, at), at);
        Nothing {}
    }

    /// Sorts the elements by their keys, the greatest first; equal ones keep their order.
    #[doc(hidden)]
    #[track_caller]
    pub fn __vortex_sort_backwards<'a, H: Ordinal, K>(self, key: impl Fn(Lane<T>) -> K) -> Nothing
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        let at = Location::caller();
        self.insert_each(key, |a, b| a.ordered(b, CmpOp::Lt, at), at);
        Nothing {}
    }

    /// Sorts the elements as `compare` says; equal ones keep their order.
    #[track_caller]
    pub fn sort_by(self, compare: impl Fn(Lane<T>, Lane<T>) -> Lane<Ordering>) -> Nothing {
        let at = Location::caller();
        let is_greater = |a, b| compare(a, b).says_greater(at);
        self.insert_each(|element| element, is_greater, at);
        Nothing {}
    }

    /// Sorts the elements as `compare` says.
    #[track_caller]
    pub fn sort_unstable_by(self, compare: impl Fn(Lane<T>, Lane<T>) -> Lane<Ordering>) -> Nothing {
        self.sort_by(compare)
    }

    /// Sorts the elements by their keys.
    #[track_caller]
    pub fn sort_unstable_by_key<'a, H: Ordinal, K>(self, key: impl Fn(Lane<T>) -> K) -> Nothing
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        self.sort_by_key(key)
    }
}

/// Says of what is only read that it cannot be sorted.
macro_rules! unsortable {
    ($([$($generics:tt)*] $of:ty;)*) => {$(
        #[doc(hidden)]
        impl<T: Element, $($generics)*> $of {
            pub fn sort(self) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }

            pub fn sort_unstable(self) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }

            pub fn sort_by_key<K>(self, _: impl Fn(Lane<T>) -> K) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }

            pub fn sort_unstable_by_key<K>(self, _: impl Fn(Lane<T>) -> K) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }

            pub fn __vortex_sort_backwards<K>(self, _: impl Fn(Lane<T>) -> K) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }

            pub fn sort_by(self, _: impl Fn(Lane<T>, Lane<T>) -> Lane<Ordering>) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }

            pub fn sort_unstable_by(self, _: impl Fn(Lane<T>, Lane<T>) -> Lane<Ordering>) -> Nothing
            where
                Self: ChangedInPlace,
            {
                Nothing {}
            }
        }
    )*};
}

unsortable! {
    [] Slice<T>;
    [const N: usize] ReadOnly<[T; N]>;
}
