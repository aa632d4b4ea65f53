//! Iterators: what a `for` goes over beyond ranges and slices, and expressions that go through one.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprMethodCall, ExprRange, Pat, RangeLimits};

use super::call::compared_by_truth;
use super::desugared::Comparison;
use super::iterator::{
    ItemShape, is_adapter, is_made, is_range, is_sequence, is_uncountable, parts, shape,
};
use super::method::called_on;
use super::scope::Declared;
use super::{
    Rewriter, callee, desugared, effects, iterator, subslice, unparenthesized, unreferenced,
};
use crate::signature::ParamKind;
use crate::valid::Access;
use crate::{messages, spans, valid};

/// An iterator that begins with something else, also where `zip` and `chain` take one: `beginning` says it of the `x`
/// of `x` and of `x.into_iter()`. `None` if it says nothing of any.
pub(super) fn with_beginnings(
    iterated: &Expr,
    beginning: &dyn Fn(&Expr) -> Option<Expr>,
) -> Option<Expr> {
    let iterated = unparenthesized(desugared::gone_over(iterated));
    let Expr::MethodCall(call) = iterated else {
        return beginning(iterated);
    };
    if call.method == "into_iter" && call.args.is_empty() {
        return beginning(unparenthesized(&call.receiver));
    }
    if !is_adapter(call) {
        return None;
    }
    let receiver = with_beginnings(&call.receiver, beginning);
    let of_two = valid::is_one_of(&call.method, &["zip", "chain"]);
    let other = call.args.first().filter(|_| of_two);
    let other = other.and_then(|other| with_beginnings(other, beginning));
    if receiver.is_none() && other.is_none() {
        return None;
    }
    let mut call = call.clone();
    if let Some(receiver) = receiver {
        *call.receiver = receiver;
    }
    if let (Some(other), Some(place)) = (other, call.args.first_mut()) {
        *place = other;
    }
    Some(Expr::MethodCall(call))
}

impl Rewriter<'_> {
    /// The same with `y.iter_mut()` for each `y` and `y.into_iter()` of a `&mut` of elements, as Rust reads it.
    /// `None` if there is none.
    pub(super) fn by_exclusive_items(&self, iterated: &Expr) -> Option<Expr> {
        with_beginnings(iterated, &|base| {
            let span = spans::last(base);
            let is = self.refers_to_elements(base);
            is.then(|| syn::parse_quote_spanned!(span=> #base.iter_mut()))
        })
    }

    /// Whether the items surely are the elements of a parameter of the kernel, as values.
    pub(super) fn goes_over_elements(&self, iterated: &Expr) -> bool {
        match unparenthesized(iterated) {
            Expr::Reference(reference) => {
                reference.mutability.is_none() && self.goes_over_elements(&reference.expr)
            }
            Expr::Path(_) => match self.local(iterated).map(|local| local.declared) {
                Some(Declared::Param(param)) => {
                    matches!(
                        self.kernel.params[param].kind,
                        ParamKind::Slice { mutable: false, .. }
                    )
                }
                _ => false,
            },
            Expr::MethodCall(call) if valid::is_one_of(&call.method, &["iter", "into_iter"]) => {
                call.args.is_empty() && self.goes_over_elements(&call.receiver)
            }
            Expr::MethodCall(call) => {
                let same = [
                    "copied", "cloned", "rev", "step_by", "take", "skip", "filter",
                ];
                valid::is_one_of(&call.method, &same) && self.goes_over_elements(&call.receiver)
            }
            _ => false,
        }
    }

    /// Whether a name is declared as a `&mut` of what has elements.
    pub(super) fn refers_to_elements(&self, base: &Expr) -> bool {
        self.local(base).is_some_and(|local| match local.declared {
            Declared::Param(param) => matches!(
                self.kernel.params[param].kind,
                ParamKind::Slice { mutable: true, .. }
            ),
            Declared::Exclusive => true,
            _ => local.elements_mut,
        })
    }

    /// An iterator. `None` after a complaint.
    pub(super) fn sequence(&mut self, expr: &Expr) -> Option<TokenStream> {
        let expr = unparenthesized(expr);
        let Expr::MethodCall(call) = expr else {
            return match is_range(expr) {
                true => self.range_iter(expr),
                false => self.elements(expr),
            };
        };
        if let Some(error) = self.count_of_iterator(call) {
            self.complain(error);
            return None;
        }
        let (first, last) = (spans::first(call), spans::last(call));
        let needs_numbers = ["rev", "step_by", "zip", "chain"];
        let of_two = valid::is_one_of(&call.method, &["zip", "chain"]);
        if valid::is_one_of(&call.method, &needs_numbers)
            && (is_uncountable(&call.receiver)
                || of_two && call.args.first().is_some_and(is_uncountable))
        {
            self.complain(messages::ITERATOR_ORDER.at(&call.method, &[&call.method]));
            return None;
        }
        if let Some(argument) = call.args.first()
            && let Some(error) = self.number_for_truth(&call.method, argument)
        {
            self.complain(error);
            return None;
        }
        if let Some(error) = valid::negative_step(call) {
            self.complain(error);
            return None;
        }
        // Rust calls the closure for what is skipped, too.
        if call.method == "step_by"
            && let Some(map) = effects::map_with_effects(&call.receiver, &self.scope)
        {
            self.complain(messages::STEPS_OVER_EFFECTS.at(&call.method, &[&map.method]));
            return None;
        }
        if call.method == "skip"
            && let Some(receiver) = effects::without_skipping(&call.receiver, &self.scope)
        {
            let mut call = call.clone();
            *call.receiver = receiver;
            return self.sequence(&Expr::MethodCall(call));
        }
        let function = match call.method.to_string().as_str() {
            "map" => "mapped",
            "filter" => "filtered",
            "filter_map" => "filter_mapped",
            "take_while" => "taken_while",
            "skip_while" => "skipped_while",
            "map_while" => "mapped_while",
            "flat_map" => "flat_mapped",
            "flatten" => "flattened",
            "scan" => "scanned",
            "zip" => "zipped",
            "chain" => "chained",
            "enumerate" if is_uncountable(&call.receiver) => "counted",
            "enumerate" if is_made(expr) => "numbered",
            "copied" | "cloned" if is_made(expr) => return self.sequence(&call.receiver),
            "take" if is_uncountable(&call.receiver) => "taken",
            "skip" if is_uncountable(&call.receiver) => "skipped",
            "rev" | "step_by" | "take" | "skip" if is_made(expr) => {
                let receiver = self.sequence(&call.receiver)?;
                let last = spans::last(&call.receiver);
                let picked = self.call("picked", first, receiver, last);
                return Some(self.adapted(picked, call));
            }
            _ if is_range(expr) => return self.range_iter(expr),
            _ => return self.elements(expr),
        };
        let receiver = self.sequence(&call.receiver)?;
        let argument = match (function, call.args.first()) {
            ("zipped" | "chained", Some(other)) => Some(self.sequence(other)?),
            ("taken" | "skipped", Some(n)) => Some(self.argument(n)),
            ("scanned", Some(state)) => {
                let state = self.argument(state);
                let function = call.args.iter().nth(1);
                self.closure_has_state = true;
                let function = function.map(|argument| {
                    let function = self.function_of_items(argument, call);
                    quote_spanned!(first=> , #function)
                });
                self.closure_has_state = false;
                Some(quote!(#state #function))
            }
            ("flat_mapped", Some(Expr::Closure(closure))) => {
                self.closure_gives_items = true;
                self.item = Some(shape(&call.receiver)).filter(ItemShape::has_places);
                let closure = self.closure(closure);
                self.closure_gives_items = false;
                Some(closure)
            }
            (_, Some(argument)) => Some(self.function_of_items(argument, call)),
            _ => None,
        };
        let arguments = argument.map(|argument| quote_spanned!(first=> , #argument));
        Some(self.call(function, first, quote!(#receiver #arguments), last))
    }

    /// `x.chunks(n)` and the like. `None` if it is something else, or after a complaint.
    pub(super) fn parts_of_slice(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let function = parts(call)?;
        if let Some(error) = valid::slice_method_of_an_iterator(call) {
            self.complain(error);
            return None;
        }
        let access = match function.ends_with("_mut") {
            true => Access::Write,
            false => Access::Read,
        };
        let base = unparenthesized(&call.receiver);
        if access == Access::Write
            && let Some(local) = self.local(base)
            && let Some(error) = valid::iter_mut(base, local, self.kernel)
        {
            self.complain(error);
            return None;
        }
        let slice = self.divisible(base, access)?;
        let n = call.args.first().map(|n| {
            let value = self.argument(n);
            self.wanted(n, value)
        });
        let (first, last) = (spans::first(base), spans::last(call));
        Some(self.call(function, first, quote_spanned!(first=> #slice, #n), last))
    }

    /// What is handed to a method of an iterator.
    fn function_of_items(&mut self, argument: &Expr, call: &ExprMethodCall) -> TokenStream {
        match unparenthesized(argument) {
            Expr::Closure(closure)
                if let Some(error) = (closure.inputs.last())
                    .and_then(|pat| iterator::pattern_of_parts(pat, &call.receiver)) =>
            {
                self.complain(error)
            }
            Expr::Closure(closure) => {
                self.item = Some(shape(&call.receiver)).filter(ItemShape::has_places);
                self.item_is_value = self.goes_over_elements(&call.receiver);
                self.closure(closure)
            }
            Expr::Path(path) if self.local(argument).is_none() && valid::names_a_function(path) => {
                match callee::method_as_closure(path, &call.method) {
                    Some(closure) => self.function_of_items(&Expr::Closure(closure), call),
                    None => self.handed(path),
                }
            }
            other if let Some(error) = self.called_for_handed(other, call) => self.complain(error),
            other => self.of_referred(other),
        }
    }

    /// `map(square())`, of a function that is handed to the method.
    fn called_for_handed(&self, argument: &Expr, method: &ExprMethodCall) -> Option<syn::Error> {
        let Expr::Call(call) = argument else {
            return None;
        };
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let is_one = call.args.is_empty()
            && !valid::is_one_of(&method.method, &["take", "skip", "step_by", "fold", "scan"])
            && self.local(&call.func).is_none()
            && valid::names_a_function(path);
        let words: [&dyn Display; 2] = [&valid::source(path), &method.method];
        is_one.then(|| messages::CALLED_FOR_HANDED.at(argument, &words))
    }

    /// `x.iter().sum()` and the like. `None` if it is no such expression.
    pub(super) fn consumed(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        if call.method == "contains"
            && let Expr::Range(range) = unparenthesized(&call.receiver)
        {
            return Some(self.contains(call, range));
        }
        if is_sequence(&Expr::MethodCall(call.clone())) {
            return Some(self.complain(messages::ITERATOR_VALUE.at(&call.method, &[])));
        }
        if !is_sequence(&call.receiver) {
            return None;
        }
        if let Some(copy) = self.consumed_copy(call) {
            return self.consumed(&copy);
        }
        if let Some(argument) = call.args.first()
            && valid::is_one_of(&call.method, &["min_by", "max_by"])
        {
            let error = valid::partial_order(call).or_else(|| compared_by_truth(call));
            if let Some(error) = error {
                return Some(self.complain(error));
            }
            if let Some(comparison) = desugared::comparison(argument) {
                return Some(self.extreme_by(call, &comparison));
            }
        }
        if valid::is_one_of(&call.method, &["min_by_key", "max_by_key"])
            && let Some(comparison) = call.args.first().and_then(desugared::reversed_key)
        {
            return Some(self.extreme_by(call, &comparison));
        }
        if call.method == "len" && is_uncountable(&call.receiver) {
            return Some(self.complain(messages::LENGTH_OF_CHOSEN.at(&call.method, &[])));
        }
        let Some(function) = valid::consuming_method(&call.method) else {
            return Some(self.complain(valid::iterator_method(call)));
        };
        if let Some(error) = self.count_of_iterator(call) {
            return Some(self.complain(error));
        }
        let Some(sequence) = self.sequence(&call.receiver) else {
            return Some(TokenStream::new());
        };
        let (first, close) = (spans::first(call), spans::last(call));
        if let Some(argument) = call.args.first()
            && let Some(error) = self.number_for_truth(&call.method, argument)
        {
            return Some(self.complain(error));
        }
        let arguments: Vec<_> = (call.args.iter())
            .map(|argument| self.function_of_items(argument, call))
            .collect();
        let generics = match &call.turbofish {
            Some(generics) if matches!(function, "sum_of" | "product_of") => {
                let ty = &generics.args;
                Some(quote_spanned!(spans::first(generics)=> ::<_, #ty, _>))
            }
            Some(generics) => {
                let error = messages::METHOD_GENERICS.at(generics, &[&call.method]);
                return Some(self.complain(error));
            }
            None => None,
        };
        if let Some(error) = self.sum_of_others(call) {
            return Some(self.complain(error));
        }
        let function = self.v.item(function, first);
        let arguments = spans::parens(quote!(#sequence #(, #arguments)*), close);
        Some(quote_spanned!(first=> #function #generics #arguments))
    }

    /// `x.iter().max_by(|a, b| a.total_cmp(b))`, by the key that they are compared by.
    fn extreme_by(&mut self, call: &ExprMethodCall, comparison: &Comparison) -> TokenStream {
        let is_reversed = comparison.is_reversed;
        let is_least = valid::is_one_of(&call.method, &["min_by", "min_by_key"]) != is_reversed;
        // Of several such items Rust has the first or the last, which does not depend on the direction.
        let function = match (is_least, is_reversed) {
            (true, false) => "least_by_key",
            (false, false) => "greatest_by_key",
            (true, true) => "last_least_by_key",
            (false, true) => "first_greatest_by_key",
        };
        let Some(sequence) = self.sequence(&call.receiver) else {
            return TokenStream::new();
        };
        self.item = Some(shape(&call.receiver)).filter(ItemShape::has_places);
        let key = self.closure(&comparison.key);
        let (first, close) = (spans::first(call), spans::last(call));
        self.call(function, first, quote!(#sequence, #key), close)
    }

    /// `(a..b).contains(&x)`.
    fn contains(&mut self, call: &ExprMethodCall, range: &ExprRange) -> TokenStream {
        let (Some(start), Some(end), Some(x)) = (&range.start, &range.end, call.args.first())
        else {
            return self.complain(messages::OPEN_RANGE_CONTAINS.at(range, &[]));
        };
        let x = unreferenced(x);
        let function = match range.limits {
            RangeLimits::Closed(_) => "within_inclusive",
            RangeLimits::HalfOpen(_) => "within",
        };
        let (first, last) = (spans::first(call), spans::last(call));
        let arguments = [&**start, &**end, x].map(|argument| self.argument(argument));
        self.call(function, first, quote!(#(#arguments),*), last)
    }

    /// `let v: Vec<_> = x.iter().collect();`.
    pub(super) fn collected(&self, pat: &Pat, value: &Expr) -> Option<syn::Error> {
        let (Pat::Ident(name), Expr::MethodCall(call)) = (pat, value) else {
            return None;
        };
        if call.method != "collect" || !is_sequence(&call.receiver) {
            return None;
        }
        let (name, items) = (&name.ident, valid::source(&call.receiver));
        let zero = self.zero_of_items(&call.receiver);
        let filled = match is_uncountable(&call.receiver) {
            true => format!(
                "count what is in it: `let mut n = 0; for item in {items} {{ {name}[n] = item; n += 1; }}`"
            ),
            false => format!(
                "fill it: `for (to, item) in {name}.iter_mut().zip({items}) {{ *to = item; }}`"
            ),
        };
        let words: [&dyn Display; 3] = [name, &zero, &filled];
        Some(messages::COLLECTED.at(&call.method, &words))
    }

    /// What a sum of items begins with, as far as is known of them.
    pub(super) fn zero_of_items(&self, iterated: &Expr) -> &'static str {
        let base = match called_on(iterated) {
            Expr::Index(part) if subslice::is_subslice(called_on(iterated)) => &part.expr,
            base => base,
        };
        let elements = self.element_of(base);
        let are_floats = elements.is_some_and(|ty| valid::is_one_of_floats(&valid::source(ty)));
        if are_floats { "0.0" } else { "0" }
    }

    /// The pattern of a `for` over such items, and what makes its names mutable.
    pub(super) fn shaped(&mut self, pat: &Pat, shape: &ItemShape) -> (TokenStream, TokenStream) {
        match (pat, shape) {
            (Pat::Paren(inner), _) => self.shaped(&inner.pat, shape),
            (Pat::Tuple(tuple), ItemShape::Pair(left, right)) if tuple.elems.len() == 2 => {
                let (left, first) = self.shaped(&tuple.elems[0], left);
                let (right, second) = self.shaped(&tuple.elems[1], right);
                let both = spans::parens(quote!(#left, #right), tuple.paren_token.span.join());
                (both, quote!(#first #second))
            }
            // Of what `map` gives nothing is known.
            (Pat::Tuple(tuple), ItemShape::Value) => {
                let parts = tuple.elems.iter().map(|pat| self.shaped(pat, shape));
                let (parts, firsts): (Vec<_>, Vec<_>) = parts.unzip();
                let all = spans::parens(quote!(#(#parts),*), tuple.paren_token.span.join());
                (all, quote!(#(#firsts)*))
            }
            (Pat::Wild(_), _) => (pat.to_token_stream(), TokenStream::new()),
            (pat, ItemShape::Pair(..)) => {
                self.declare_unsound(pat, Declared::Local);
                let error = messages::ENUMERATED_PATTERN.at(pat, &[&shape.pattern(pat)]);
                (self.complain(error), TokenStream::new())
            }
            (pat, ItemShape::Number) => self.name_of_item(pat, Declared::Loop),
            (pat, ItemShape::Place) => self.name_of_item(pat, Declared::Exclusive),
            (pat, ItemShape::Slice) => self.name_of_item(pat, Declared::Local),
            (pat, ItemShape::Value) => self.name_of_item(pat, Declared::Shared),
        }
    }
}
