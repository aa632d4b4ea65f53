//! What Rust's slices can do in a body of a kernel: `contains`, `split_at`, `copy_from_slice` and their like, and `==`.

use std::cmp::Ordering;
use std::panic::Location;

use crate::ir::{BinOp, CmpOp, FaultKind, Op, Type, Value};
use crate::lang::base::branch::{branch, fail_if};
use crate::lang::base::flow::{break_, for_range, while_loop};
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::base::truth::{not, truth};
use crate::lang::base::written::Written;
use crate::lang::control::function::Nothing;
use crate::lang::control::method::{ReadOnly, ReadWrite};
use crate::lang::control::slice_pattern::element;
use crate::lang::place::access::mutable;
use crate::lang::place::memory::{Indexable as _, Slice, SliceMut};
use crate::lang::place::subslice::{AnySlice, Divisible, Outside, between, subslice_at};
use crate::lang::recorder::{At, emit, emit_const};
use crate::lang::value::arith::{compare, on_words};
use crate::lang::value::array::array;
use crate::lang::value::compare::{Equal as _, Ordered, Ordinal};
use crate::lang::value::result::Res;
use crate::types::{DeviceType, Element};

/// Whether `test` holds for some number below `count`. It is asked for no more after that.
fn any_below(count: Value, test: impl FnOnce(Lane<usize>) -> Value, at: At) -> Lane<bool> {
    let found = mutable(truth(false, at)).position();
    let iteration = |label, i| {
        let leave = || {
            found.set(truth(true, at), at);
            break_(label);
        };
        branch(test(i), leave, || (), at);
    };
    for_range(zero(at), || Lane::new(count), iteration);
    found.get(at)
}

/// Whether the first `count` elements of both are the same.
pub(super) fn same<T: Element>(a: Slice<T>, b: Slice<T>, count: Value, at: At) -> Lane<bool> {
    let differs = |i| {
        let (a, b) = (a.index(|| i).get(), b.index(|| i).get());
        a.unequal(b, at)
    };
    not(any_below(count, differs, at), at)
}

/// `a.starts_with(b)`, or `a.ends_with(b)`.
fn begins<T: Element>(a: Slice<T>, b: Slice<T>, at_end: bool, at: At) -> Lane<bool> {
    let (all, count) = (a.parts.len, b.parts.len);
    let fits = compare(CmpOp::Le, count, all, at);
    let compared = || {
        let a = match at_end {
            false => a,
            true => subslice_at(a, on_words(BinOp::Sub, all, count, at), count, at),
        };
        same(a, b, count, at)
    };
    branch(fits, compared, || truth(false, at), at)
}

/// Both parts of `slice.split_at(middle)`. A middle that is not inside is a fault, and gives two parts
/// of no elements.
fn split<S: AnySlice>(slice: S, middle: Lane<usize>, at: At) -> (S, S) {
    let all = slice.parts().len;
    let (nothing, middle) = (emit_const(0, Type::U32, at), middle.value());
    let outside = Outside::Beyond(FaultKind::Split, middle);
    (
        between(slice, nothing, middle, outside, at),
        between(slice, middle, all, outside, at),
    )
}

/// The first number below the slice's length for whose element `holds` does not hold, where it holds for all before
/// that and for none after.
fn first_without<T: Element>(
    slice: Slice<T>,
    holds: impl FnOnce(Lane<T>) -> Lane<bool>,
    at: At,
) -> Lane<usize> {
    let low = mutable(zero::<Lane<usize>>(at)).position();
    let rest = mutable(Lane::<usize>::new(slice.parts.len)).position();
    while_loop(
        |_| {
            let none = emit_const(0, Type::U32, at);
            let left: Lane<usize> = rest.get(at);
            Lane::new(compare(CmpOp::Ne, left.value(), none, at))
        },
        |_| {
            let one = emit_const(1, Type::U32, at);
            let (from, left): (Lane<usize>, Lane<usize>) = (low.get(at), rest.get(at));
            let half = on_words(BinOp::Shr, left.value(), one, at);
            let middle = on_words(BinOp::Add, from.value(), half, at);
            let is_before = holds(slice.parts.element_inside::<T>(middle, at).get(at)).value();
            let select =
                |a, b| Lane::<usize>::new(emit(Op::Select(is_before, a, b), Type::U32, at));
            let next = on_words(BinOp::Add, middle, one, at);
            let upper = on_words(
                BinOp::Sub,
                on_words(BinOp::Sub, left.value(), half, at),
                one,
                at,
            );
            low.set(select(next, from.value()), at);
            rest.set(select(upper, half), at);
        },
    );
    low.get(at)
}

/// Where an element is that is looked for, or where it could be put in.
fn found<T: Element>(
    slice: Slice<T>,
    is_less: impl FnOnce(Lane<T>) -> Lane<bool>,
    is_it: impl FnOnce(Lane<T>) -> Lane<bool>,
    at: At,
) -> Res<Lane<usize>, Lane<usize>> {
    let place = first_without(slice, is_less, at);
    let inside = compare(CmpOp::Lt, place.value(), slice.parts.len, at);
    let is_there = || is_it(slice.index(|| place).get());
    let found = branch(inside, is_there, || truth(false, at), at);
    Res::of(found, place, place)
}

/// What has elements of this type in a row.
#[diagnostic::on_unimplemented(
    message = "expected a slice or an array of `{T}`",
    label = "no slice of `{T}`",
    note = "a part of a slice is written `&x[a..b]`"
)]
pub trait SliceOf<T: Element>: Copy {
    /// All of them.
    #[doc(hidden)]
    fn all(self, at: At) -> Slice<T>;
}

macro_rules! slices_of {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $($generics)*> SliceOf<T> for $ty {
            fn all(self, at: At) -> Slice<T> {
                self.whole(at).shared()
            }
        }
    )*};
}

slices_of! {
    [] Slice<T>;
    [] SliceMut<T>;
    [const N: usize] Lane<[T; N]>;
}

/// What can be changed in its place.
#[diagnostic::on_unimplemented(
    message = "cannot change the elements of this, which can only be read",
    label = "not declared as mutable",
    note = "write `&mut [T]` for the parameter, `&mut x[..]` for the part of a slice, and `let mut` for an array"
)]
pub trait ChangedInPlace {}

/// Says of what is only read that it cannot be changed.
macro_rules! unchangeable {
    () => {
        #[doc(hidden)]
        pub fn reverse(self) -> Nothing
        where
            Self: ChangedInPlace,
        {
            Nothing {}
        }

        #[doc(hidden)]
        pub fn rotate_left(self, _: Lane<usize>) -> Nothing
        where
            Self: ChangedInPlace,
        {
            Nothing {}
        }

        #[doc(hidden)]
        pub fn rotate_right(self, _: Lane<usize>) -> Nothing
        where
            Self: ChangedInPlace,
        {
            Nothing {}
        }

        #[doc(hidden)]
        pub fn copy_from_slice<S>(self, _: S) -> Nothing
        where
            Self: ChangedInPlace,
        {
            Nothing {}
        }

        #[doc(hidden)]
        pub fn split_at_mut(self, _: Lane<usize>) -> (SliceMut<T>, SliceMut<T>)
        where
            Self: ChangedInPlace,
        {
            Staged::unreachable()
        }

        #[doc(hidden)]
        pub fn swap(self, _: Lane<usize>, _: Lane<usize>) -> Nothing
        where
            Self: ChangedInPlace,
        {
            Nothing {}
        }

        #[doc(hidden)]
        pub fn fill(self, _: Lane<T>) -> Nothing
        where
            Self: ChangedInPlace,
        {
            Nothing {}
        }
    };
}

impl<T: Element> Slice<T> {
    unchangeable! {}
}

/// As Rust has them.
impl<T: Element> Slice<T> {
    /// What is in front of `middle`, and the rest. A `middle` beyond the end is a fault.
    #[track_caller]
    #[must_use]
    pub fn split_at(self, middle: Lane<usize>) -> (Self, Self) {
        split(self, middle, Location::caller())
    }

    /// How many elements come before the first for which `holds` does not hold: by halves, so that all of these have
    /// to come first.
    #[track_caller]
    #[must_use]
    pub fn partition_point(self, holds: impl FnOnce(Lane<T>) -> Lane<bool>) -> Lane<usize> {
        first_without(self, holds, Location::caller())
    }

    /// Whether some element is equal to `value`.
    #[track_caller]
    #[must_use]
    pub fn contains(self, value: Lane<T>) -> Lane<bool>
    where
        T: PartialEq,
    {
        let at = Location::caller();
        let is_it = |i| self.index(|| i).get().equal(value, at);
        any_below(self.parts.len, is_it, at)
    }

    /// Whether the first elements are those of `other`.
    #[track_caller]
    #[must_use]
    pub fn starts_with<S>(self, other: S) -> Lane<bool>
    where
        S: SliceOf<T>,
        T: PartialEq,
    {
        let at = Location::caller();
        begins(self, other.all(at), false, at)
    }

    /// Whether the last elements are those of `other`.
    #[track_caller]
    #[must_use]
    pub fn ends_with<S>(self, other: S) -> Lane<bool>
    where
        S: SliceOf<T>,
        T: PartialEq,
    {
        let at = Location::caller();
        begins(self, other.all(at), true, at)
    }

    /// Where `value` is in a sorted slice, or where it could be put in.
    #[track_caller]
    pub fn binary_search(self, value: Lane<T>) -> Res<Lane<usize>, Lane<usize>>
    where
        T: Ordinal,
    {
        self.binary_search_by_key(value, |element| element)
    }

    /// Where the key of an element is `key`, in what is sorted by these keys, or where one could be put in.
    #[track_caller]
    pub fn binary_search_by_key<'a, H: Ordinal, K>(
        self,
        key: K,
        of: impl Fn(Lane<T>) -> K,
    ) -> Res<Lane<usize>, Lane<usize>>
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        let at = Location::caller();
        let is_less = |element| Lane::new(of(element).ordered(key, CmpOp::Lt, at));
        let is_it = |element| Lane::new(of(element).equal(key, at));
        found(self, is_less, is_it, at)
    }

    /// Where `compare` says `Equal`, in what is sorted as it says, or where such an element could be put in.
    #[track_caller]
    pub fn binary_search_by(
        self,
        compare: impl Fn(Lane<T>) -> Lane<Ordering>,
    ) -> Res<Lane<usize>, Lane<usize>> {
        let is_less = |element| compare(element).is_lt();
        let is_it = |element| compare(element).is_eq();
        found(self, is_less, is_it, Location::caller())
    }
}

/// As Rust has them.
impl<T: Element> SliceMut<T> {
    /// What is in front of `middle`, and the rest. A `middle` beyond the end is a fault.
    #[track_caller]
    #[must_use]
    pub fn split_at_mut(self, middle: Lane<usize>) -> (Self, Self) {
        split(self, middle, Location::caller())
    }

    /// Copies all elements of `other`, which are to be as many; else it is a fault that ends the work item.
    #[track_caller]
    pub fn copy_from_slice<S>(self, other: S) -> Nothing
    where
        S: SliceOf<T>,
    {
        let at = Location::caller();
        let from = other.all(at);
        let differ = compare(CmpOp::Ne, self.parts.len, from.parts.len, at);
        let operands = [from.parts.len, self.parts.len];
        fail_if(differ, FaultKind::Lengths, operands, at);
        for_range(
            zero(at),
            || self.len(),
            |_, i| self.index(|| i).set(from.index(|| i).get()),
        );
        Nothing {}
    }

    /// Exchanges the first element with the last, and so on.
    #[track_caller]
    pub fn reverse(self) -> Nothing {
        let at = Location::caller();
        let one = emit_const(1, Type::U32, at);
        let half = on_words(BinOp::Shr, self.parts.len, one, at);
        let last = on_words(BinOp::Sub, self.parts.len, one, at);
        for_range(
            zero(at),
            || Lane::new(half),
            |_, i: Lane<usize>| self.swap(i, Lane::new(on_words(BinOp::Sub, last, i.value(), at))),
        );
        Nothing {}
    }

    /// Moves the first `n` elements to the end. An `n` beyond the end is a fault.
    #[track_caller]
    pub fn rotate_left(self, n: Lane<usize>) -> Nothing {
        let (front, rest) = split(self, n, Location::caller());
        front.reverse();
        rest.reverse();
        self.reverse()
    }

    /// Moves the last `n` elements to the beginning. An `n` beyond the end is a fault.
    #[track_caller]
    pub fn rotate_right(self, n: Lane<usize>) -> Nothing {
        let (front, rest) = split(self, n, Location::caller());
        self.reverse();
        front.reverse();
        rest.reverse()
    }
}

macro_rules! forwarded {
    ($self:ident as $slice:expr;) => {
        /// What is in front of `middle`, and the rest.
        #[track_caller]
        #[must_use]
        pub fn split_at($self, middle: Lane<usize>) -> (Slice<T>, Slice<T>) {
            $slice.split_at(middle)
        }

        /// How many elements come before the first for which `holds` does not hold.
        #[track_caller]
        #[must_use]
        pub fn partition_point($self, holds: impl FnOnce(Lane<T>) -> Lane<bool>) -> Lane<usize> {
            $slice.partition_point(holds)
        }

        /// Whether some element is equal to `value`.
        #[track_caller]
        #[must_use]
        pub fn contains($self, value: Lane<T>) -> Lane<bool>
        where
            T: PartialEq,
        {
            $slice.contains(value)
        }

        /// Whether the first elements are those of `other`.
        #[track_caller]
        #[must_use]
        pub fn starts_with<S: SliceOf<T>>($self, other: S) -> Lane<bool>
        where
            T: PartialEq,
        {
            $slice.starts_with(other)
        }

        /// Whether the last elements are those of `other`.
        #[track_caller]
        #[must_use]
        pub fn ends_with<S: SliceOf<T>>($self, other: S) -> Lane<bool>
        where
            T: PartialEq,
        {
            $slice.ends_with(other)
        }

        /// Where `value` is in what is sorted, or where it could be put in.
        #[track_caller]
        pub fn binary_search($self, value: Lane<T>) -> Res<Lane<usize>, Lane<usize>>
        where
            T: Ordinal,
        {
            $slice.binary_search(value)
        }

        /// Where the key of an element is `key`, or where one could be put in.
        #[track_caller]
        pub fn binary_search_by_key<'a, H: Ordinal, K>(
            $self,
            key: K,
            of: impl Fn(Lane<T>) -> K,
        ) -> Res<Lane<usize>, Lane<usize>>
        where
            K: Ordered + Written<Type<'a> = H>,
        {
            $slice.binary_search_by_key(key, of)
        }

        /// Where `compare` says `Equal`, or where such an element could be put in.
        #[track_caller]
        pub fn binary_search_by(
            $self,
            compare: impl Fn(Lane<T>) -> Lane<Ordering>,
        ) -> Res<Lane<usize>, Lane<usize>> {
            $slice.binary_search_by(compare)
        }
    };
}

impl<T: Element> SliceMut<T> {
    forwarded! { self as self.shared(); }
}

/// Arrays that are only read.
impl<T: Element, const N: usize> ReadOnly<[T; N]> {
    #[track_caller]
    fn elements(self) -> Slice<T> {
        self.taken_up().whole(Location::caller())
    }

    forwarded! { self as self.elements(); }

    unchangeable! {}
}

/// Arrays that can be changed.
impl<T: Element, const N: usize> ReadWrite<[T; N]> {
    #[track_caller]
    fn elements(self) -> SliceMut<T> {
        self.taken_up().whole(Location::caller())
    }

    forwarded! { self as self.elements().shared(); }

    /// What is in front of `middle`, and the rest.
    #[track_caller]
    #[must_use]
    pub fn split_at_mut(self, middle: Lane<usize>) -> (SliceMut<T>, SliceMut<T>) {
        self.elements().split_at_mut(middle)
    }

    /// Copies all elements of `other`.
    #[track_caller]
    pub fn copy_from_slice<S: SliceOf<T>>(self, other: S) -> Nothing {
        self.elements().copy_from_slice(other)
    }

    /// Exchanges the first element with the last, and so on.
    #[track_caller]
    pub fn reverse(self) -> Nothing {
        self.elements().reverse()
    }

    /// Moves the first `n` elements to the end.
    #[track_caller]
    pub fn rotate_left(self, n: Lane<usize>) -> Nothing {
        self.elements().rotate_left(n)
    }

    /// Moves the last `n` elements to the beginning.
    #[track_caller]
    pub fn rotate_right(self, n: Lane<usize>) -> Nothing {
        self.elements().rotate_right(n)
    }

    /// Sorts the elements; equal ones keep their order.
    #[track_caller]
    pub fn sort(self) -> Nothing
    where
        T: Ordinal,
    {
        self.elements().sort()
    }

    /// Sorts the elements.
    #[track_caller]
    pub fn sort_unstable(self) -> Nothing
    where
        T: Ordinal,
    {
        self.elements().sort()
    }

    /// Sorts the elements by their keys; equal ones keep their order.
    #[track_caller]
    pub fn sort_by_key<'a, H: Ordinal, K>(self, key: impl Fn(Lane<T>) -> K) -> Nothing
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        self.elements().sort_by_key(key)
    }

    /// Sorts the elements by their keys.
    #[track_caller]
    pub fn sort_unstable_by_key<'a, H: Ordinal, K>(self, key: impl Fn(Lane<T>) -> K) -> Nothing
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        self.elements().sort_by_key(key)
    }

    /// Sorts the elements by their keys, the greatest first; equal ones keep their order.
    #[doc(hidden)]
    #[track_caller]
    pub fn __vortex_sort_backwards<'a, H: Ordinal, K>(self, key: impl Fn(Lane<T>) -> K) -> Nothing
    where
        K: Ordered + Written<Type<'a> = H>,
    {
        self.elements().__vortex_sort_backwards(key)
    }

    /// Sorts the elements as `compare` says; equal ones keep their order.
    #[track_caller]
    pub fn sort_by(self, compare: impl Fn(Lane<T>, Lane<T>) -> Lane<Ordering>) -> Nothing {
        self.elements().sort_by(compare)
    }

    /// Sorts the elements as `compare` says.
    #[track_caller]
    pub fn sort_unstable_by(self, compare: impl Fn(Lane<T>, Lane<T>) -> Lane<Ordering>) -> Nothing {
        self.elements().sort_by(compare)
    }

    /// Exchanges two elements.
    #[track_caller]
    pub fn swap(self, a: Lane<usize>, b: Lane<usize>) -> Nothing {
        self.elements().swap(a, b);
        Nothing {}
    }

    /// Makes all elements the same.
    #[track_caller]
    pub fn fill(self, value: Lane<T>) -> Nothing {
        self.elements().fill(value);
        Nothing {}
    }
}

impl<T: DeviceType, const N: usize> Lane<[T; N]> {
    /// The array of what `f` makes of each element, recorded once for each.
    #[must_use]
    pub fn map<R: DeviceType>(self, mut f: impl FnMut(Lane<T>) -> Lane<R>) -> Lane<[R; N]> {
        array(std::array::from_fn(|number| f(element(self, number))))
    }
}
