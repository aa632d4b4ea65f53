//! `sort` and its kin: an insertion sort, by one work item. Few elements are sorted fast that way, and no memory is
//! needed besides theirs.

use std::cmp::Ordering;
use std::panic::Location;

use super::access::mutable;
use super::memory::{Indexable as _, SliceMut};
use crate::ir::{BinOp, CmpOp, Op, Type, Value};
use crate::lang::control::flow::{and, for_range, while_loop};
use crate::lang::control::function::Nothing;
use crate::lang::iter::chosen::Ranked;
use crate::lang::recorder::{At, emit, emit_const};
use crate::lang::value::arith::{compare, on_words};
use crate::lang::value::compare::Ordered;
use crate::lang::value::lane::Lane;
use crate::types::{DeviceType, Element};

/// What `total_cmp` and `cmp` compare: floats and integers, each by a number that is in the same order.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no total order",
    label = "neither integers nor `f32`",
    note = "compare by a key: `x.sort_by_key(|v| v.rank)`, `x.iter().max_by_key(|v| v.rank)`"
)]
pub trait TotalOrder: DeviceType {
    /// The number's type.
    #[doc(hidden)]
    type Rank: DeviceType;

    /// The number.
    #[doc(hidden)]
    fn rank(value: Lane<Self>, at: At) -> Lane<Self::Rank>;
}

impl TotalOrder for f32 {
    type Rank = i32;

    fn rank(value: Lane<f32>, at: At) -> Lane<i32> {
        // All bits but the sign are turned around where the sign says that less is more.
        let word = |op, ty| emit(op, ty, at);
        let bits = word(Op::Bitcast(value.value()), Type::I32);
        let (all, one) = (emit_const(31, Type::I32, at), emit_const(1, Type::U32, at));
        let signs = word(Op::Binary(BinOp::Shr, bits, all), Type::I32);
        let signs = word(Op::Bitcast(signs), Type::U32);
        let mask = word(Op::Binary(BinOp::Shr, signs, one), Type::U32);
        let mask = word(Op::Bitcast(mask), Type::I32);
        Lane::new(word(Op::Binary(BinOp::Xor, bits, mask), Type::I32))
    }
}

macro_rules! ordered_by_themselves {
    ($($ty:ty)*) => {$(
        impl TotalOrder for $ty {
            type Rank = Self;

            fn rank(value: Lane<Self>, _: At) -> Lane<Self> {
                value
            }
        }
    )*};
}

ordered_by_themselves! { i8 i16 i32 u8 u16 u32 i64 u64 usize isize }

/// What values are compared by in `a.total_cmp(&b)`.
#[track_caller]
#[must_use]
pub fn total_order<T: TotalOrder>(value: Lane<T>) -> Lane<T::Rank> {
    T::rank(value, Location::caller())
}

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
                let element = self.index(|| i).get();
                let of_element = key(element);
                let place = mutable(i).position();
                while_loop(
                    |_| {
                        let now: Lane<usize> = place.get(at);
                        let none = emit_const(0, Type::U32, at);
                        let inside = Lane::new(compare(CmpOp::Ne, now.value(), none, at));
                        and(
                            || inside,
                            || {
                                let before = self.index(|| less_by_one(now)).get();
                                Lane::new(is_greater(key(before), of_element))
                            },
                        )
                    },
                    |_| {
                        let now: Lane<usize> = place.get(at);
                        let before = less_by_one(now);
                        self.index(|| now).set(self.index(|| before).get());
                        place.set(before, at);
                    },
                );
                self.index(|| place.get(at)).set(element);
            },
        );
    }

    /// Sorts the elements; equal ones keep their order.
    #[track_caller]
    pub fn sort(self) -> Nothing
    where
        Lane<T>: Ranked,
    {
        let at = Location::caller();
        let is_greater = |a: Lane<T>, b| a.ordered(b, CmpOp::Gt, at);
        self.insert_each(|element| element, is_greater, at);
        Nothing {}
    }

    /// Sorts the elements.
    #[track_caller]
    pub fn sort_unstable(self) -> Nothing
    where
        Lane<T>: Ranked,
    {
        self.sort()
    }

    /// Sorts the elements by their keys; equal ones keep their order.
    #[track_caller]
    pub fn sort_by_key<K: Ranked>(self, key: impl Fn(Lane<T>) -> K) -> Nothing {
        let at = Location::caller();
        self.insert_each(key, |a, b| a.ordered(b, CmpOp::Gt, at), at);
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
    pub fn sort_unstable_by_key<K: Ranked>(self, key: impl Fn(Lane<T>) -> K) -> Nothing {
        self.sort_by_key(key)
    }
}
