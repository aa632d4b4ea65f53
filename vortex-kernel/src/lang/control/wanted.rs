//! Where a value of a certain type is wanted: what rustc says of anything else, in the user's types.
//!
//! `value::typed` does that for what surely is a value. This is for what a function, a method or a name gives, which
//! may be an option, a tuple, nothing. For each of these there is a trait that nothing implements: so rustc infers from
//! [`Wants`] what it would infer where both are one type, and says of a mistake what is written at the trait.

use super::function::Nothing;
use crate::lang::base::lane::Lane;
use crate::lang::base::written::Written;
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::value::option::Opt;
use crate::lang::value::result::Res;
use crate::lang::value::typed::OfType;
use crate::types::{DeviceType, Element};

/// Where a `Self` is wanted and a `Found` is written. `H` is the type of a number of the generated code, by which the
/// first implementation differs from the others.
#[diagnostic::on_unimplemented(
    message = "this is not a value that kernels compute with",
    label = "found `{Found}`",
    note = "functions and methods that kernels call are declared with `#[vortex::device]`"
)]
pub trait Wants<Found, H>: Sized {
    /// The same.
    #[doc(hidden)]
    fn given(found: Found, _: H) -> Self;
}

impl<A> Wants<A, i32> for A {
    fn given(found: A, _: i32) -> A {
        found
    }
}

macro_rules! never {
    ($([$($generics:tt)*] $found:ty => $trait:ident<$written:ty>;)*) => {$(
        /// Holds for nothing. It is for any `W`, as rustc would list it with all others like it.
        impl<'a, W: Written<Type<'a>: $trait<$written>>, $($generics)*> Wants<$found, u8> for W {
            fn given(_: $found, _: u8) -> Self {
                unreachable!("it does not compile")
            }
        }
    )*};
}

never! {
    [T: DeviceType] Lane<T> => WantedOfValue<T>;
    [S: Written] Opt<S> => WantedOfOption<Option<S::Type<'a>>>;
    [S: Written, E: Written] Res<S, E> => WantedOfResult<Result<S::Type<'a>, E::Type<'a>>>;
    [] Nothing => WantedOfNothing<()>;
    [] () => WantedOfUnit<()>;
    [A: Written, B: Written] (A, B) => WantedOfTuple<(A::Type<'a>, B::Type<'a>)>;
    [A: Written, B: Written, C: Written] (A, B, C) => WantedOfTuple<(A::Type<'a>, B::Type<'a>, C::Type<'a>)>;
    [T] Local<T> => WantedOfLocal<Local<T>>;
    [T: Element] Slice<T> => WantedOfSlice<&'a [T]>;
    [T: Element] SliceMut<T> => WantedOfSlice<&'a mut [T]>;
}

/// What a statement gives that ends in no `;`.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `()`, found `{Self}`",
    label = "expected `()`, found `{Self}`",
    note = "this is a statement, and nothing uses its value: assign it, as in `x = if ..`, or end it with `;`"
)]
pub trait Unit {
    /// Nothing else.
    #[doc(hidden)]
    fn of<'a, S: Written<Type<'a> = Self>>(_: S) {}
}

#[diagnostic::do_not_recommend]
impl Unit for () {}

/// The left side of an operator, of whatever type: a `Lane`.
pub trait Operand<Found, H>: Sized {
    /// The same.
    #[doc(hidden)]
    fn operand(found: Found, _: H) -> Self;
}

impl<L: OfType> Operand<L, i32> for L {
    fn operand(found: L, _: i32) -> L {
        found
    }
}

macro_rules! no_operands {
    ($([$($generics:tt)*] $found:ty => $written:ty;)*) => {$(
        /// Holds for nothing, as nothing is [`Calculated`].
        impl<'a, L: OfType, $($generics)*> Operand<$found, u8> for L
        where
            Mistake: Calculated<$written>,
        {
            fn operand(_: $found, _: u8) -> Self {
                unreachable!("it does not compile")
            }
        }
    )*};
}

no_operands! {
    [S: Written] Opt<S> => Option<S::Type<'a>>;
    [S: Written, E: Written] Res<S, E> => Result<S::Type<'a>, E::Type<'a>>;
    [A: Written, B: Written] (A, B) => (A::Type<'a>, B::Type<'a>);
}

/// What an operator is for.
#[diagnostic::on_unimplemented(
    message = "kernels cannot calculate with `{Found}`",
    label = "this is `{Found}`",
    note = "what is in an option or a result is taken out first: `.unwrap()`, whose failure the launch reports, \
            `.unwrap_or(..)`, or `if let`; the parts of a tuple are `t.0`, `t.1`"
)]
pub trait Calculated<Found> {}

/// What is none of the things that a mistake would have to be.
#[derive(Debug)]
pub enum Mistake {}

macro_rules! wanted {
    ($($(#[doc = $doc:literal])* $name:ident: $note:literal;)*) => {$(
        $(#[doc = $doc])*
        #[diagnostic::on_unimplemented(
            message = "mismatched types: expected `{Self}`, found `{Found}`",
            label = "expected `{Self}`, found `{Found}`",
            note = $note
        )]
        pub trait $name<Found> {}
    )*};
}

wanted! {
    /// A value of another type.
    WantedOfValue:
        "a number of another type is converted by `as`, as in `n as f32`, a `bool` is made by a comparison, `n != 0`, \
         and a float is written with a point, `1.0`";
    /// An option.
    WantedOfOption:
        "it may have no value: write `.unwrap_or(..)` after it, `if let Some(v) = ..`, or `.unwrap()` where it surely \
         has one";
    /// A result.
    WantedOfResult:
        "it may be an error: write `.unwrap_or(..)` after it, `if let Ok(v) = ..`, or `.unwrap()` where it surely is \
         none";
    /// A call of what gives nothing.
    WantedOfNothing:
        "the function results in nothing: write `-> {Self}` where it is declared, and the value at its end without a \
         semicolon";
    /// A block or a loop that gives nothing.
    WantedOfUnit:
        "this gives nothing: a `loop` gives the value of `break value;`, and a block the one at its end, without a \
         semicolon";
    /// A tuple.
    WantedOfTuple:
        "the parts of a tuple are `t.0`, `t.1`, or have names by `let (a, b) = ..`";
    /// Memory of the work group.
    WantedOfLocal:
        "memory of the work group is read by `*`, as in `*sum`";
    /// A slice.
    WantedOfSlice:
        "an element of a slice is written `x[i]`";
}
