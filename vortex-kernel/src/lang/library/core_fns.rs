//! Functions of Rust's library: `std::mem::swap`, `std::cmp::min` and their like.

use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

use crate::ir::BinOp;
use crate::lang::base::constant::{Constant, default};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::{Int, Num};
use crate::lang::base::staged::Staged;
use crate::lang::base::written::Written;
use crate::lang::control::function::Nothing;
use crate::lang::iter::chosen::Extreme;
use crate::lang::place::access::Mutable;
use crate::lang::value::array::array;
use crate::lang::value::compare::{Ordinal, Ranked, le, lt};
use crate::lang::value::integer::most;
use crate::types::{DeviceType, Struct};

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

/// What `T::default` gives: a value of the host, or what a device function of this name gives.
pub trait MadeByDefault {
    /// The value in the kernel.
    type Value;

    #[doc(hidden)]
    #[track_caller]
    fn value(self) -> Self::Value;
}

impl<T: DeviceType> MadeByDefault for T {
    type Value = Lane<T>;

    fn value(self) -> Lane<T> {
        Constant { value: self }.lane()
    }
}

impl<T: DeviceType> MadeByDefault for Lane<T> {
    type Value = Self;

    fn value(self) -> Self {
        self
    }
}

/// `T::default()`.
#[track_caller]
#[must_use]
pub fn by_default<R: MadeByDefault>(default: impl FnOnce() -> R) -> R::Value {
    default().value()
}

/// `std::array::from_fn`.
#[must_use]
pub fn array_from_fn<T: DeviceType, const N: usize>(
    element: impl Fn(Lane<usize>) -> Lane<T>,
) -> Lane<[T; N]> {
    array(std::array::from_fn(|value| {
        element(Constant { value }.lane())
    }))
}

/// The end of `a..`.
#[must_use]
pub fn no_end<T: Int>() -> Lane<T> {
    most()
}

/// `std::cmp::min`.
#[track_caller]
#[must_use]
pub fn least<'a, H: Ordinal, S>(a: S, b: S) -> S
where
    S: Extreme + Written<Type<'a> = H>,
{
    S::extreme(a, b, BinOp::Min, Location::caller())
}

/// `std::cmp::max`.
#[track_caller]
#[must_use]
pub fn greatest<'a, H: Ordinal, S>(a: S, b: S) -> S
where
    S: Extreme + Written<Type<'a> = H>,
{
    S::extreme(a, b, BinOp::Max, Location::caller())
}

/// `min` and `max` as methods of what has an order and is no number: those of numbers are found before these.
pub trait Ranks: Extreme + Ranked {
    /// The lesser of two; the first, if they are equal.
    #[track_caller]
    #[must_use]
    fn min(self, other: Self) -> Self {
        Self::extreme(self, other, BinOp::Min, Location::caller())
    }

    /// The greater of two; the second, if they are equal.
    #[track_caller]
    #[must_use]
    fn max(self, other: Self) -> Self {
        Self::extreme(self, other, BinOp::Max, Location::caller())
    }
}

impl<S: Extreme + Ranked> Ranks for S {}

/// The same methods of structs without an order, after all that these have themselves: for what rustc says then.
pub trait Unranked: Sized {
    /// The struct.
    type Of;

    /// Never called.
    #[doc(hidden)]
    fn min<B>(self, _: B) -> <Self::Of as HasOrder>::Extreme
    where
        Self::Of: HasOrder,
    {
        <Self::Of as HasOrder>::extreme()
    }

    /// Never called.
    #[doc(hidden)]
    fn max<B>(self, _: B) -> <Self::Of as HasOrder>::Extreme
    where
        Self::Of: HasOrder,
    {
        <Self::Of as HasOrder>::extreme()
    }
}

impl<T: Struct> Unranked for &mut T {
    type Of = T;
}

/// What [`Unranked`] asks for: no struct has it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no total order",
    label = "not each of two is less, equal or greater",
    note = "write `#[derive(PartialEq, Eq, PartialOrd, Ord)]` above it; with a float in it there is none, for NaN: \
            compare one field, `if a.key < b.key {{ a }} else {{ b }}`"
)]
pub trait HasOrder {
    /// What such a method gives.
    type Extreme;

    #[doc(hidden)]
    fn extreme() -> Self::Extreme;
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

/// A value of the host that [`Alone`] asks functions about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample(bool);

/// A function that is called by its name alone: one of Rust's library if it can be called with what `Kind` says,
/// which none of the user's can; else one of the user's.
#[derive(Debug)]
pub struct Alone<F, Kind> {
    function: OfUser<F>,
    kind: PhantomData<Kind>,
}

/// A function that is none of Rust's library.
#[derive(Debug)]
pub struct OfUser<F>(F);

impl<F: Copy> OfUser<F> {
    /// The function.
    pub fn function(&self) -> F {
        self.0
    }
}

impl<F, Kind> Deref for Alone<F, Kind> {
    type Target = OfUser<F>;

    fn deref(&self) -> &OfUser<F> {
        &self.function
    }
}

macro_rules! alone {
    ($($(#[$doc:meta])* $kind:ident $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $kind;

        $(#[$doc])*
        pub fn $name<F>(function: F) -> Alone<F, $kind> {
            let function = OfUser(function);
            Alone { function, kind: PhantomData }
        }
    )*};
}

alone! {
    /// `min`, `max`.
    Order named_min_or_max;
    /// `swap`.
    Swap named_swap;
    /// `replace`.
    Replace named_replace;
    /// `take`.
    Take named_take;
}

/// A function of Rust's library that compares two of a type. It is asked of the function: of a name that stands for
/// nothing, rustc knows no type, and says no more.
pub trait Compares<T> {}

impl<F, T: Ordinal> Compares<T> for F {}

impl<F: Fn(Sample, Sample) -> Sample> Alone<F, Order> {
    /// What is called instead. Which of the two it is, the function itself can tell.
    #[track_caller]
    pub fn function<'a, H, S>(&self) -> impl Fn(S, S) -> S + use<'a, H, S, F>
    where
        F: Compares<H>,
        S: Extreme + Written<Type<'a> = H>,
    {
        let at = Location::caller();
        let op = match (self.function.0)(Sample(false), Sample(true)) {
            Sample(false) => BinOp::Min,
            Sample(true) => BinOp::Max,
        };
        move |a, b| S::extreme(a, b, op, at)
    }
}

impl<F: Fn(&mut Sample, &mut Sample)> Alone<F, Swap> {
    /// What is called instead.
    pub fn function<S: Staged>(&self) -> impl Fn(Mutable<S>, Mutable<S>) -> Nothing + use<S, F> {
        |a, b| {
            swap(a, b);
            Nothing {}
        }
    }
}

impl<F: Fn(&mut Sample, Sample) -> Sample> Alone<F, Replace> {
    /// What is called instead.
    pub fn function<S: Staged>(&self) -> impl Fn(Mutable<S>, S) -> S + use<S, F> {
        replace
    }
}

impl<F: Fn(&mut Sample) -> Sample> Alone<F, Take> {
    /// What is called instead.
    pub fn function<T: DeviceType + Default>(
        &self,
    ) -> impl Fn(Mutable<Lane<T>>) -> Lane<T> + use<T, F> {
        take
    }
}
