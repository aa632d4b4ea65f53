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
#[diagnostic::on_unimplemented(
    message = "this is neither an `Option` nor a `Result`",
    label = "not an `Option`, nor a `Result`"
)]
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

impl<D: DeviceType> Receiver for Lane<D> {
    type Host = D;

    fn lane(self) -> Self {
        self
    }
}

impl<S> Receiver for Opt<S> {
    type Host = Option<()>;
}

impl<S, F> Receiver for Res<S, F> {
    type Host = Result<(), ()>;
}

impl Receiver for () {
    type Host = ();
}

impl<D: Element> Receiver for Slice<D> {
    type Host = &'static [D];
}

impl<D: Element> Receiver for SliceMut<D> {
    type Host = &'static mut [D];
}

/// Traits by which rustc is asked whether a receiver has some methods, and the types that have them. Generated code
/// calls `this` of the trait: of a function with such a bound, rustc would show where that is declared.
macro_rules! asked {
    ($(
        $(#[$attribute:meta])*
        $name:ident: $([$($generics:tt)*] $ty:ty),*;
    )*) => {$(
        $(#[$attribute])*
        pub trait $name: Sized {
            /// The receiver itself.
            #[doc(hidden)]
            type This<R>;

            #[doc(hidden)]
            fn this<R: Receiver<Host = Self>>(receiver: R) -> Self::This<R>;
        }

        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> $name for $ty {
                type This<R> = R;

                fn this<R: Receiver<Host = Self>>(receiver: R) -> R {
                    receiver
                }
            }
        )*
    )*};
}
pub(in crate::lang) use asked;

asked! {
    /// What has the methods of `Option`, or methods of the user's that may have the same names.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is neither an `Option` nor a `Result`, and has no such method",
        label = "this is a `{Self}`",
        note = "an element `x[i]` and a local are values themselves: remove the call; `x.get(i)` gives an `Option` of \
                an element"
    )]
    HasOption: [] Option<()>, [] Result<(), ()>;

    /// What has the methods of `Option` that a `Result` has not.
    #[diagnostic::on_unimplemented(
        message = "this method is one of `Option`, and this is not an `Option`",
        label = "not an `Option`",
        note = "of a `Result`, `r.ok()` is an `Option`, and `is_ok()` asks what `is_some()` asks of that",
        note = "an element `x[i]` and a local are values themselves; `x.get(i)` gives an `Option` of an element"
    )]
    OnlyOption: [] Option<()>;

    /// What has the methods of `Result` that an `Option` has not.
    #[diagnostic::on_unimplemented(
        message = "this method is one of `Result`, and this is not a `Result`",
        label = "not a `Result`",
        note = "of an `Option`, `o.ok_or(error)` is a `Result`, and `is_some()` asks what `is_ok()` asks of that"
    )]
    HasResult: [] Result<(), ()>;

    /// What has `map`: arrays, too.
    #[diagnostic::on_unimplemented(
        message = "this is neither an `Option`, a `Result`, an array nor an iterator, and has no `map`",
        label = "this is a `{Self}`",
        note = "an element `x[i]` and a local are values themselves: compute with them; `x.get(i)` gives an `Option` \
                of an element"
    )]
    HasMap: [] Option<()>, [] Result<(), ()>, [D, const N: usize] [D; N];
}

/// Structs, by way of what is known of these alone: of what is none, nothing more is said then.
macro_rules! structs {
    ($($name:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<D: Struct<Value = Lane<D>> + DeviceType> $name for D {
            type This<R> = D::Value;

            fn this<R: Receiver<Host = Self>>(receiver: R) -> D::Value {
                receiver.lane()
            }
        }
    )*};
}

structs! { HasOption OnlyOption HasResult HasMap }
