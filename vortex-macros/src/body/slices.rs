//! Members that something has not, as far as is known from what is written: methods of iterators on slices, tuples as
//! indices, methods of options as fields.

use std::fmt::Display;

use syn::{Expr, ExprMethodCall, Member};

use super::scope::Declared;
use super::subslice::is_subslice;
use super::{Rewriter, unparenthesized};
use crate::{messages, valid};

impl Rewriter<'_> {
    /// `x.map(..)` of a slice.
    pub(super) fn iterator_method_of_slice(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        // Others a trait of the user's may have for slices.
        let is_known = valid::is_of_the_language(&call.method);
        self.slice_for_iterator(call).filter(|_| is_known)
    }

    /// The same in a `for`, where a method of the user's is none.
    pub(super) fn slice_for_iterator(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let is_known = valid::is_of_iterators_alone(&call.method) && self.is_slice(&call.receiver);
        let slice = valid::source(&call.receiver);
        let words: [&dyn Display; 3] = [&call.method, &slice, &valid::source(&call.args)];
        is_known.then(|| messages::ITERATOR_OF_SLICE.at(&call.method, &words))
    }

    /// `a.sort()` of a local without `mut`.
    pub(super) fn changes_an_immutable_array(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let local = self.local(unparenthesized(&call.receiver))?;
        let is_one = valid::changes_slices(&call.method)
            && local.declared == Declared::Local
            && !local.may_change
            && self.facts.arrays.contains_key(&local.id);
        is_one.then(|| messages::CHANGING_LOCAL.at(&call.method, &[&call.method, &local.name]))
    }

    /// A method that slices have not: of `Vec`s, or misspelt.
    pub(super) fn unknown_method_of_slice(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        if let Some(local) = self.local(unparenthesized(&call.receiver))
            && self.facts.arrays.contains_key(&local.id)
            && valid::is_of_vecs(&call.method)
            && !valid::is_of_the_language(&call.method)
        {
            let words: [&dyn Display; 2] = [&local.name, &call.method];
            return Some(messages::LENGTH_OF_ARRAY.at(&call.method, &words));
        }
        let (method, receiver) = (&call.method, self.slice_without_method(call)?);
        let (slice, arguments) = (valid::source(receiver), valid::source(&call.args));
        if valid::is_of_iterators_alone(method) {
            return Some(messages::ITERATOR_OF_SLICE.at(method, &[method, &slice, &arguments]));
        }
        if valid::is_of_vecs(method) {
            return Some(messages::LENGTH_OF_SLICE.at(method, &[&slice, method]));
        }
        let meant = valid::method_of_slices_like(method)?;
        let instead = format!("`{slice}.{meant}({arguments})`");
        let words: [&dyn Display; 3] = [&slice, method, &instead];
        Some(messages::NO_SLICE_METHOD.at(method, &words))
    }

    /// What a method is called on that slices have not, if that is one.
    pub(super) fn slice_without_method<'e>(&self, call: &'e ExprMethodCall) -> Option<&'e Expr> {
        let receiver = unparenthesized(&call.receiver);
        let is_slice = self.is_slice(receiver) || is_subslice(receiver);
        (is_slice && !valid::is_of_the_language(&call.method)).then_some(receiver)
    }

    /// What to write instead of a method that is no misspelt one.
    pub(super) fn instead_of_method(&self, call: &ExprMethodCall, receiver: &Expr) -> String {
        let (method, arguments) = (&call.method, valid::source(&call.args));
        let slice = valid::source(receiver);
        let (ty, whole) = match receiver {
            Expr::Index(part) => (self.type_of_elements(&part.expr), format!("&{slice}")),
            whole => (self.type_of_elements(whole), slice.clone()),
        };
        let ty = ty.unwrap_or_else(|| "T".to_owned());
        if valid::is_one_of(method, &["mean", "average", "avg"]) {
            return format!("`{slice}.iter().sum::<{ty}>() / {slice}.len() as {ty}`");
        }
        let (more, given) = match arguments.is_empty() {
            true => ("", String::new()),
            false => (", ..", format!(", {arguments}")),
        };
        format!(
            "a function that takes the slice, `#[vortex::device] fn {method}(x: &[{ty}]{more}) -> ..`, and call \
             `{method}({whole}{given})`"
        )
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
