//! Members that something has not, as far as is known from what is written: methods of iterators on slices, tuples as
//! indices, methods of options as fields.

use std::fmt::Display;

use syn::{Expr, ExprMethodCall, Member};

use super::Rewriter;
use crate::{messages, valid};

impl Rewriter<'_> {
    /// `x.map(..)` of a slice.
    pub(super) fn iterator_method_of_slice(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        // Others a trait of the user's may have for slices.
        let is_known = valid::is_of_iterators_alone(&call.method)
            && valid::is_of_the_language(&call.method)
            && self.is_slice(&call.receiver);
        let slice = valid::source(&call.receiver);
        let words: [&dyn Display; 2] = [&call.method, &slice];
        is_known.then(|| messages::ITERATOR_OF_SLICE.at(&call.method, &words))
    }

    /// `x[(row, column)]`.
    pub(super) fn tuple_as_index(&self, of: &Expr, index: &Expr) -> Option<syn::Error> {
        let is_tuple = matches!(index, Expr::Tuple(tuple) if tuple.elems.len() > 1);
        let slice = valid::source(of);
        is_tuple.then(|| messages::TUPLE_INDEX.at(index, &[&slice]))
    }

    /// `o.is_some` of an option.
    pub(super) fn method_of_option(&self, base: &Expr, member: &Member) -> Option<syn::Error> {
        let Member::Named(name) = member else {
            return None;
        };
        let is_method = valid::of_options(name).is_some() && self.is_optional(base);
        let words: [&dyn Display; 2] = [name, &valid::source(base)];
        is_method.then(|| messages::METHOD_AS_FIELD.at(name, &words))
    }
}
