//! Device functions: staged where they are called.

use std::any::type_name;
use std::panic::Location;

use super::method::Returned;
use crate::ir::{self, Op, SourceLoc};
use crate::lang::StageError;
use crate::lang::base::flow::emit_scope;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::base::tuples::up_to;
use crate::lang::base::written::OtherThanLane;
use crate::lang::place::access::{Mutable, mutable, room};
use crate::lang::recorder::{self, Active, Declared, emit_jump, in_block, new_label};
use crate::types::DeviceType;

/// What a device function gives that returns nothing. One of the host gives `()`, by which the two are told apart.
#[derive(Clone, Copy, Debug)]
pub struct Nothing {}

#[diagnostic::do_not_recommend]
impl Returned for Nothing {
    type Result = ();

    fn result(self) {}
}

/// Where `return` in a device function or a closure leaves to.
#[derive(Clone, Copy, Debug)]
pub struct Returns<R: Staged> {
    label: ir::Label,
    value: Mutable<R>,
}

/// A function that a kernel can call: it results in a staged value. `Arguments` tells the numbers of arguments apart.
#[diagnostic::on_unimplemented(
    message = "a kernel can call only functions declared with `#[vortex::device]`",
    label = "this is a function of the host, or a kernel",
    note = "write `#[vortex::device]` in front of a function of the host, or pass what it computes to the kernel as an \
            argument; what two kernels do is a function of its own with `#[vortex::device]`, which both call"
)]
pub trait Callable<Arguments> {
    /// The same; of a function of the host nothing is known, so that rustc does not complain of its arguments too.
    #[doc(hidden)]
    type Function;

    #[doc(hidden)]
    fn function(self) -> Self::Function;
}

/// Functions are not returned; but of one that is to be the macro has said so, and each call is no further error.
macro_rules! pointers {
    ($(($($argument:ident),*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<Result, $($argument),*> Returned for fn($($argument),*) -> Result {
            type Result = Self;

            fn result(self) -> Self {
                self
            }
        }
    )*};
}

pointers! { () (A) (A, B) (A, B, C) (A, B, C, D) }

macro_rules! callable {
    ($(($($argument:ident $_name:ident),*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<Function: Fn($($argument),*) -> Result, Result: Returned, $($argument),*> Callable<($($argument,)*)>
            for Function
        {
            type Function = Self;

            fn function(self) -> Self {
                self
            }
        }
    )*};
}

up_to! { 12, callable! { () } }

/// A function of the user that is handed to another by its name.
#[diagnostic::on_unimplemented(
    message = "a kernel can call only functions declared with `#[vortex::device]`",
    label = "this is a function of the host, or a kernel",
    note = "write `#[vortex::device]` in front of a function of the host, or a closure: `|x| ..`"
)]
pub trait Handed<Arguments> {
    /// The same, with the result that a closure would have.
    type Function;

    #[doc(hidden)]
    fn handed(self) -> Self::Function;
}

macro_rules! handed {
    ($(($($argument:ident $name:ident),*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<Function, Result, $($argument),*> Handed<($($argument,)*)> for Function
        where
            Function: Fn($($argument),*) -> Result + 'static,
            Result: Returned + 'static,
            $($argument: 'static,)*
        {
            type Function = &'static dyn Fn($($argument),*) -> Result::Result;

            fn handed(self) -> Self::Function {
                // A function by its name has no size, and so this takes no memory.
                Box::leak(Box::new(move |$($name: $argument),*| self($($name),*).result()))
            }
        }
    )*};
}

up_to! { 6, handed! { () } }

/// What a device function is given for a parameter by value: in kernels a `Lane<T>`. What it gives is `Given` then,
/// which is `Result`.
///
/// So parameters and result are of types of their own, and rustc says what is written here where the host calls the
/// function, and nothing of the result. In kernels the code around a call says that what is a value is passed as one
/// ([`Opened`](super::given::Opened)), which then is a `Lane<Wanted>`: so what is wrong with it is said where it
/// stands.
/// Of what else there is, rustc says what is written at [`GivenAs`].
#[diagnostic::on_unimplemented(
    message = "this function is for kernels, and this is a `{Self}` of the host",
    label = "a `{Self}` of the host",
    note = "write `#[vortex::device(host)]` in front of the function, and the host can call it, too"
)]
pub trait InKernel<Wanted: DeviceType, Result, Given> {
    /// The same.
    #[doc(hidden)]
    fn value(self) -> Lane<Wanted>;

    /// The same.
    #[doc(hidden)]
    fn given(result: Result) -> Given;
}

#[diagnostic::do_not_recommend]
impl<Wanted: DeviceType, Result> InKernel<Wanted, Result, Result> for Lane<Wanted> {
    fn value(self) -> Self {
        self
    }

    fn given(result: Result) -> Result {
        result
    }
}

/// Holds for nothing, as no type is `GivenAs` what is written for one.
impl<'a, A, Wanted, Result, Given> InKernel<Wanted, Result, Given> for A
where
    A: OtherThanLane,
    Wanted: DeviceType + GivenAs<A::Written<'a>>,
{
    fn value(self) -> Lane<Wanted> {
        unreachable!("it does not compile")
    }

    fn given(_: Result) -> Given {
        unreachable!("it does not compile")
    }
}

/// The same of parameters after the first: of what the host passes for them nothing is said, as it has been said of the
/// first.
#[diagnostic::on_unimplemented(
    message = "this function is for kernels, and this is a `{Self}` of the host",
    label = "a `{Self}` of the host",
    note = "write `#[vortex::device(host)]` in front of the function, and the host can call it, too"
)]
pub trait AlsoInKernel<Wanted: DeviceType> {
    /// The same.
    #[doc(hidden)]
    fn value(self) -> Lane<Wanted>;
}

#[diagnostic::do_not_recommend]
impl<Wanted: DeviceType> AlsoInKernel<Wanted> for Lane<Wanted> {
    fn value(self) -> Self {
        self
    }
}

/// Holds for nothing, as no type is `GivenAs` what is written for one.
impl<'a, A, Wanted> AlsoInKernel<Wanted> for A
where
    A: OtherThanLane,
    Wanted: DeviceType + GivenAs<A::Written<'a>>,
{
    fn value(self) -> Lane<Wanted> {
        unreachable!("it does not compile")
    }
}

macro_rules! of_the_host {
    ($($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<Wanted: DeviceType> AlsoInKernel<Wanted> for $ty {
            fn value(self) -> Lane<Wanted> {
                unreachable!("the call does not compile")
            }
        }
    )*};
}

of_the_host! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }

/// A type of which a function takes a value, where something else is passed.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{Self}`, found `{Found}`",
    label = "expected `{Self}`, found `{Found}`",
    note = "an element of a slice is written `x[i]`, what is in an option `o.unwrap()`, a part of a tuple `t.0`, and \
            what a reference refers to `*r`"
)]
pub trait GivenAs<Found> {}

/// What nothing is. It is here for rustc, which of the host's values would else say both.
#[derive(Debug)]
pub enum NotFound {}

#[diagnostic::do_not_recommend]
impl<T> GivenAs<NotFound> for T {}

/// A `T`. That it is a type of its own until rustc knows better keeps mistakes between argument and function.
pub trait PassedAs<T> {
    /// The same.
    #[doc(hidden)]
    fn passed(self) -> T;
}

impl<T> PassedAs<T> for T {
    fn passed(self) -> T {
        self
    }
}

/// An argument of a call.
pub fn argument<T, A: PassedAs<T>>(argument: A) -> T {
    argument.passed()
}

/// The body of a device function, recorded where the function is called: there is no call on the device.
///
/// The caller of this is the caller of the function.
#[track_caller]
pub fn function<R: Staged, B: FnOnce() -> R>(name: &'static str, declared: Declared, body: B) -> R {
    recorded(name, declared, body, R::unreachable)
}

/// The body of `index_mut`, which gives a place.
#[track_caller]
pub fn function_of_place<T: DeviceType, B: FnOnce() -> Mutable<Lane<T>>>(
    name: &'static str,
    declared: Declared,
    body: B,
) -> Mutable<Lane<T>> {
    recorded(name, declared, body, || mutable(Lane::unreachable()))
}

/// What a body gives, or if it calls itself, what is never reached.
#[track_caller]
fn recorded<R, B: FnOnce() -> R>(
    name: &'static str,
    declared: Declared,
    body: B,
    unreachable: impl FnOnce() -> R,
) -> R {
    let active = Active {
        name,
        path: type_name::<B>(),
        declared,
    };
    let at = Location::caller();
    match recorder::enter_function(active) {
        Ok(()) => {
            let value = body();
            recorder::leave_function();
            value
        }
        Err(cycle) => {
            if let Some(functions) = cycle {
                recorder::report(StageError::Recursion {
                    functions,
                    at: SourceLoc::from_caller(at),
                });
            }
            unreachable()
        }
    }
}

/// A body with a `return` in it.
#[track_caller]
pub fn returning<R: Staged>(body: impl FnOnce(Returns<R>) -> R) -> R {
    let at = Location::caller();
    let (value, label) = (room(), new_label());
    let ((), body) = in_block(|| {
        let result = body(Returns { label, value });
        value.set(result);
    });
    emit_scope(label, body, at);
    value.get()
}

/// `return value`.
#[track_caller]
pub fn return_from<R: Staged>(function: Returns<R>, value: impl FnOnce() -> R) {
    function.value.set(value());
    emit_jump(Op::Break(function.label), Location::caller());
}
