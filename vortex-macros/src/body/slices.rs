//! Mistakes about slices that are known from what is written: methods of iterators, and tuples as indices.

use std::fmt::Display;

use syn::{Expr, ExprMethodCall, Member};

use super::{Rewriter, unparenthesized};
use crate::{messages, valid};

/// Methods that iterators have and slices have not.
const OF_ITERATORS: &[&str] = &[
    "all",
    "any",
    "copied",
    "count",
    "enumerate",
    "filter",
    "filter_map",
    "find",
    "flat_map",
    "fold",
    "for_each",
    "map",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "position",
    "product",
    "reduce",
    "rev",
    "skip",
    "step_by",
    "sum",
    "take",
    "take_while",
    "zip",
];

impl Rewriter<'_> {
    /// `x.sum()` of a slice.
    pub(super) fn iterator_method_of_slice(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let is_known = valid::is_one_of(&call.method, OF_ITERATORS)
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

    /// Whether an expression is a name by itself that is no local and is not written as one of a constant.
    pub(super) fn is_no_local(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                self.local(expr).is_none() && !valid::is_constant_name(&name.to_string())
            }),
            _ => false,
        }
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
