//! Iterators as expressions: `x.iter().zip(y).map(..).sum()`.
//!
//! A sequence is recorded as the loop that goes through it; what is done with its items becomes the body. So nothing of
//! it is left on the device but that loop.

use std::panic::Location;

use super::elements::{Iter, Mode, for_each};
use super::range_iter::{RangeIter, for_range_iter, range_iter};
use crate::ir::{BinOp, Type};
use crate::lang::base::branch::branch;
use crate::lang::base::flow::{Label, break_, for_range};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::{Int, Num};
use crate::lang::base::staged::{Staged, zero};
use crate::lang::base::truth::{not, truth};
use crate::lang::place::access::mutable;
use crate::lang::place::elements::Elements;
use crate::lang::recorder::{At, emit_const};
use crate::lang::value::arith::binary;
use crate::lang::value::operators::arithmetic;
use crate::lang::value::option::Opt;
use crate::types::DeviceType;

/// What can be gone through, item by item.
#[diagnostic::on_unimplemented(
    message = "there is nothing to go through in `{Self}`",
    label = "neither a range nor the elements of a slice",
    note = "write `x.iter()` for the elements of a slice, `(a..b)` for numbers"
)]
pub trait Sequence: Sized {
    /// What it is made of.
    type Item;

    /// Records the loop; `body` is called once.
    #[doc(hidden)]
    #[track_caller]
    fn run(self, body: impl FnOnce(Label, Self::Item));
}

/// A sequence whose items can be had by their numbers.
#[diagnostic::on_unimplemented(
    message = "the items of this cannot be counted",
    label = "how many items there are is known only after going through them",
    note = "call `zip`, `chain`, `rev` and `step_by` in front of `filter`, `take_while` and their like"
)]
pub trait Enumerable: Sequence {
    /// How many there are.
    #[doc(hidden)]
    fn count_items(&self, at: At) -> Lane<usize>;

    /// Item number `n`, which is one of them.
    #[doc(hidden)]
    fn nth(&self, n: Lane<usize>, at: At) -> Self::Item;
}

impl<S: Elements, M: Mode<S>> Sequence for Iter<S, M> {
    type Item = M::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, M::Item)) {
        for_each(self, body);
    }
}

impl<S: Elements, M: Mode<S>> Enumerable for Iter<S, M> {
    fn count_items(&self, at: At) -> Lane<usize> {
        self.count(at)
    }

    fn nth(&self, n: Lane<usize>, at: At) -> M::Item {
        self.nth_item(n, at)
    }
}

impl<T: Int> Sequence for RangeIter<T> {
    type Item = Lane<T>;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, Lane<T>)) {
        for_range_iter(self, body);
    }
}

impl<T: Int> Enumerable for RangeIter<T> {
    fn count_items(&self, at: At) -> Lane<usize> {
        self.count(at)
    }

    fn nth(&self, n: Lane<usize>, at: At) -> Lane<T> {
        self.nth(n, at)
    }
}

/// `a.zip(b)`.
#[derive(Clone, Copy, Debug)]
pub struct Zipped<A, B>(A, B);

/// `a.zip(b)`.
pub fn zipped<A: Enumerable, B: Enumerable>(a: A, b: B) -> Zipped<A, B> {
    Zipped(a, b)
}

impl<A: Enumerable, B: Enumerable> Sequence for Zipped<A, B> {
    type Item = (A::Item, B::Item);

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, Self::Item)) {
        let at = Location::caller();
        let count = self.count_items(at);
        for_range(zero(at), || count, |label, n| body(label, self.nth(n, at)));
    }
}

impl<A: Enumerable, B: Enumerable> Enumerable for Zipped<A, B> {
    fn count_items(&self, at: At) -> Lane<usize> {
        binary(
            BinOp::Min,
            self.0.count_items(at),
            self.1.count_items(at),
            at,
        )
    }

    fn nth(&self, n: Lane<usize>, at: At) -> Self::Item {
        (self.0.nth(n, at), self.1.nth(n, at))
    }
}

/// `a.enumerate()`, of what is no [`Iter`].
#[track_caller]
pub fn numbered<A: Enumerable>(a: A) -> Zipped<RangeIter<usize>, A> {
    let at = Location::caller();
    let count = a.count_items(at);
    Zipped(range_iter(zero(at), || count), a)
}

/// `a.map(f)`.
#[derive(Clone, Copy, Debug)]
pub struct Mapped<A, F>(A, F);

/// `a.map(f)`.
pub fn mapped<A: Sequence, R, F: Fn(A::Item) -> R>(a: A, f: F) -> Mapped<A, F> {
    Mapped(a, f)
}

impl<A: Sequence, R, F: Fn(A::Item) -> R> Sequence for Mapped<A, F> {
    type Item = R;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, R)) {
        let Self(a, f) = self;
        a.run(|label, item| body(label, f(item)));
    }
}

impl<A: Enumerable, R, F: Fn(A::Item) -> R> Enumerable for Mapped<A, F> {
    fn count_items(&self, at: At) -> Lane<usize> {
        self.0.count_items(at)
    }

    fn nth(&self, n: Lane<usize>, at: At) -> R {
        self.1(self.0.nth(n, at))
    }
}

/// `a.filter(f)`.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<A, F>(A, F);

/// `a.filter(f)`.
pub fn filtered<A: Sequence<Item: Copy>, F: Fn(A::Item) -> Lane<bool>>(
    a: A,
    f: F,
) -> Filtered<A, F> {
    Filtered(a, f)
}

impl<A: Sequence<Item: Copy>, F: Fn(A::Item) -> Lane<bool>> Sequence for Filtered<A, F> {
    type Item = A::Item;

    #[track_caller]
    fn run(self, body: impl FnOnce(Label, A::Item)) {
        let Self(a, f) = self;
        let at = Location::caller();
        a.run(|label, item| branch(f(item).value(), || body(label, item), || (), at));
    }
}

/// `for item in a { .. }`.
#[track_caller]
pub fn for_sequence<A: Sequence>(a: A, body: impl FnOnce(Label, A::Item)) {
    a.run(body);
}

/// `a.for_each(f)`.
#[track_caller]
pub fn for_all<A: Sequence>(a: A, f: impl FnOnce(A::Item)) {
    a.run(|_, item| f(item));
}

/// `a.fold(first, f)`.
#[track_caller]
pub fn folded<A: Sequence, S: Staged>(a: A, first: S, f: impl FnOnce(S, A::Item) -> S) -> S {
    let at = Location::caller();
    let so_far = mutable(first).position();
    a.run(|_, item| so_far.set(f(so_far.get(at), item), at));
    so_far.get(at)
}

/// Goes through numbers, beginning with this bit pattern of an integer, `f32`, `f16` or `bf16`.
#[track_caller]
fn combined<A: Sequence<Item = Lane<T>>, T: Num>(a: A, op: BinOp, first: [u32; 4]) -> Lane<T> {
    let at = Location::caller();
    let ty = T::SCALAR.ir();
    let [integer, single, half, brain] = first;
    let first = match ty {
        Type::F32 => single,
        Type::F16 => half,
        Type::BF16 => brain,
        _ => integer,
    };
    let first: Lane<T> = Lane::new(emit_const(first, ty, at));
    let so_far = mutable(first).position();
    a.run(|_, item| so_far.set(arithmetic(op, so_far.get(at), item, at), at));
    so_far.get(at)
}

/// What has a sum and a product. These follow from the bound: where it does not hold, nothing is known of them, and
/// rustc says no more.
#[diagnostic::on_unimplemented(
    message = "kernels cannot calculate with `{Self}`",
    label = "these are no numbers",
    note = "of a struct's field write `x.iter().map(|v| v.field).sum()`, and what has operators of its own is added \
            in a `fold`, `x.iter().fold(first, |sum, v| sum + *v)`; how many hold is `x.iter().filter(|v| ..).count()`"
)]
pub trait Summed<Sum>: DeviceType {
    #[doc(hidden)]
    fn combined<A: Sequence<Item = Lane<Self>>>(a: A, op: BinOp, first: [u32; 4]) -> Sum;
}

#[diagnostic::do_not_recommend]
impl<T: Num> Summed<Lane<T>> for T {
    #[track_caller]
    fn combined<A: Sequence<Item = Lane<T>>>(a: A, op: BinOp, first: [u32; 4]) -> Lane<T> {
        combined(a, op, first)
    }
}

/// What nothing is.
#[doc(hidden)]
pub trait Unsummed {}

/// Of one implementation alone rustc would take the sum, and complain of it where it stands.
#[diagnostic::do_not_recommend]
impl<T: DeviceType + Unsummed> Summed<()> for T {
    fn combined<A: Sequence<Item = Lane<T>>>(_: A, _: BinOp, _: [u32; 4]) {}
}

/// `a.sum()`: from the first item to the last. That of no floats is -0, as in Rust.
#[track_caller]
#[must_use]
pub fn sum_of<A: Sequence<Item = Lane<T>>, T: Summed<Sum>, Sum>(a: A) -> Sum {
    T::combined(a, BinOp::Add, [0, 0x8000_0000, 0x8000, 0x8000])
}

/// `a.product()`.
#[track_caller]
#[must_use]
pub fn product_of<A: Sequence<Item = Lane<T>>, T: Summed<Product>, Product>(a: A) -> Product {
    T::combined(a, BinOp::Mul, [1, 0x3f80_0000, 0x3c00, 0x3f80])
}

/// `a.count()`.
#[track_caller]
#[must_use]
pub fn count_of<A: Sequence>(a: A) -> Lane<usize> {
    let at = Location::caller();
    let one: Lane<usize> = Lane::new(emit_const(1, Type::U32, at));
    let so_far = mutable(zero::<Lane<usize>>(at)).position();
    a.run(|_, _| so_far.set(binary(BinOp::Add, so_far.get(at), one, at), at));
    so_far.get(at)
}

/// `(a..b).len()`, and of what else has items with numbers.
#[track_caller]
#[must_use]
pub fn length_of<A: Enumerable>(a: A) -> Lane<usize> {
    a.count_items(Location::caller())
}

/// Leaves the loop at the first item for which `f` holds, after `then` was done with it.
fn find_first<A: Sequence<Item: Copy>>(
    a: A,
    f: impl FnOnce(A::Item) -> Lane<bool>,
    then: impl FnOnce(A::Item),
    at: At,
) -> Lane<bool> {
    let found = mutable(truth(false, at)).position();
    let body = |label, item| {
        let first = || {
            then(item);
            found.set(truth(true, at), at);
            break_(label);
        };
        branch(f(item).value(), first, || (), at);
    };
    a.run(body);
    found.get(at)
}

/// `a.any(f)`.
#[track_caller]
pub fn any_of<A: Sequence<Item: Copy>>(a: A, f: impl FnOnce(A::Item) -> Lane<bool>) -> Lane<bool> {
    find_first(a, f, |_| (), Location::caller())
}

/// `a.all(f)`.
#[track_caller]
pub fn all_of<A: Sequence<Item: Copy>>(a: A, f: impl FnOnce(A::Item) -> Lane<bool>) -> Lane<bool> {
    let at = Location::caller();
    not(find_first(a, |item| not(f(item), at), |_| (), at), at)
}

/// `a.position(f)`.
#[track_caller]
#[must_use]
pub fn position_of<A: Sequence<Item: Copy>>(
    a: A,
    f: impl FnOnce(A::Item) -> Lane<bool>,
) -> Opt<Lane<usize>> {
    let at = Location::caller();
    let one: Lane<usize> = Lane::new(emit_const(1, Type::U32, at));
    let number = mutable(zero::<Lane<usize>>(at)).position();
    let test = |item| {
        let holds = f(item);
        let on = || {
            let next = binary(BinOp::Add, number.get(at), one, at);
            number.set(next, at);
        };
        branch(holds.value(), || (), on, at);
        holds
    };
    let found = find_first(a, test, |_| (), at);
    Opt::of(found, number.get(at))
}

/// `a.find(f)`.
#[track_caller]
#[must_use]
pub fn first_of<A: Sequence<Item: Staged>>(
    a: A,
    f: impl FnOnce(A::Item) -> Lane<bool>,
) -> Opt<A::Item> {
    let at = Location::caller();
    let item = mutable(zero::<A::Item>(at)).position();
    let found = find_first(a, f, |found| item.set(found, at), at);
    Opt::of(found, item.get(at))
}
