//! Methods of the user: `#[vortex::device] impl` blocks.
//!
//! They are methods of the user's own type, so that rustc finds them as it finds any method: by the type, by the
//! bounds of a type parameter, and only where they are visible. What a method is called on is a value or a place of
//! the kernel, though, and not a value of the host. So the call `x.speed()` becomes `(*method(x)).speed()`:
//! [`method`] keeps `x` and gives a value of the user's type that means nothing, on which rustc finds the method; and
//! the first thing the method does is to take up what was kept, by [`this`] or [`this_mut`].

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::place::access::{Mutable, Place, mutable};
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::place::subslice::Divisible as _;
use crate::lang::recorder;
use crate::lang::recorder::Receiver;
use crate::lang::value::option::Opt;
use crate::lang::value::result::Res;
use crate::types::{DeviceType, Element};

/// A `T` on which methods with `self` and `&self` are called: a value, or a place that can only be read.
#[derive(Debug)]
pub struct ReadOnly<T>(T);

/// A `T` on which all methods are called: a `let mut` local, an element of a `&mut [T]`, a field of these.
#[derive(Debug)]
pub struct ReadWrite<T>(T);

impl<T> ReadOnly<T> {
    /// What has methods itself.
    pub(in crate::lang) const fn new(of: T) -> Self {
        Self(of)
    }
}

impl<T> ReadWrite<T> {
    /// What has methods itself.
    pub(in crate::lang) const fn new(of: T) -> Self {
        Self(of)
    }
}

impl<T: DeviceType> ReadOnly<T> {
    /// What a method of the language is called on.
    #[track_caller]
    pub(in crate::lang) fn taken_up(self) -> Lane<T> {
        this(&self.0)
    }

    /// The value of that.
    #[track_caller]
    pub(in crate::lang) fn taken_value(self) -> Lane<T> {
        self.taken_up()
    }
}

impl<T: DeviceType> ReadWrite<T> {
    /// What a method of the language is called on.
    #[track_caller]
    pub(in crate::lang) fn taken_up(mut self) -> Mutable<Lane<T>> {
        this_mut(&mut self.0)
    }

    /// The value of that.
    #[track_caller]
    pub(in crate::lang) fn taken_value(self) -> Lane<T> {
        self.taken_up().get()
    }
}

impl<T> Deref for ReadOnly<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Deref for ReadWrite<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for ReadWrite<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// What methods of the user can be called on: values of device types, and places that hold one.
#[diagnostic::on_unimplemented(
    message = "this has no such method in a kernel",
    label = "there is no method of this name",
    note = "`Option` and `Result` have those of Rust that docs/language.md lists; a tuple has none",
    note = "methods can be added to structs and enums with `#[derive(vortex::DeviceType)]`, in an `impl` block with `#[vortex::device]`"
)]
pub trait HasMethods {
    /// The user's type, with what may be done to it.
    #[doc(hidden)]
    type Of;

    /// Keeps this, for the method to take up; the method is looked for in the result.
    #[doc(hidden)]
    #[track_caller]
    fn keep(self) -> Self::Of;

    /// The same, with what a place holds now, for a method by value.
    #[doc(hidden)]
    #[track_caller]
    fn keep_before(self) -> Self::Of
    where
        Self: Sized,
    {
        self.keep()
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> HasMethods for Lane<T> {
    type Of = ReadOnly<T>;

    fn keep(self) -> ReadOnly<T> {
        keep(Receiver::Value(values_of(self)));
        ReadOnly(T::placeholder())
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> HasMethods for Place<T> {
    type Of = ReadOnly<T>;

    fn keep(self) -> ReadOnly<T> {
        keep(Receiver::Place(self.position()));
        ReadOnly(T::placeholder())
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> HasMethods for Mutable<Lane<T>> {
    type Of = ReadWrite<T>;

    fn keep(self) -> ReadWrite<T> {
        keep(Receiver::Place(self.position()));
        ReadWrite(T::placeholder())
    }

    fn keep_before(self) -> ReadWrite<T> {
        keep(Receiver::Before(self.position(), values_of(self.get())));
        ReadWrite(T::placeholder())
    }
}

macro_rules! slices_have_methods {
    ($([$($generics:tt)*] $of:ty: $slice:ty, $this:ident => $whole:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $($generics)*> HasMethods for $of {
            type Of = ReadOnly<$slice>;

            fn keep(self) -> ReadOnly<$slice> {
                let $this = self;
                ReadOnly($whole)
            }
        }
    )*};
}

slices_have_methods! {
    [] Slice<T>: Slice<T>, this => this;
    [] SliceMut<T>: SliceMut<T>, this => this;
    [] Mutable<Slice<T>>: Slice<T>, this => this.position().get(Location::caller());
    [] Mutable<SliceMut<T>>: SliceMut<T>, this => this.position().get(Location::caller());
    [] Local<[T]>: SliceMut<T>, this => this.whole(Location::caller());
}

/// `transpose`, which types of the user often have, too.
macro_rules! transposed {
    ($($of:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<S: Staged, E: Staged> HasMethods for $of {
            type Of = ReadOnly<Self>;

            fn keep(self) -> ReadOnly<Self> {
                ReadOnly(self)
            }
        }
    )*};
}

transposed! {
    Opt<Res<S, E>>;
    Res<Opt<S>, E>;
}

/// What a method is looked for in; it is called on `receiver`.
#[track_caller]
pub fn method<R: HasMethods>(receiver: R) -> R::Of {
    receiver.keep()
}

/// [`method`] where the arguments may change the receiver: a method that has it by value has it as it is now.
#[track_caller]
pub fn method_before<R: HasMethods>(receiver: R) -> R::Of {
    receiver.keep_before()
}

/// [`method`] for methods whose names the language has too: rustc looks for them here when it has not found the
/// language's own.
#[doc(hidden)]
#[must_use]
pub fn method_of_fields<T: DeviceType>(fields: &T::Repr) -> &'static T {
    let mut values = Vec::new();
    T::values(fields, &mut values);
    keep(Receiver::Value(values));
    host()
}

/// A value of the user's type for ever; one for each type.
fn host<T: DeviceType>() -> &'static T {
    thread_local! {
        static HOSTS: RefCell<HashMap<TypeId, &'static dyn Any>> = RefCell::default();
    }
    let known = HOSTS.with_borrow(|hosts| hosts.get(&TypeId::of::<T>()).copied());
    if let Some(host) = known.and_then(|host| host.downcast_ref()) {
        return host;
    }
    let host: &'static T = Box::leak(Box::new(T::placeholder()));
    HOSTS.with_borrow_mut(|hosts| hosts.insert(TypeId::of::<T>(), host));
    host
}

fn keep(receiver: Receiver) {
    recorder::with(|recorder| recorder.receivers.push(receiver));
}

/// What was kept last; nothing in code that is never reached, where it may be what another method was to be called on.
fn receiver() -> Option<Receiver> {
    if recorder::is_dead() {
        return None;
    }
    recorder::with(|recorder| recorder.receivers.pop())
}

/// `self` or `&self` in a method: what it was called on.
#[track_caller]
pub fn this<T: DeviceType>(_: &T) -> Lane<T> {
    match receiver() {
        Some(Receiver::Value(values) | Receiver::Before(_, values)) => {
            Lane::build(&mut words_of(values))
        }
        Some(Receiver::Place(position)) => position.get(Location::caller()),
        None => Lane::unreachable(),
    }
}

/// `&mut self` in a method: the place that it was called on.
#[track_caller]
pub fn this_mut<T: DeviceType>(_: &mut T) -> Mutable<Lane<T>> {
    match receiver() {
        Some(Receiver::Place(position) | Receiver::Before(position, _)) => Mutable::at(position),
        Some(Receiver::Value(values)) => mutable(Lane::build(&mut words_of(values))),
        None => mutable(Lane::unreachable()),
    }
}

/// The first argument of a function that is named by its type, `Ball::energy(&b)`: the function's `self`, or an
/// argument as any other.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{T}`, found `{Self}`",
    label = "expected `{T}`"
)]
pub trait First<T, H = u16> {
    /// What the function takes.
    #[doc(hidden)]
    fn first_argument(self, _: H) -> T;
}

impl<T> First<T, i32> for T {
    fn first_argument(self, _: i32) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> First<T> for Lane<T> {
    fn first_argument(self, _: u16) -> T {
        keep(Receiver::Value(values_of(self)));
        T::placeholder()
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> First<&'static T> for Lane<T> {
    fn first_argument(self, _: u16) -> &'static T {
        keep(Receiver::Value(values_of(self)));
        host()
    }
}

/// An argument of a method of the user. A method of the host takes what it says, too: that it cannot be called is
/// said of its result, and so this is never run for one.
///
/// `H` is the type of a number of the generated code, by which implementations for mistakes differ from these: see
/// [`Given`](super::given::Given).
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{T}`, found `{Self}`",
    label = "expected `{T}`"
)]
pub trait PassedTo<T, H = u16> {
    /// What the method takes.
    #[doc(hidden)]
    fn passed_to(self, _: H) -> T;
}

impl<T> PassedTo<T, i32> for T {
    fn passed_to(self, _: i32) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> PassedTo<T> for Lane<T> {
    fn passed_to(self, _: u16) -> T {
        T::placeholder()
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> PassedTo<&'static T> for Lane<T> {
    fn passed_to(self, _: u16) -> &'static T {
        host()
    }
}

/// A place that is lent to a function named by its type, `Ball::step(&mut b)`.
#[derive(Debug)]
pub struct Lent<S: Staged> {
    place: Mutable<S>,
    /// The value on which the method is called, if it is one.
    host: Option<Box<dyn Any>>,
}

/// `&mut b` as the first argument of a function that is named by its type.
pub fn exclusive<S: Staged>(place: Mutable<S>) -> Lent<S> {
    Lent { place, host: None }
}

/// What is lent: the function's `self`, or an argument as any other.
#[diagnostic::on_unimplemented(
    message = "this function does not take a `{Self}` as its first argument",
    label = "expected `{T}`"
)]
pub trait Lend<'a, T> {
    /// What the function takes.
    #[doc(hidden)]
    fn lend(&'a mut self) -> T;
}

impl<S: Staged> Lend<'_, Mutable<S>> for Lent<S> {
    fn lend(&mut self) -> Mutable<S> {
        self.place
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: DeviceType> Lend<'a, &'a mut T> for Lent<Lane<T>> {
    fn lend(&'a mut self) -> &'a mut T {
        keep(Receiver::Place(self.place.position()));
        let host = self.host.insert(Box::new(T::placeholder()));
        match host.downcast_mut() {
            Some(host) => host,
            None => unreachable!("it has just been put there"),
        }
    }
}

/// What a method of the user results in.
///
/// Implemented for each kind of staged value by itself: where one implementation would be for all of them, rustc
/// would take its `Result` for that of a host's value too, and complain of it a second time.
#[diagnostic::on_unimplemented(
    message = "a kernel can call only functions and methods that are declared with `#[vortex::device]`",
    label = "this gives a `{Self}` of the host",
    note = "write `#[vortex::device]` in front of the function, or of the `impl` block that the method is declared in, \
            or pass what it computes to the kernel as an argument; of Rust's own methods kernels have those that \
            docs/language.md lists"
)]
pub trait Returned {
    /// The same; of what cannot be returned nothing is known, and rustc complains only once.
    #[doc(hidden)]
    type Result;

    #[doc(hidden)]
    fn result(self) -> Self::Result;
}

macro_rules! are_returned {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::lang::control::method::Returned for $ty {
            type Result = Self;

            fn result(self) -> Self {
                self
            }
        }
    )*};
}
pub(in crate::lang) use are_returned;

are_returned! {
    [T: DeviceType] Lane<T>;
    [S: Staged] Opt<S>;
    [S: Staged, E: Staged] Res<S, E>;
    [S: Staged] Mutable<S>;
    [T: Element] Slice<T>;
    [T: Element] SliceMut<T>;
    [T: ?Sized] Local<T>;
    [A: Returned] (A,);
    [A: Returned, B: Returned] (A, B);
    [A: Returned, B: Returned, C: Returned] (A, B, C);
    [A: Returned, B: Returned, C: Returned, D: Returned] (A, B, C, D);
    [A: Returned, B: Returned, C: Returned, D: Returned, E: Returned] (A, B, C, D, E);
    [A: Returned, B: Returned, C: Returned, D: Returned, E: Returned, F: Returned] (A, B, C, D, E, F);
    [A: Returned, B: Returned, C: Returned, D: Returned, E: Returned, F: Returned, G: Returned] (A, B, C, D, E, F, G);
    [A: Returned, B: Returned, C: Returned, D: Returned, E: Returned, F: Returned, G: Returned, H: Returned]
        (A, B, C, D, E, F, G, H);
}
