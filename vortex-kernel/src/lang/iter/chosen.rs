//! What is left of an iterator: the last of its items, the least, or all of them made one.

use std::cmp::Ordering;
use std::panic::Location;

use super::sequence::Sequence;
use crate::ir::{BinOp, CmpOp, Op, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::flow::break_;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, values_of, zero};
use crate::lang::base::truth::truth;
use crate::lang::base::written::Written;
use crate::lang::place::access::mutable;
use crate::lang::recorder::{At, emit};
use crate::lang::value::compare::{Ordered, Ordinal};
use crate::lang::value::option::Opt;
use crate::types::{DeviceType, ScalarType};

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
fn extreme<A: Sequence<Item: Staged>, K: Ordered + Staged>(
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
pub fn least_by_key<'a, H: Ordinal, A: Sequence<Item: Staged>, K>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item>
where
    K: Ordered + Written<Type<'a> = H>,
{
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Lt, at), at)
}

/// `a.max_by_key(key)`: of several items with the greatest key the last.
#[track_caller]
#[must_use]
pub fn greatest_by_key<'a, H: Ordinal, A: Sequence<Item: Staged>, K>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item>
where
    K: Ordered + Written<Type<'a> = H>,
{
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Ge, at), at)
}

/// `a.min_by(..)` with both sides exchanged, which is the greatest key: of several items the first.
#[track_caller]
#[must_use]
pub fn first_greatest_by_key<'a, H: Ordinal, A: Sequence<Item: Staged>, K>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item>
where
    K: Ordered + Written<Type<'a> = H>,
{
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Gt, at), at)
}

/// `a.max_by(..)` with both sides exchanged, which is the least key: of several items the last.
#[track_caller]
#[must_use]
pub fn last_least_by_key<'a, H: Ordinal, A: Sequence<Item: Staged>, K>(
    a: A,
    key: impl FnOnce(A::Item) -> K,
) -> Opt<A::Item>
where
    K: Ordered + Written<Type<'a> = H>,
{
    let at = Location::caller();
    extreme(a, key, |key, best| key.ordered(best, CmpOp::Le, at), at)
}

/// The best item. Of two it is the later one if `compare` calls the earlier one greater, or if it does not.
fn extreme_by<A: Sequence<Item: Staged>>(
    a: A,
    compare: impl FnOnce(A::Item, A::Item) -> Lane<Ordering>,
    later_if_greater: bool,
    at: At,
) -> Opt<A::Item> {
    let better = |best, item| {
        let is_greater = compare(best, item).says_greater(at);
        let (greater, other) = match later_if_greater {
            true => (item, best),
            false => (best, item),
        };
        branch(is_greater, || greater, || other, at)
    };
    joined(a, better, at)
}

/// `a.min_by(compare)`: of several least items the first.
#[track_caller]
#[must_use]
pub fn least_by<A: Sequence<Item: Staged>>(
    a: A,
    compare: impl FnOnce(A::Item, A::Item) -> Lane<Ordering>,
) -> Opt<A::Item> {
    extreme_by(a, compare, true, Location::caller())
}

/// `a.max_by(compare)`: of several greatest items the last.
#[track_caller]
#[must_use]
pub fn greatest_by<A: Sequence<Item: Staged>>(
    a: A,
    compare: impl FnOnce(A::Item, A::Item) -> Lane<Ordering>,
) -> Opt<A::Item> {
    extreme_by(a, compare, false, Location::caller())
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

/// What `min` and `max` choose from: integers by an instruction, all else by comparing. Of their types they ask for
/// [`Ordinal`].
#[diagnostic::on_unimplemented(
    message = "kernels do not choose the least or the greatest of these",
    label = "not values that have an order"
)]
pub trait Extreme: Ordered + Staged {
    /// The lesser or the greater: of equal ones, the first or the last.
    #[doc(hidden)]
    fn extreme(best: Self, item: Self, op: BinOp, at: At) -> Self {
        by_order(best, item, op, at)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Extreme for Lane<T> {
    fn extreme(best: Self, item: Self, op: BinOp, at: At) -> Self {
        match (T::AS_SCALAR, &values_of(best)[..], &values_of(item)[..]) {
            (Some(scalar), &[a], &[b]) if scalar != ScalarType::Bool => {
                let value = emit(Op::Binary(op, a, b), scalar.ir(), at);
                best.rebuild(&mut std::iter::once(value))
            }
            _ => by_order(best, item, op, at),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<A: Ordered + Staged, B: Ordered + Staged> Extreme for (A, B) {}

#[diagnostic::do_not_recommend]
impl<A: Ordered + Staged, B: Ordered + Staged, C: Ordered + Staged> Extreme for (A, B, C) {}

fn by_order<S: Ordered + Staged>(best: S, item: S, op: BinOp, at: At) -> S {
    let replaces = match op {
        BinOp::Min => CmpOp::Lt,
        _ => CmpOp::Ge,
    };
    let is_better = item.ordered(best, replaces, at);
    branch(is_better, || item, || best, at)
}

fn extreme_of<A: Sequence<Item: Extreme>>(a: A, op: BinOp, at: At) -> Opt<A::Item> {
    joined(a, |best, item| A::Item::extreme(best, item, op, at), at)
}

/// `a.min()`: of several least items the first.
#[track_caller]
#[must_use]
pub fn least_of<'a, H: Ordinal, A>(a: A) -> Opt<A::Item>
where
    A: Sequence<Item: Extreme + Written<Type<'a> = H>>,
{
    extreme_of(a, BinOp::Min, Location::caller())
}

/// `a.max()`: of several greatest items the last.
#[track_caller]
#[must_use]
pub fn greatest_of<'a, H: Ordinal, A>(a: A) -> Opt<A::Item>
where
    A: Sequence<Item: Extreme + Written<Type<'a> = H>>,
{
    extreme_of(a, BinOp::Max, Location::caller())
}
