//! Every complaint the macro has, by what it is about. The wording is in `messages`.
//!
//! What rustc says better is left to rustc: types, unknown names, moves.

mod attributes;
mod beginning;
mod body;
mod fields;
pub(crate) mod floats;
mod foreign;
mod host;
mod iterators;
mod missing;
mod names;
mod nearest;
mod path;
mod signature;
mod types;

pub(crate) use attributes::*;
pub(crate) use beginning::*;
pub(crate) use body::*;
pub(crate) use fields::{device_field, is_named_as_a_time};
pub(crate) use foreign::*;
pub(crate) use host::*;
pub(crate) use iterators::{
    CHOOSING_METHODS, KEEPING_METHODS, MAKING_METHODS, RANGE_METHODS, arguments_of_an_iterator,
    asks_of_items, consuming_method, gives_an_item, is_of_iterators_alone, iterated, iterated_call,
    iterated_tuple, iterator_method, negative_step,
};
pub(crate) use missing::*;
pub(crate) use names::{
    SORT_BACKWARDS, TOTAL_ORDER, Wanted, arguments_of_a_number, arguments_of_a_slice,
    arguments_of_an_option, by_coordinates, changes_slices, gives_an_element, gives_one_number,
    is_of_floats, is_of_places, is_of_slices, is_of_vecs, is_one_of, is_swizzle, is_test,
    method_of_slices_like, moves_elements, of_options, orderings, takes_function, wanted,
};
pub(crate) use nearest::nearest;
pub(crate) use path::*;
pub(crate) use signature::*;
pub(crate) use types::*;

use std::fmt::Display;

use crate::messages::Message;

/// What is wrong with a function; collected, so that the user sees all of it at once.
#[derive(Default)]
pub(crate) struct Complaints {
    error: Option<syn::Error>,
    /// Whether `Self` is a type: in `impl` and `trait` blocks for the device.
    pub(crate) knows_self: bool,
    /// Whether a kernel has a result type, so that what it returns is no further mistake.
    pub(crate) returns: bool,
    /// Whether a kernel declares lifetimes, so that where it names them is no further mistake.
    pub(crate) lifetimes: bool,
    /// Whether a function gives a value that it does not declare.
    pub(crate) gives_a_value: bool,
}

impl Complaints {
    /// For a block in which `Self` is a type.
    pub(crate) fn of_a_block() -> Self {
        Self {
            knows_self: true,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.error {
            Some(first) => first.combine(error),
            None => self.error = Some(error),
        }
    }

    /// Adds those of something else.
    pub(crate) fn add(&mut self, others: Self) {
        if let Some(error) = others.into_error() {
            self.push(error);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.error.iter().flatten().count()
    }

    /// Whether one of them says this already, of these words: that there is no text, that a function calls itself.
    pub(crate) fn say(&self, message: &Message, words: &[&dyn Display]) -> bool {
        let (start, _) = message.parts(words);
        let mut told = self.error.iter().flatten();
        told.any(|error| error.to_string().starts_with(&start))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.error.is_none()
    }

    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.error
    }
}
