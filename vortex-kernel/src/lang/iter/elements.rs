//! `for` over the elements of slices and arrays.

use std::panic::Location;

use super::range_iter::{RangeIter, for_range_iter, for_unrolled, for_unrolled_by, range_iter};
use crate::ir::{BinOp, Op, Type};
use crate::lang::base::flow::{Label, for_range};
use crate::lang::base::lane::Lane;
use crate::lang::place::access::{Mutable, Readable};
use crate::lang::place::elements::Elements;
use crate::lang::place::memory::{Indexable, SliceMut};
use crate::lang::recorder::{At, emit, emit_const};
use crate::types::Element;

/// What `iter()` gives: something for a `for` to go over.
#[derive(Clone, Copy, Debug)]
pub struct Iter<S, M> {
    elements: S,
    /// How many there are, if nothing but all of them in their order is asked for.
    all: Option<Lane<usize>>,
    range: RangeIter<usize>,
    mode: M,
}

/// A `for` has the elements' values.
#[derive(Clone, Copy, Debug)]
pub struct Values;

/// A `for` has the elements' places.
#[derive(Clone, Copy, Debug)]
pub struct Exclusive;

/// A `for` has numbers besides the elements: of the iterations as they were at `enumerate()`.
#[derive(Clone, Copy, Debug)]
pub struct Enumerated<M> {
    range: RangeIter<usize>,
    mode: M,
}

/// What a `for` has of each element.
pub trait Mode<S>: Copy {
    /// What its pattern matches.
    type Item;

    /// Of the element at `index`.
    #[doc(hidden)]
    fn item(self, elements: S, index: Lane<usize>, at: At) -> Self::Item;
}

impl<S: Indexable> Mode<S> for Values
where
    S::Place: Readable,
{
    type Item = <S::Place as Readable>::Value;

    fn item(self, elements: S, index: Lane<usize>, at: At) -> Self::Item {
        elements.index(|| index).read(at)
    }
}

impl<S: Indexable> Mode<S> for Exclusive {
    type Item = S::Place;

    fn item(self, elements: S, index: Lane<usize>, _: At) -> S::Place {
        elements.index(|| index)
    }
}

impl<S, M: Mode<S>> Mode<S> for Enumerated<M> {
    type Item = (Lane<usize>, M::Item);

    fn item(self, elements: S, index: Lane<usize>, at: At) -> Self::Item {
        (
            self.range.number(index, at),
            self.mode.item(elements, index, at),
        )
    }
}

/// As Rust has them for slices.
impl<T: Element> SliceMut<T> {
    /// Exchanges two elements.
    #[track_caller]
    pub fn swap(self, a: Lane<usize>, b: Lane<usize>) {
        let at = Location::caller();
        let (first, second) = (self.index(|| a).position(), self.index(|| b).position());
        let old: Lane<T> = first.get(at);
        first.set(second.get::<Lane<T>>(at), at);
        second.set(old, at);
    }

    /// Makes all elements the same.
    #[track_caller]
    pub fn fill(self, value: Lane<T>) {
        let at = Location::caller();
        let set = |_, place: Mutable<Lane<T>>| place.position().set(value, at);
        for_each(over(self, Exclusive, at), set);
    }
}

fn zero(at: At) -> Lane<usize> {
    Lane::new(emit_const(0, Type::U32, at))
}

fn over<S: Elements, M>(elements: S, mode: M, at: At) -> Iter<S, M> {
    let (start, count) = (zero(at), elements.count());
    Iter {
        elements,
        all: Some(count),
        range: range_iter(start, || count),
        mode,
    }
}

/// `slice.iter()`, or the slice itself.
#[track_caller]
pub fn iter<S: Elements>(elements: S) -> Iter<S, Values> {
    over(elements, Values, Location::caller())
}

/// `slice.iter_mut()`.
#[track_caller]
pub fn iter_mut<S: Elements>(elements: S) -> Iter<S, Exclusive> {
    over(elements, Exclusive, Location::caller())
}

impl<S, M> Iter<S, M> {
    /// Items of `elements` at the indices of `range`.
    pub(in crate::lang) const fn new(elements: S, range: RangeIter<usize>, mode: M) -> Self {
        let all = None;
        Self {
            elements,
            all,
            range,
            mode,
        }
    }

    /// The same elements, last one first.
    #[track_caller]
    #[must_use]
    pub fn rev(self) -> Self {
        let (range, all) = (self.range.rev(), None);
        Self { all, range, ..self }
    }

    /// Every `step`th element, beginning with the first. A step of zero ends the work item.
    #[track_caller]
    #[must_use]
    pub fn step_by(self, step: Lane<usize>) -> Self {
        let (range, all) = (self.range.step_by(step), None);
        Self { all, range, ..self }
    }

    /// The first `n` elements.
    #[track_caller]
    #[must_use]
    pub fn take(self, n: Lane<usize>) -> Self {
        let at = Location::caller();
        let all = self.all.map(|all| {
            let least = Op::Binary(BinOp::Min, all.value(), n.value());
            Lane::new(emit(least, Type::U32, at))
        });
        let range = self.range.take(n);
        Self { all, range, ..self }
    }

    /// The elements after the first `n`.
    #[track_caller]
    #[must_use]
    pub fn skip(self, n: Lane<usize>) -> Self {
        let (range, all) = (self.range.skip(n), None);
        Self { all, range, ..self }
    }

    /// The elements with their numbers.
    #[must_use]
    pub fn enumerate(self) -> Iter<S, Enumerated<M>> {
        let Self {
            elements,
            all,
            range,
            mode,
        } = self;
        let mode = Enumerated { range, mode };
        Iter {
            elements,
            all,
            range,
            mode,
        }
    }

    /// The same: elements are values already.
    #[must_use]
    pub fn copied(self) -> Self {
        self
    }

    /// The same: elements are values already.
    #[must_use]
    pub fn cloned(self) -> Self {
        self
    }
}

impl<S: Elements, M: Mode<S>> Iter<S, M> {
    /// How many items there are.
    pub(in crate::lang) fn count(&self, at: At) -> Lane<usize> {
        self.all.unwrap_or_else(|| self.range.count(at))
    }

    /// Item number `n`, which is one of them.
    pub(in crate::lang) fn nth_item(&self, n: Lane<usize>, at: At) -> M::Item {
        self.mode.item(self.elements, self.range.nth(n, at), at)
    }
}

/// `for item in iter { .. }`.
#[track_caller]
pub fn for_each<S: Elements, M: Mode<S>>(iter: Iter<S, M>, body: impl FnOnce(Label, M::Item)) {
    let at = Location::caller();
    let iteration = |label, index| body(label, iter.mode.item(iter.elements, index, at));
    match iter.all {
        Some(count) => for_range(zero(at), || count, iteration),
        None => for_range_iter(iter.range, iteration),
    }
}

/// `#[unroll] for item in iter { .. }`.
#[track_caller]
pub fn for_each_unrolled<S: Elements, M: Mode<S>>(
    iter: Iter<S, M>,
    mut body: impl FnMut(Label, M::Item),
) {
    let at = Location::caller();
    for_unrolled(iter.range, |label, index| {
        body(label, iter.mode.item(iter.elements, index, at));
    });
}

/// `#[unroll(n)] for item in iter { .. }`.
#[track_caller]
pub fn for_each_unrolled_by<S: Elements, M: Mode<S>>(
    iter: Iter<S, M>,
    n: usize,
    mut body: impl FnMut(Label, M::Item),
) {
    let at = Location::caller();
    for_unrolled_by(iter.range, n, |label, index| {
        body(label, iter.mode.item(iter.elements, index, at));
    });
}
