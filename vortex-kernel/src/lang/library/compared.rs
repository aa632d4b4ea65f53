//! `a == b` and `a < b` of slices.

use crate::ir::{CmpOp, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::flow::{break_, for_range};
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::zero;
use crate::lang::base::truth::truth;
use crate::lang::library::slices::{SliceOf, same};
use crate::lang::place::access::mutable;
use crate::lang::place::memory::{Indexable as _, Slice, SliceMut};
use crate::lang::recorder::At;
use crate::lang::value::arith::compare;
use crate::lang::value::compare::{Asked, Equal, Ordered};
use crate::types::{Element, Scalar};

/// `a == b` of slices, or of a slice and an array.
macro_rules! equal {
    ($([$($generics:tt)*] $a:ty, $b:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $($generics)*> Equal<$b> for $a {
            fn equal(self, other: $b, at: At) -> Value {
                let (a, b): (Slice<T>, Slice<T>) = (self.all(at), other.all(at));
                let as_many = compare(CmpOp::Eq, a.parts.len, b.parts.len, at);
                let compared = || same(a, b, a.parts.len, at);
                branch(as_many, compared, || truth(false, at), at).value()
            }
        }
    )*};
}

equal! {
    [] Slice<T>, Slice<T>;
    [] Slice<T>, SliceMut<T>;
    [] SliceMut<T>, Slice<T>;
    [] SliceMut<T>, SliceMut<T>;
    [const N: usize] Slice<T>, Lane<[T; N]>;
    [const N: usize] SliceMut<T>, Lane<[T; N]>;
    [const N: usize] Lane<[T; N]>, Slice<T>;
    [const N: usize] Lane<[T; N]>, SliceMut<T>;
}

/// What decides in which order two slices are: the first elements that differ, or else the lengths.
fn decided<T: Element, R: Scalar>(
    a: Slice<T>,
    b: Slice<T>,
    of_elements: impl FnOnce(Lane<T>, Lane<T>) -> Value,
    of_lengths: impl FnOnce(Lane<usize>, Lane<usize>) -> Value,
    at: At,
) -> Value {
    let lengths = [a, b].map(|slice| Lane::<usize>::new(slice.parts.len));
    let [all, others] = lengths;
    let is_shorter = compare(CmpOp::Lt, all.value(), others.value(), at);
    let both = branch(is_shorter, || all, || others, at);
    let at_index = |i: Lane<usize>| (a.index(|| i).get(), b.index(|| i).get());
    let found = mutable(both).position();
    let iteration = |label, i| {
        let leave = || {
            found.set(i, at);
            break_(label);
        };
        let (a, b) = at_index(i);
        branch(a.unequal(b, at), leave, || (), at);
    };
    for_range(zero(at), || both, iteration);
    let first: Lane<usize> = found.get(at);
    let differ = compare(CmpOp::Lt, first.value(), both.value(), at);
    let elements = || {
        let (a, b) = at_index(first);
        Lane::<R>::new(of_elements(a, b))
    };
    branch(differ, elements, || Lane::new(of_lengths(all, others)), at).value()
}

macro_rules! ordered {
    ($($ty:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element> Ordered for $ty<T> {
            fn ordered(self, other: Self, op: CmpOp, at: At) -> Value {
                let of_elements = |a: Lane<T>, b| a.ordered(b, op, at);
                let of_lengths = |a: Lane<usize>, b| a.ordered(b, op, at);
                decided::<T, bool>(self.all(at), other.all(at), of_elements, of_lengths, at)
            }

            fn order(self, other: Self, asked: Asked, at: At) -> Value {
                let (a, b) = (self.all(at), other.all(at));
                let of_elements = |a: Lane<T>, b| a.order(b, asked, at);
                let of_lengths = |a: Lane<usize>, b| a.order(b, asked, at);
                match asked {
                    Asked::Number => decided::<T, i8>(a, b, of_elements, of_lengths, at),
                    Asked::Exists => decided::<T, bool>(a, b, of_elements, of_lengths, at),
                }
            }
        }
    )*};
}

ordered! { Slice SliceMut }
