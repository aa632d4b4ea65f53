//! What is said of an `Option` or a `Result` that is not what it has to be: `expect`, and `unwrap` of a `Result`. And
//! that results can be printed.

use std::array::TryFromSliceError;
use std::fmt::{self, Debug, Display, Formatter};
use std::num::TryFromIntError;
use std::panic::Location;
use std::slice::Iter;

use super::print::{Shown, panic};
use crate::ir::Value;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::Staged;
use crate::lang::recorder::{At, placed};
use crate::lang::value::option::Opt;
use crate::lang::value::result::Res;
use crate::lang::value::tried::{NotInRange, OfAnotherLength};

/// What `expect` is called on.
#[diagnostic::on_unimplemented(
    message = "this has no `expect`, or an error that cannot be printed",
    label = "neither an `Option` nor a `Result` whose error can be printed"
)]
pub trait Expected<S> {
    /// What is said after the text.
    #[doc(hidden)]
    type Error: Shown;

    /// The value; where there is none, does `leave`.
    #[doc(hidden)]
    #[track_caller]
    fn or_else_leave(self, leave: impl FnOnce(Self::Error)) -> S;
}

/// After the text of an `expect`: nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoError;

impl Display for NoError {
    fn fmt(&self, _: &mut Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl Shown for NoError {
    type Host = Self;

    fn words(self, _: At, _: &mut Vec<Value>) {}

    fn host(_: &mut Iter<'_, u32>) -> Self {
        Self
    }
}

#[diagnostic::do_not_recommend]
impl<S: Staged> Expected<S> for Opt<S> {
    type Error = NoError;

    fn or_else_leave(self, leave: impl FnOnce(NoError)) -> S {
        self.or_leave(|| leave(NoError))
    }
}

/// An error after the text of an `expect`.
#[derive(Clone, Copy, Debug)]
pub struct AfterText<E>(E);

impl<E: Debug> Display for AfterText<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ": {:?}", self.0)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Shown> Shown for AfterText<E> {
    type Host = AfterText<E::Host>;

    fn words(self, at: At, out: &mut Vec<Value>) {
        self.0.words(at, out);
    }

    fn host(words: &mut Iter<'_, u32>) -> Self::Host {
        AfterText(E::host(words))
    }
}

#[diagnostic::do_not_recommend]
impl<S: Staged, E: Staged + Shown> Expected<S> for Res<S, E> {
    type Error = AfterText<E>;

    fn or_else_leave(self, leave: impl FnOnce(AfterText<E>)) -> S {
        self.or_leave(|error| leave(AfterText(error)))
    }
}

/// `option.expect("text")`: does `otherwise`, which panics with the text, where there is no value.
#[track_caller]
pub fn expected<O: Expected<S>, S>(option: O, otherwise: impl FnOnce(O::Error)) -> S {
    option.or_else_leave(otherwise)
}

impl<S: Staged, E: Staged> Res<S, E> {
    /// The value. Where it is `Err`, the work item ends with a panic that says the error.
    #[track_caller]
    #[must_use]
    pub fn unwrap(self) -> S
    where
        E: Shown,
        E::Host: Debug + 'static,
    {
        let says = "called `Result::unwrap()` on an `Err` value";
        let fail = |error| {
            panic(says, (Shown::shown(error), ()), |(error, ())| {
                format!("called `Result::unwrap()` on an `Err` value: {error:?}")
            });
        };
        let at = Location::caller();
        self.or_leave(|error| placed(at, || fail(error)))
    }

    /// The error. Where it is `Ok`, the work item ends with a panic that says the value.
    #[track_caller]
    #[must_use]
    pub fn unwrap_err(self) -> E
    where
        S: Shown,
        S::Host: Debug + 'static,
    {
        let says = "called `Result::unwrap_err()` on an `Ok` value";
        let fail = |value| {
            panic(says, (Shown::shown(value), ()), |(value, ())| {
                format!("called `Result::unwrap_err()` on an `Ok` value: {value:?}")
            });
        };
        let at = Location::caller();
        self.turned().or_leave(|value| placed(at, || fail(value)))
    }
}

#[diagnostic::do_not_recommend]
impl<S: Shown + Staged, E: Shown + Staged> Shown for Res<S, E> {
    type Host = Result<S::Host, E::Host>;

    fn words(self, at: At, out: &mut Vec<Value>) {
        self.into_parts().words(at, out);
    }

    fn host(words: &mut Iter<'_, u32>) -> Self::Host {
        let (ok, value, error) = <(Lane<bool>, S, E)>::host(words);
        match ok {
            true => Ok(value),
            false => Err(error),
        }
    }
}

macro_rules! errors_of_conversion {
    ($($name:ident $host:ty, $failed:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Shown for $name {
            type Host = $host;

            fn words(self, _: At, _: &mut Vec<Value>) {}

            fn host(_: &mut Iter<'_, u32>) -> $host {
                match $failed {
                    Err(error) => error,
                    Ok(_) => unreachable!("what cannot be converted"),
                }
            }
        }
    )*};
}

errors_of_conversion! {
    NotInRange TryFromIntError, u8::try_from(u32::MAX);
    OfAnotherLength TryFromSliceError, <[u8; 1]>::try_from(&[][..]);
}
