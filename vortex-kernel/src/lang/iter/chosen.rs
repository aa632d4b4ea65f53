//! What is left of an iterator: the last of its items, the least, or all of them made one.

use std::cmp::Ordering;
use std::panic::Location;

use super::sequence::Sequence;
use crate::ir::{BinOp, CmpOp, Value};
use crate::lang::control::flow::{branch, break_};
use crate::lang::place::access::mutable;
use crate::lang::place::place_ref::zero;
use crate::lang::place::staged::Staged;
use crate::lang::recorder::At;
use crate::lang::value::arith::{Num, binary};
use crate::lang::value::compare::Ordered;
use crate::lang::value::lane::Lane;
use crate::lang::value::option::Opt;
use crate::lang::value::truth::truth;
use crate::types::DeviceType;

/// What is always less than, equal to or greater than another: all numbers but floats, what has `Ord`, and tuples of
/// these. It is compared part by part, as by a derived `Ord`; one that is written by hand is the host's alone.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no total order",
    label = "not each of two is less, equal or greater",
    note = "floats have none, for NaN; their least is `.copied().reduce(f32::min)`, or `.fold(f32::INFINITY, f32::min)`",
    note = "structs and enums have one by `#[derive(PartialEq, Eq, PartialOrd, Ord)]`"
)]
pub trait Ranked: Ordered {}

#[diagnostic::do_not_recommend]
impl<T: DeviceType + Ord> Ranked for Lane<T> {}

#[diagnostic::do_not_recommend]
impl<A: Ranked> Ranked for (A,) {}

#[diagnostic::do_not_recommend]
impl<A: Ranked, B: Ranked> Ranked for (A, B) {}

#[diagnostic::do_not_recommend]
impl<A: Ranked, B: Ranked, C: Ranked> Ranked for (A, B, C) {}

/// All items made one: `f` of what they have been so far and of the next.
fn joined<A: Sequence<Item: Staged>>(
    a: A,
    f: impl FnOnce(A::Item, A::Item) -> A::Item,
    at: At,
) -> Opt<A::Item> {
    let any = mutable(truth(false, at)).position();
    let so_far = mutable(zero::<A::Item>(at)).position();
    a.run(|_, item| {
        let next = || f(so_far.get(at), item);
        let next = branch(any.get::<Lane<bool>>(at).value(), next, || item, at);
        so_far.set(next, at);
        any.set(truth(true, at), at);
    });
    Opt::of(any.get(at), so_far.get(at))
}

/// `a.reduce(f)`.
#[track_caller]
#[must_use]
pub fn reduced<A: Sequence<Item: Staged>>(
    a: A,
    f: impl FnOnce(A::Item, A::Item) -> A::Item,
) -> Opt<A::Item> {
    joined(a, f, Location::caller())
}

/// `a.last()`.
#[track_caller]
#[must_use]
pub fn last_of<A: Sequence<Item: Staged>>(a: A) -> Opt<A::Item> {
    joined(a, |_, item| item, Location::caller())
}

/// The item with the least or the greatest key.
fn extreme<A: Sequence<Item: Staged>, K: Ranked>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
    is_better: impl FnOnce(K, K) -> Value,
    at: At,
) -> Opt<A::Item> {
    let any = mutable(truth(false, at)).position();
    let best = mutable(zero::<A::Item>(at)).position();
    let best_key = mutable(zero::<K>(at)).position();
    a.run(|_, item| {
        let key = key(item);
        let is_better = || Lane::new(is_better(key, best_key.get(at)));
        let take = branch(
            any.get::<Lane<bool>>(at).value(),
            is_better,
            || truth(true, at),
            at,
        );
        let replace = || {
            best.set(item, at);
            best_key.set(key, at);
        };
        branch(take.value(), replace, || (), at);
        any.set(truth(true, at), at);
    });
    Opt::of(any.get(at), best.get(at))
}

/// `a.min_by_key(key)`: of several items with the least key the first.
#[track_caller]
#[must_use]
pub fn least_by_key<A: Sequence<Item: Staged>, K: Ranked>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item> {
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Lt, at), at)
}

/// `a.max_by_key(key)`: of several items with the greatest key the last.
#[track_caller]
#[must_use]
pub fn greatest_by_key<A: Sequence<Item: Staged>, K: Ranked>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item> {
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Ge, at), at)
}

/// `a.min_by(..)` with both sides exchanged, which is the greatest key: of several items the first.
#[track_caller]
#[must_use]
pub fn first_greatest_by_key<A: Sequence<Item: Staged>, K: Ranked>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item> {
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Gt, at), at)
}

/// `a.max_by(..)` with both sides exchanged, which is the least key: of several items the last.
#[track_caller]
#[must_use]
pub fn last_least_by_key<A: Sequence<Item: Staged>, K: Ranked>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item> {
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Le, at), at)
}

/// `a.min_by(compare)`: of several least items the first.
#[track_caller]
#[must_use]
pub fn least_by<A: Sequence<Item: Staged>>(
    a: A,
    compare: impl FnOnce(A::Item, A::Item) -> Lane<Ordering>,
) -> Opt<A::Item> {
    let at = Location::caller();
    let less = |best, item| {
        let is_greater = compare(best, item).says_greater(at);
        branch(is_greater, || item, || best, at)
    };
    joined(a, less, at)
}

/// `a.max_by(compare)`: of several greatest items the last.
#[track_caller]
#[must_use]
pub fn greatest_by<A: Sequence<Item: Staged>>(
    a: A,
    compare: impl FnOnce(A::Item, A::Item) -> Lane<Ordering>,
) -> Opt<A::Item> {
    let at = Location::caller();
    let greater = |best, item| {
        let is_greater = compare(best, item).says_greater(at);
        branch(is_greater, || best, || item, at)
    };
    joined(a, greater, at)
}

/// `a.find_map(f)`.
#[track_caller]
#[must_use]
pub fn first_mapped<A: Sequence<Item: Copy>, S: Staged>(
    a: A,
    f: impl FnOnce(A::Item) -> Opt<S>,
) -> Opt<S> {
    let at = Location::caller();
    let found = mutable(truth(false, at)).position();
    let value = mutable(zero::<S>(at)).position();
    a.run(|label, item| {
        let (some, of_item) = f(item).into_parts();
        let first = || {
            value.set(of_item, at);
            found.set(truth(true, at), at);
            break_(label);
        };
        branch(some, first, || (), at);
    });
    Opt::of(found.get(at), value.get(at))
}

/// The least or the greatest of integers.
fn extreme_integer<A: Sequence<Item = Lane<T>>, T: Num>(a: A, op: BinOp, at: At) -> Opt<Lane<T>> {
    joined(a, |best, item| binary(op, best, item, at), at)
}

/// `a.min()`.
#[track_caller]
#[must_use]
pub fn least_of<A: Sequence<Item = Lane<T>>, T: Num>(a: A) -> Opt<Lane<T>>
where
    Lane<T>: Ranked,
{
    extreme_integer(a, BinOp::Min, Location::caller())
}

/// `a.max()`.
#[track_caller]
#[must_use]
pub fn greatest_of<A: Sequence<Item = Lane<T>>, T: Num>(a: A) -> Opt<Lane<T>>
where
    Lane<T>: Ranked,
{
    extreme_integer(a, BinOp::Max, Location::caller())
}
