//! `value?`: what it is asked of, and what it gives the caller.
//!
//! Where a function says what it results in, the macro knows whether `?` gives `None` or an `Err`, and rustc is asked
//! about the receiver by the type that it is for the user. A closure that says nothing gives what follows from its
//! last expression.

use super::pattern::Matched;
use crate::lang::base::lane::words_of;
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::value::option::{Opt, none};
use crate::lang::value::receiver::{Receiver, asked};
use crate::lang::value::result::{Res, err};

asked! {
    /// What `?` is asked of in a function that results in an `Option`.
    #[diagnostic::on_unimplemented(
        message = "`?` gives `None` to the caller here, and this is not an `Option`",
        label = "not an `Option`",
        note = "this function results in an `Option`: of a `Result`, write `.ok()?`; what is neither is a value \
                itself, without `?`"
    )]
    OptionAsked: [] Option<()>;

    /// What `?` is asked of in a function that results in a `Result`.
    #[diagnostic::on_unimplemented(
        message = "`?` gives an `Err` to the caller here, and this is not a `Result`",
        label = "not a `Result`",
        note = "this function results in a `Result`: of an `Option`, write `.ok_or(error)?`; what is neither is a \
                value itself, without `?`"
    )]
    ResultAsked: [] Result<(), ()>;
}

/// The error of a function in which `?` finds one, both by the types that they are for the user.
///
/// The function's is `Self`: while rustc does not know it, it infers nothing from this bound.
#[diagnostic::on_unimplemented(
    message = "`?` gives the caller a `{Found}`, and the error of this function is a `{Self}`",
    label = "expected the error `{Self}`, found `{Found}`",
    note = "`?` converts nothing in kernels: write `.map_err(|error| ..)?` in its place"
)]
pub trait ErrorFound<Found> {
    /// The same error; both are staged forms of one type.
    #[doc(hidden)]
    fn pass<A: Matched<Host = Found>, B: Matched<Host = Self>>(error: A) -> B {
        B::build(&mut words_of(values_of(error)))
    }
}

#[diagnostic::do_not_recommend]
impl<Error> ErrorFound<Error> for Error {}

/// `Err` of the error that `?` has found.
#[track_caller]
pub fn passed_on<S, A, B, Found, Wanted>(error: A) -> Res<S, B>
where
    S: Staged,
    A: Matched<Host = Found>,
    B: Matched<Host = Wanted>,
    Wanted: ErrorFound<Found>,
{
    err(|| Wanted::pass(error))
}

/// What `?` in a closure gives that closure's caller.
#[diagnostic::on_unimplemented(
    message = "`?` is for an `Option` in a closure that gives an `Option`, and for a `Result` in one that gives a \
               `Result`",
    label = "neither of the two here"
)]
pub trait Left<Given> {
    /// What there is otherwise.
    #[doc(hidden)]
    type Value;

    /// The value; where there is none, does `leave`, which ends in a jump.
    #[doc(hidden)]
    #[track_caller]
    fn value_or_leave(self, leave: impl FnOnce(Given)) -> Self::Value;
}

#[diagnostic::do_not_recommend]
impl<S: Staged, U: Staged> Left<Opt<U>> for Opt<S> {
    type Value = S;

    fn value_or_leave(self, leave: impl FnOnce(Opt<U>)) -> S {
        self.or_leave(|| leave(none()))
    }
}

#[diagnostic::do_not_recommend]
impl<S: Staged, U: Staged, F: Staged> Left<Res<U, F>> for Res<S, F> {
    type Value = S;

    fn value_or_leave(self, leave: impl FnOnce(Res<U, F>)) -> S {
        self.or_leave(|error| leave(err(|| error)))
    }
}

/// `value?` in a closure that does not say what it results in.
#[track_caller]
pub fn value_or_leave<V: Left<Given>, Given>(value: V, leave: impl FnOnce(Given)) -> V::Value {
    value.value_or_leave(leave)
}
