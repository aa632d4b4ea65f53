//! Iterators made of others: `take`, `skip`, `rev` and their like after `map` and `zip`, and those whose number of
//! items is not known.

use std::panic::Location;

use super::elements::{Mode, Values, iter};
use super::range_iter::{RangeIter, for_range_iter, range_iter};
use super::sequence::{Enumerable, Sequence};
use crate::ir::{BinOp, CmpOp, Type};
use crate::lang::base::branch::branch;
use crate::lang::base::flow::{Label, break_, continued};
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::base::truth::{not, truth};
use crate::lang::place::access::{Mutable, mutable};
use crate::lang::place::elements::Elements;
use crate::lang::recorder::{At, emit_const};
use crate::lang::value::arith::{binary, compare};
use crate::lang::value::option::Opt;

/// Items of another sequence, picked by their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Picked<A> {
    items: A,
    range: RangeIter<usize>,
}

/// All items of `items`, of which some can then be picked.
#[track_caller]
pub fn picked<A: Enumerable>(items: A) -> Picked<A> {
    let at = Location::caller();
    let count = items.count_items(at);
    let range = range_iter(zero(at), || count);
    Picked { items, range }
}

impl<A> Picked<A> {
    /// The same items, last one first.
    #[track_caller]
    #[must_use]
    pub fn rev(self) -> Self {
        let range = self.range.rev();
        Self { range, ..self }
    }

    /// Every `step`th item, beginning with the first. A step of zero ends the work item.
    #[track_caller]
    #[must_use]
    pub fn step_by(self, step: Lane<usize>) -> Self {
        let range = self.range.step_by(step);
        Self { range, ..self }
    }

    /// The first `n` items.
    #[track_caller]
    #[must_use]
    pub fn take(self, n: Lane<usize>) -> Self {
        let range = self.range.take(n);
        Self { range, ..self }
    }

    /// What comes after the first `n` items.
    #[track_caller]
    #[must_use]
    pub fn skip(self, n: Lane<usize>) -> Self {
        let range = self.range.skip(n);
        Self { range, ..self }
    }
}

impl<A: Enumerable> Sequence for Picked<A> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        let at = Location::caller();
        for_range_iter(self.range, |label, n| body(label, self.items.nth(n, at)));
    }
}

impl<A: Enumerable> Enumerable for Picked<A> {
    fn count_items(&self, at: At) -> Lane<usize> {
        self.range.count(at)
    }

    fn nth(&self, n: Lane<usize>, at: At) -> A::Item {
        self.items.nth(self.range.nth(n, at), at)
    }
}

/// `a.chain(b)`.
#[derive(Clone, Copy, Debug)]
pub struct Chained<A, B>(A, B);

/// `a.chain(b)`.
pub fn chained<A: Enumerable<Item: Staged>, B: Enumerable<Item = A::Item>>(
    a: A,
    b: B,
) -> Chained<A, B> {
    Chained(a, b)
}

impl<A: Enumerable<Item: Staged>, B: Enumerable<Item = A::Item>> Sequence for Chained<A, B> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        picked(self).run(body);
    }
}

impl<A: Enumerable<Item: Staged>, B: Enumerable<Item = A::Item>> Enumerable for Chained<A, B> {
    fn count_items(&self, at: At) -> Lane<usize> {
        let (first, second) = (self.0.count_items(at), self.1.count_items(at));
        binary(BinOp::Add, first, second, at)
    }

    fn nth(&self, n: Lane<usize>, at: At) -> A::Item {
        let first = self.0.count_items(at);
        let is_of_first = compare(CmpOp::Lt, n.value(), first.value(), at);
        let of_second = || self.1.nth(binary(BinOp::Sub, n, first, at), at);
        branch(is_of_first, || self.0.nth(n, at), of_second, at)
    }
}

fn one(at: At) -> Lane<usize> {
    Lane::new(emit_const(1, Type::U32, at))
}

/// `a.enumerate()`, where the number of items is not known.
#[derive(Clone, Copy, Debug)]
pub struct Numbering<A>(A);

/// `a.enumerate()`, where the number of items is not known.
pub fn counted<A: Sequence>(a: A) -> Numbering<A> {
    Numbering(a)
}

impl<A: Sequence> Sequence for Numbering<A> {
    type Item = (Lane<usize>, A::Item);

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, Self::Item)) {
        let at = Location::caller();
        let next = mutable(zero::<Lane<usize>>(at)).position();
        self.0.run(|label, item| {
            let number = next.get(at);
            next.set(binary(BinOp::Add, number, one(at), at), at);
            body(label, (number, item));
        });
    }
}

/// `a.take(n)`, where the number of items is not known.
#[derive(Clone, Copy, Debug)]
pub struct Taken<A>(A, Lane<usize>);

/// `a.take(n)`, where the number of items is not known.
pub fn taken<A: Sequence>(a: A, n: Lane<usize>) -> Taken<A> {
    Taken(a, n)
}

impl<A: Sequence> Sequence for Taken<A> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        let at = Location::caller();
        let Self(a, n) = self;
        let is_none = |n: Lane<usize>| {
            let none = emit_const(0, Type::U32, at);
            compare(CmpOp::Eq, n.value(), none, at)
        };
        let left = mutable(n).position();
        let run = || {
            a.run(|label, item| {
                let rest = binary(BinOp::Sub, left.get(at), one(at), at);
                left.set(rest, at);
                continued(label, |label| body(label, item), at);
                branch(is_none(left.get(at)), || break_(label), || (), at);
            });
        };
        branch(is_none(n), || (), run, at);
    }
}

/// `a.skip(n)`, where the number of items is not known.
#[derive(Clone, Copy, Debug)]
pub struct Skipped<A>(A, Lane<usize>);

/// `a.skip(n)`, where the number of items is not known.
pub fn skipped<A: Sequence<Item: Copy>>(a: A, n: Lane<usize>) -> Skipped<A> {
    Skipped(a, n)
}

impl<A: Sequence<Item: Copy>> Sequence for Skipped<A> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        let at = Location::caller();
        let left = mutable(self.1).position();
        self.0.run(|label, item| {
            let now: Lane<usize> = left.get(at);
            let none = emit_const(0, Type::U32, at);
            let all = compare(CmpOp::Eq, now.value(), none, at);
            let skip = || left.set(binary(BinOp::Sub, now, one(at), at), at);
            branch(all, || body(label, item), skip, at);
        });
    }
}

/// `a.flat_map(f)`: a loop in a loop.
#[derive(Clone, Copy, Debug)]
pub struct FlatMapped<A, F>(A, F);

/// `a.flat_map(f)`.
pub fn flat_mapped<A: Sequence, B: Sequence, F: Fn(A::Item) -> B>(a: A, f: F) -> FlatMapped<A, F> {
    FlatMapped(a, f)
}

impl<A: Sequence, B: Sequence, F: Fn(A::Item) -> B> Sequence for FlatMapped<A, F> {
    type Item = B::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, B::Item)) {
        let Self(a, f) = self;
        a.run(|outer, item| f(item).run(|inner, item| body(inner.inside(outer), item)));
    }
}

/// `a.flatten()`, of slices and arrays.
#[derive(Clone, Copy, Debug)]
pub struct Flattened<A>(A);

/// `a.flatten()`, of slices and arrays.
pub fn flattened<A: Sequence<Item: Elements>>(a: A) -> Flattened<A> {
    Flattened(a)
}

impl<A: Sequence<Item: Elements>> Sequence for Flattened<A>
where
    Values: Mode<A::Item>,
{
    type Item = <Values as Mode<A::Item>>::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, Self::Item)) {
        flat_mapped(self.0, iter).run(body);
    }
}

/// `a.scan(first, f)`: `f` is lent what has been kept so far.
#[derive(Clone, Copy, Debug)]
pub struct Scanned<A, S, F>(A, S, F);

/// `a.scan(first, f)`.
pub fn scanned<A: Sequence, S: Staged, R: Staged, F: Fn(Mutable<S>, A::Item) -> Opt<R>>(
    a: A,
    first: S,
    f: F,
) -> Scanned<A, S, F> {
    Scanned(a, first, f)
}

impl<A: Sequence, S: Staged, R: Staged, F: Fn(Mutable<S>, A::Item) -> Opt<R>> Sequence
    for Scanned<A, S, F>
{
    type Item = R;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, R)) {
        let at = Location::caller();
        let Self(a, first, f) = self;
        let state = mutable(first);
        a.run(|label, item| {
            let (some, value) = f(state, item).into_parts();
            branch(some, || body(label, value), || break_(label), at);
        });
    }
}

macro_rules! with_closures {
    ($($(#[$doc:meta])* $name:ident $function:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<A, F>(A, F);

        $(#[$doc])*
        pub fn $function<A: Sequence<Item: Copy>, R, F: Fn(A::Item) -> R>(a: A, f: F) -> $name<A, F>
        where
            $name<A, F>: Sequence,
        {
            $name(a, f)
        }
    )*};
}

with_closures! {
    /// `a.take_while(f)`.
    TakenWhile taken_while;
    /// `a.skip_while(f)`.
    SkippedWhile skipped_while;
    /// `a.map_while(f)`.
    MappedWhile mapped_while;
    /// `a.filter_map(f)`.
    FilterMapped filter_mapped;
}

impl<A: Sequence<Item: Copy>, F: Fn(A::Item) -> Lane<bool>> Sequence for TakenWhile<A, F> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        let at = Location::caller();
        let Self(a, f) = self;
        a.run(|label, item| {
            let goes_on = f(item).value();
            branch(goes_on, || body(label, item), || break_(label), at);
        });
    }
}

impl<A: Sequence<Item: Copy>, F: Fn(A::Item) -> Lane<bool>> Sequence for SkippedWhile<A, F> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        let at = Location::caller();
        let Self(a, f) = self;
        let has_begun = mutable(zero::<Lane<bool>>(at)).position();
        a.run(|label, item| {
            let begun = has_begun.get::<Lane<bool>>(at).value();
            let now = branch(begun, || truth(true, at), || not(f(item), at), at);
            has_begun.set(now, at);
            branch(now.value(), || body(label, item), || (), at);
        });
    }
}

impl<A: Sequence<Item: Copy>, S: Staged, F: Fn(A::Item) -> Opt<S>> Sequence for MappedWhile<A, F> {
    type Item = S;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, S)) {
        let at = Location::caller();
        let Self(a, f) = self;
        a.run(|label, item| {
            let (some, value) = f(item).into_parts();
            branch(some, || body(label, value), || break_(label), at);
        });
    }
}

impl<A: Sequence<Item: Copy>, S: Staged, F: Fn(A::Item) -> Opt<S>> Sequence for FilterMapped<A, F> {
    type Item = S;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, S)) {
        let at = Location::caller();
        let Self(a, f) = self;
        a.run(|label, item| {
            let (some, value) = f(item).into_parts();
            branch(some, || body(label, value), || (), at);
        });
    }
}
