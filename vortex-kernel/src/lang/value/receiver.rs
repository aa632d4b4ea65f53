//! What methods of `Option` and `Result` are called on.
//!
//! The macro knows such a method by its name, and rustc what it is called on. Of a number rustc would say that a type
//! of this crate has no such method; so it is asked first, about the type that the user knows.

use super::option::Opt;
use super::result::Res;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::types::{DeviceType, Element, Struct};

/// What may be a receiver, by the type that it is for the user.
pub trait Receiver: Sized {
    /// That type, as far as methods go by it.
    #[doc(hidden)]
    type Host;

    /// The receiver itself, if it is a value of a device type.
    #[doc(hidden)]
    fn lane(self) -> Lane<Self::Host>
    where
        Self::Host: DeviceType,
    {
        Staged::unreachable()
    }
}

impl<T: DeviceType> Receiver for Lane<T> {
    type Host = T;

    fn lane(self) -> Self {
        self
    }
}

impl<S> Receiver for Opt<S> {
    type Host = Option<()>;
}

impl<S> Receiver for Res<S> {
    type Host = Result<(), ()>;
}

impl<T: Element> Receiver for Slice<T> {
    type Host = &'static [T];
}

impl<T: Element> Receiver for SliceMut<T> {
    type Host = &'static mut [T];
}

/// What has the methods of `Option`, or methods of the user's that may have the same names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an `Option` nor a `Result`, and has no such method",
    label = "this is a `{Self}`",
    note = "an element `x[i]` and a local are values themselves: remove the call; `x.get(i)` gives an `Option` of \
                an element"
)]
pub trait HasOption: Sized {
    /// The receiver itself.
    #[doc(hidden)]
    type This<R>;

    #[doc(hidden)]
    fn this<R: Receiver<Host = Self>>(receiver: R) -> Self::This<R>;
}

/// What has `map`: arrays, too.
#[diagnostic::on_unimplemented(
    message = "this is neither an `Option`, nor an array or an iterator, and has no `map`",
    label = "this is a `{Self}`",
    note = "an element `x[i]` and a local are values themselves: compute with them; `x.get(i)` gives an `Option` of \
                an element",
    note = "of a `Result`, write `r.ok().map(..)`, or `r.map_or(default, ..)`"
)]
pub trait HasMap: Sized {
    /// The receiver itself.
    #[doc(hidden)]
    type This<R>;

    #[doc(hidden)]
    fn this<R: Receiver<Host = Self>>(receiver: R) -> Self::This<R>;
}

macro_rules! as_they_are {
    ($($name:ident: [$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $name for $ty {
            type This<R> = R;

            fn this<R: Receiver<Host = Self>>(receiver: R) -> R {
                receiver
            }
        }
    )*};
}

as_they_are! {
    HasOption: [] Option<()>;
    HasOption: [] Result<(), ()>;
    HasMap: [] Option<()>;
    HasMap: [T, const N: usize] [T; N];
}

/// Structs, by way of what is known of these alone: of what is none, nothing more is said then.
macro_rules! structs {
    ($($name:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Struct<Value = Lane<T>> + DeviceType> $name for T {
            type This<R> = T::Value;

            fn this<R: Receiver<Host = Self>>(receiver: R) -> T::Value {
                receiver.lane()
            }
        }
    )*};
}

structs! { HasOption HasMap }

/// What a method of `Option` is called on.
#[must_use]
pub fn with_option<R, H>(receiver: R) -> H::This<R>
where
    R: Receiver<Host = H>,
    H: HasOption,
{
    H::this(receiver)
}

/// What `map` is called on.
#[must_use]
pub fn with_map<R, H>(receiver: R) -> H::This<R>
where
    R: Receiver<Host = H>,
    H: HasMap,
{
    H::this(receiver)
}
