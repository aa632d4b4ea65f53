//! Functions of Rust's library: `std::mem::swap`, `std::cmp::min` and their like.

use super::arith::Num;
use super::compare::{le, lt};
use super::device_type::DeviceType;
use super::integer::Int;
use super::lane::Lane;
use super::literal::Constant;
use super::place::Mutable;
use super::staged::Staged;

/// `std::mem::swap`.
#[track_caller]
pub fn swap<S: Staged>(a: Mutable<S>, b: Mutable<S>) {
    let old = a.get();
    a.set(b.get());
    b.set(old);
}

/// `std::mem::replace`.
#[track_caller]
pub fn replace<S: Staged>(place: Mutable<S>, value: S) -> S {
    let old = place.get();
    place.set(value);
    old
}

/// `std::mem::take`.
#[track_caller]
pub fn take<T: DeviceType + Default>(place: Mutable<Lane<T>>) -> Lane<T> {
    replace(place, default())
}

/// `T::default()`, as the host computes it.
#[track_caller]
#[must_use]
pub fn default<T: DeviceType + Default>() -> Lane<T> {
    let value = T::default();
    Constant { value }.lane()
}

/// `std::cmp::min`, which is for integers.
#[track_caller]
#[must_use]
pub fn least<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<T> {
    a.min(b)
}

/// `std::cmp::max`, which is for integers.
#[track_caller]
#[must_use]
pub fn greatest<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<T> {
    a.max(b)
}

/// `(start..end).contains(&x)`.
#[track_caller]
#[must_use]
pub fn within<T: Num>(start: Lane<T>, end: Lane<T>, x: Lane<T>) -> Lane<bool> {
    le(start, || x) & lt(x, || end)
}

/// `(start..=end).contains(&x)`.
#[track_caller]
#[must_use]
pub fn within_inclusive<T: Num>(start: Lane<T>, end: Lane<T>, x: Lane<T>) -> Lane<bool> {
    le(start, || x) & le(x, || end)
}

/// What a function of the library is called instead of; the user's `use` of it is not in vain then.
pub fn instead_of<F, R>(_: F, result: R) -> R {
    result
}
