//! References as functions take them: a `&[T; N]` and a `&mut [T]` for a `&[T]`, and no `&T` for a `&mut T`.

use std::panic::Location;

use super::access::{Mutable, Place};
use super::memory::{Slice, SliceMut};
use super::subslice::Divisible;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::base::written::{Written, written};
use crate::types::{DeviceType, Element};

/// What a reference can be to a function.
///
/// Where nothing says which of these it is, it is what it is: `H` is the type of a number of the generated code, which
/// rustc then takes for an `i32`. So a slice is what is reported where a number is wanted, and not that rustc cannot
/// infer a type.
#[diagnostic::on_unimplemented(
    message = "mismatched types",
    label = "expected `{A}`, found `{Self}`"
)]
pub trait CoercesTo<A, H> {
    /// The same, of the type that the function takes.
    #[doc(hidden)]
    #[track_caller]
    fn coerced(self, _: H) -> A;
}

impl<A> CoercesTo<A, i32> for A {
    fn coerced(self, _: i32) -> A {
        self
    }
}

/// `&x` or `&mut x` of a place, for a function that takes its value.
#[diagnostic::do_not_recommend]
impl<S: Staged> CoercesTo<S, u8> for Mutable<S> {
    #[track_caller]
    fn coerced(self, _: u8) -> S {
        self.position().get(Location::caller())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> CoercesTo<Slice<T>, u8> for SliceMut<T> {
    fn coerced(self, _: u8) -> Slice<T> {
        Slice::of(self.parts)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Lane<[T; N]> {
    #[track_caller]
    fn coerced(self, _: u8) -> Slice<T> {
        self.whole(Location::caller())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Mutable<Lane<[T; N]>> {
    #[track_caller]
    fn coerced(self, _: u8) -> Slice<T> {
        Slice::of(Divisible::<SliceMut<T>>::whole(self, Location::caller()).parts)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<SliceMut<T>, u8> for Mutable<Lane<[T; N]>> {
    #[track_caller]
    fn coerced(self, _: u8) -> SliceMut<T> {
        self.whole(Location::caller())
    }
}

/// What no function takes. That a slice may be this keeps rustc from inferring that it is passed as what it is, before
/// it has seen what the function takes.
#[derive(Debug)]
pub enum NotTaken {}

#[diagnostic::do_not_recommend]
impl<A: IsShared> CoercesTo<NotTaken, u16> for A {
    fn coerced(self, _: u16) -> NotTaken {
        unreachable!("no function takes it")
    }
}

/// `&x` of a place or a value: whoever is given it may only read.
#[derive(Clone, Copy, Debug)]
pub struct Shared<P>(P);

/// `&x`.
pub fn shared<P>(place: P) -> Shared<P> {
    Shared(place)
}

written! {
    [S: Staged + Written<Type<'static>: 'static>] Shared<Mutable<S>> => &'a S::Type<'static>;
    [T: DeviceType] Shared<Place<T>> => &'a T;
    [T: DeviceType] Shared<Lane<T>> => &'a T;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> CoercesTo<Lane<T>, u8> for Shared<Lane<T>> {
    fn coerced(self, _: u8) -> Lane<T> {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<S: Staged> CoercesTo<S, u8> for Shared<Mutable<S>> {
    #[track_caller]
    fn coerced(self, _: u8) -> S {
        self.0.coerced(0)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> CoercesTo<Lane<T>, u8> for Shared<Place<T>> {
    #[track_caller]
    fn coerced(self, _: u8) -> Lane<T> {
        self.0.position().get(Location::caller())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Shared<Lane<[T; N]>> {
    #[track_caller]
    fn coerced(self, _: u8) -> Slice<T> {
        self.0.coerced(0)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Shared<Place<[T; N]>> {
    #[track_caller]
    fn coerced(self, _: u8) -> Slice<T> {
        self.0.whole(Location::caller())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> CoercesTo<Slice<T>, u8> for Shared<Mutable<Lane<[T; N]>>> {
    #[track_caller]
    fn coerced(self, _: u8) -> Slice<T> {
        self.0.coerced(0)
    }
}

/// A `&`; of an array that is no place, that itself. That there is a trait of these keeps rustc from listing what else
/// they may become.
pub trait IsShared {
    /// What the user writes.
    type Written<'a>;
}

#[diagnostic::do_not_recommend]
impl<P> IsShared for Shared<P>
where
    Self: Written,
{
    type Written<'a> = <Self as Written>::Type<'a>;
}

#[diagnostic::do_not_recommend]
impl<T: Element, const N: usize> IsShared for Lane<[T; N]> {
    type Written<'a> = &'a [T; N];
}

#[diagnostic::do_not_recommend]
impl<T: Element> IsShared for Slice<T> {
    type Written<'a> = &'a [T];
}

/// Holds for nothing, as nothing is `LentFor` another.
impl<'a, A, S> CoercesTo<Mutable<S>, u8> for A
where
    A: Written,
    S: Staged + Written,
    S::Type<'a>: 'a,
    &'a mut S::Type<'a>: LentFor<A::Type<'a>>,
{
    fn coerced(self, _: u8) -> Mutable<S> {
        unreachable!("it does not compile")
    }
}

/// The same of slices.
impl<'a, A: IsShared, T: Element> CoercesTo<SliceMut<T>, u8> for A
where
    &'a mut [T]: LentFor<A::Written<'a>>,
{
    fn coerced(self, _: u8) -> SliceMut<T> {
        unreachable!("it does not compile")
    }
}

/// A slice of other elements.
impl<'a, A: IsShared, T: Element> CoercesTo<Slice<T>, u32> for A
where
    &'a [T]: TakenFor<A::Written<'a>>,
{
    fn coerced(self, _: u32) -> Slice<T> {
        unreachable!("it does not compile")
    }
}

/// What a function takes, where a slice is passed.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{Self}`, found `{Found}`",
    label = "expected `{Self}`, found `{Found}`",
    note = "elements are converted one by one: `x[i] as f32`"
)]
pub trait TakenFor<Found> {}

/// A `&mut` that a function takes, where something else is passed.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{Self}`, found `{Found}`",
    label = "expected `{Self}`, found `{Found}`",
    note = "a function that changes a variable of its caller's is passed `&mut name`, and that is a variable of the \
            type that the function names, declared by `let mut`; one that changes elements, `&mut out[a..b]` or `out` \
            of a parameter `out: &mut [T]`"
)]
pub trait LentFor<Found> {}
