//! Every complaint the macro has, by what it is about. The wording is in `messages`.
//!
//! What rustc says better is left to rustc: types, unknown names, moves.

mod attributes;
mod body;
mod names;
mod signature;
mod types;

pub(crate) use attributes::*;
pub(crate) use body::*;
pub(crate) use names::{orderings, takes_function};
pub(crate) use signature::*;
pub(crate) use types::*;

/// What is wrong with a function; collected, so that the user sees all of it at once.
#[derive(Default)]
pub(crate) struct Complaints {
    error: Option<syn::Error>,
}

impl Complaints {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.error {
            Some(first) => first.combine(error),
            None => self.error = Some(error),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.error.is_none()
    }

    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.error
    }
}
