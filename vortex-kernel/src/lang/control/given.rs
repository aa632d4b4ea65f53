//! Arguments of the user's functions and methods, and what rustc says of those that are of another type.
//!
//! Parameters of functions can be of types of their own (see `InKernel` in `function`), for which rustc infers what is
//! passed for them; or they are of the types that are written, and another type is a mistake. Only where a function is
//! declared is it known which. So what an argument is passed as stays open until rustc has seen the function that takes
//! it, for as long as nothing is said of the `C` of [`Given`]: that is the type of a variable of the generated code,
//! and [`closed`] is called with it after the function.

use std::marker::PhantomData;

use super::method::{First, PassedTo};
use super::wanted::Mistake;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::base::written::Written;
use crate::lang::place::access::Mutable;
use crate::lang::place::coerced::CoercesTo;
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::value::option::Opt;
use crate::lang::value::result::Res;
use crate::types::{DeviceType, Element};

/// What is passed for a `Wanted`: the same. Of the numbers of the generated code, by whose types the implementations
/// differ, the type of one is open until it is [closed](Opened::close).
#[diagnostic::on_unimplemented(
    message = "mismatched types",
    label = "this is not what the function takes"
)]
pub trait Given<Wanted, C, H> {
    /// The same.
    #[doc(hidden)]
    fn given(self, _: C, _: H) -> Wanted;

    /// The same.
    #[doc(hidden)]
    fn argument<Found>(self, open: Opened<Found, Wanted, C>, number: H) -> Wanted
    where
        Self: IsFound<Found>,
    {
        self.given(open.number, number)
    }
}

/// Itself, as a type parameter of its own: of what is wrong rustc shows the argument that alone is of a type.
pub trait IsFound<Found>: Sized {}

impl<T> IsFound<T> for T {}

/// What is open of an argument: as what it is wanted, and the `C` of [`Given`].
#[derive(Debug)]
pub struct Opened<Found, Wanted, C> {
    number: C,
    types: PhantomData<fn(Found) -> Wanted>,
}

impl<Found, Wanted, C: Copy> Copy for Opened<Found, Wanted, C> {}

impl<Found, Wanted, C: Copy> Clone for Opened<Found, Wanted, C> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Of a value: if rustc does not know as what it is wanted, that is a value of some type, which the function's own
/// bounds tell then, before rustc looks at what is found.
impl<Found: DeviceType, Wanted: DeviceType> Opened<Lane<Found>, Lane<Wanted>, i32> {
    /// After a call.
    pub fn close(self) {}
}

/// Of what else there is, for which rustc looks when it has not found the above.
pub trait CloseOther {
    /// After a call.
    #[doc(hidden)]
    fn close(&self);
}

impl<Found, Wanted> CloseOther for Opened<Found, Wanted, i32> {
    fn close(&self) {}
}

impl<T> Given<T, i32, i32> for T {
    fn given(self, _: i32, _: i32) -> T {
        self
    }
}

/// What no function takes: while it is open whether it is this, rustc infers nothing from the other implementation.
#[derive(Debug)]
pub enum Open {}

#[diagnostic::do_not_recommend]
impl<T> Given<Open, u16, u16> for T {
    fn given(self, _: u16, _: u16) -> Open {
        unreachable!("no function takes it")
    }
}

/// What is open of an argument.
#[must_use]
pub fn open<Found, Wanted, C: From<u8>>() -> Opened<Found, Wanted, C> {
    Opened {
        number: C::from(0),
        types: PhantomData,
    }
}

/// What a call gives, as an expression that can stand at the beginning of a statement.
pub fn called<R>(result: R) -> R {
    result
}

/// Mistakes: each holds for nothing, as a [`Mistake`] is none of the traits. So while rustc does not know what is
/// wanted, it looks for another implementation.
macro_rules! mistakes {
    ($(
        #[doc = $doc:literal]
        $trait:ident: $note:literal;
        $([$($generics:tt)*] $wanted:ty => $written:ty;)*
    )*) => {$(
        #[doc = $doc]
        #[diagnostic::on_unimplemented(
            message = "mismatched types: expected `{Wanted}`, found `{Found}`",
            label = "expected `{Wanted}`, found `{Found}`",
            note = $note
        )]
        pub trait $trait<Found, Wanted> {}

        $(
            impl<'a, A: Written, C, $($generics)*> Given<$wanted, C, u8> for A
            where
                Mistake: $trait<A::Type<'a>, $written>,
            {
                fn given(self, _: C, _: u8) -> $wanted {
                    unreachable!("it does not compile")
                }
            }

            impl<'a, A: Written, $($generics)*> PassedTo<$wanted, u8> for A
            where
                Mistake: $trait<A::Type<'a>, $written>,
            {
                fn passed_to(self, _: u8) -> $wanted {
                    unreachable!("it does not compile")
                }
            }

            impl<'a, A: Written, $($generics)*> First<$wanted, u8> for A
            where
                Mistake: $trait<A::Type<'a>, $written>,
            {
                fn first_argument(self, _: u8) -> $wanted {
                    unreachable!("it does not compile")
                }
            }
        )*
    )*};
}

mistakes! {
    /// For a value.
    PassedForValue:
        "a number of another type is converted by `as`, as in `n as f32`, a `bool` is made by a comparison, `n != 0`, \
         and a float is written with a point, `2.0`; an element of a slice is `x[i]`, what is in an option \
         `o.unwrap()`, a part of a tuple `t.0`";
    [T: DeviceType] Lane<T> => T;

    /// For a `&mut`.
    PassedForMut:
        "a function that changes a variable of its caller's is passed `&mut name`, and that is a variable of the type \
         that the function names, declared by `let mut`; one that changes an element, `&mut out[i]`";
    [S: Staged + Written<Type<'static>: 'static>] Mutable<S> => &'a mut S::Type<'static>;

    /// For a slice.
    PassedForSlice:
        "a function that reads elements is passed a slice, `x`, a part of one, `&x[a..b]`, an array, `&a`, or local \
         memory, `&tile`";
    [T: Element] Slice<T> => &'a [T];

    /// For a slice that can be written to.
    PassedForSliceMut:
        "a function that changes elements is passed a slice of a parameter `out: &mut [T]`, a part of one, \
         `&mut out[a..b]`, an array that is declared by `let mut`, `&mut a`, or local memory, `&mut tile`";
    [T: Element] SliceMut<T> => &'a mut [T];

    /// For an option.
    PassedForOption:
        "a value is passed as `Some(v)`, and none as `None`";
    [S: Written] Opt<S> => Option<S::Type<'a>>;

    /// For a result.
    PassedForResult:
        "a value is passed as `Ok(v)`, and an error as `Err(e)`";
    [S: Written, E: Written] Res<S, E> => Result<S::Type<'a>, E::Type<'a>>;

    /// For a tuple.
    PassedForTuple:
        "a tuple is one argument, in parentheses of its own: `f((a, b))`";
    [P: Written, Q: Written] (P, Q) => (P::Type<'a>, Q::Type<'a>);
    [P: Written, Q: Written, R: Written] (P, Q, R) => (P::Type<'a>, Q::Type<'a>, R::Type<'a>);

    /// For memory of the work group.
    PassedForLocal:
        "memory of the work group is passed as `&mut tile`, where `let tile = local::<[f32; 64]>()` declares it";
    [T: ?Sized] Local<T> => Local<T>;
}

/// A slice, which is passed whole.
pub trait Whole: Written {}

impl<T: Element> Whole for Slice<T> {}

impl<T: Element> Whole for SliceMut<T> {}

/// A slice for a value: the name of a slice is passed as what references may become.
impl<'a, A: Whole, T: DeviceType> CoercesTo<Lane<T>, u32> for A
where
    Mistake: PassedForValue<A::Type<'a>, T>,
{
    fn coerced(self, _: u32) -> Lane<T> {
        unreachable!("it does not compile")
    }
}
