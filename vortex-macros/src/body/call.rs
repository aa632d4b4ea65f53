//! Calls of functions and of methods, as far as it is decided here what they become; `function` and `method` have those
//! of the user's.

use std::fmt::Display;
use std::slice;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprCall, ExprField, ExprMethodCall, ExprPath, Member};

use super::desugared::Comparison;
use super::method::root;
use super::scope::Declared;
use super::typed::sum_of_bools;
use super::{Rewriter, callee, desugared, option, unparenthesized, unreferenced};
use crate::valid::Access;
use crate::{fallback, messages, spans, valid};

impl Rewriter<'_> {
    pub(super) fn call_of(&mut self, call: &ExprCall, gives_a_value: bool) -> TokenStream {
        if let Some(call) = self.of_values(call) {
            return self.call_of(&call, gives_a_value);
        }
        if let Expr::Path(path) = &*call.func
            && let Some((name, ty)) = valid::conversion(&path.path)
        {
            let arguments = call.args.iter().map(|argument| self.argument(argument));
            let arguments: Vec<_> = arguments.collect();
            let span = spans::first(path);
            let close = call.paren_token.span.close();
            let function = self.v.item(name, span);
            let generics = ty.map(|ty| quote_spanned!(span=> ::<#ty>));
            let arguments = spans::parens(quote!(#(#arguments),*), close);
            return quote!(#function #generics #arguments);
        }
        if let Some(variant) = option::made(call) {
            return self.variant_of(variant, call);
        }
        if let Some(constructor) = valid::constructor(call) {
            return self.tuple_struct(call, constructor);
        }
        if let Expr::Path(path) = &*call.func
            && let Some((function, ty)) = valid::conversion_of_numbers(path)
            && let [argument] = &call.args.iter().collect::<Vec<_>>()[..]
        {
            let (span, close) = (spans::first(path), call.paren_token.span.close());
            let function = self.v.item(function, span);
            let argument = spans::parens(self.argument(argument), close);
            return quote_spanned!(span=> #function::<#ty, _> #argument);
        }
        if let Expr::Path(path) = &*call.func
            && let Some(function) = valid::by_default(call)
        {
            let (first, last) = (spans::first(path), spans::last(call));
            let named = (function == "by_default").then_some(path);
            return self.call(function, first, quote!(#named), last);
        }
        if let Expr::Path(path) = &*call.func
            && self.local(&call.func).is_none()
            && let Some(function) = valid::well_known(path)
        {
            return self.well_known(call, path, function);
        }
        if self.is_in_error(&call.func) {
            return TokenStream::new();
        }
        // Once of each function, which may call itself in several places.
        if !self.complaints.is_empty()
            && (self.complaints).say(&messages::RECURSION, &[&valid::source(&call.func)])
        {
            return TokenStream::new();
        }
        let error = valid::call(call, self.local(&call.func), self.kernel);
        let error = error
            .or_else(|| sum_of_bools(call))
            .or_else(|| self.number_by_name(call))
            .or_else(|| self.count_of_call(call));
        if let Some(error) = error.or_else(|| self.made_of_literal(call)) {
            return self.complain(error);
        }
        if let Some(ty) = valid::type_made(call)
            && let Some(argument) = call.args.first()
        {
            let (span, close) = (spans::first(&ty), call.paren_token.span.close());
            let function = self.v.item("made_from", span);
            let argument = spans::parens(self.argument(argument), close);
            return quote_spanned!(span=> #function::<#ty, _> #argument);
        }
        if let Some(error) = valid::local_memory(call) {
            return self.complain(error);
        }
        if let Some(array) = valid::array_of_local_memory(&call.func)
            && let Some(local) = self.local(&array.len)
            && local.declared != Declared::Comptime
        {
            let words: [&dyn Display; 2] = [&local.name, &valid::source(&array.elem)];
            let error = messages::LOCAL_LENGTH.at(&array.len, &words);
            return self.complain(error);
        }
        if let Expr::Path(path) = &*call.func
            && let Some((ty, method)) = valid::method_of_number(path)
            && let Some(wanted) = valid::wanted(&method)
        {
            return self.call_of_method(call, path, &ty.to_string(), &wanted);
        }
        if self.local(&call.func).is_some() || !valid::is_of_the_prelude(&call.func) {
            return self.call_of_user(call, gives_a_value);
        }
        let arguments = match self.components(call) {
            Ok(arguments) => arguments,
            Err(error) => return self.complain(error),
        };
        let function = &call.func;
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let Expr::Path(path) = &**function else {
            return quote!(#function #arguments);
        };
        self.called.push(path.clone());
        match path.path.segments.last() {
            Some(name) if valid::is_name_of_an_id(&name.ident) => {
                // What has this name for Rust is for other functions than kernels, and refuses to be called.
                let name = &name.ident;
                let staged = self.v.item(&name.to_string(), name.span());
                let in_use = path
                    .path
                    .get_ident()
                    .map(|name| fallback::in_use(slice::from_ref(name)));
                spans::braces(quote!(#in_use #staged #arguments), name.span())
            }
            _ => quote!(#function #arguments),
        }
    }

    /// `f32::max(a, b)`.
    fn call_of_method(
        &mut self,
        call: &ExprCall,
        path: &ExprPath,
        ty: &str,
        wanted: &valid::Wanted,
    ) -> TokenStream {
        let arguments = call.args.iter().enumerate();
        let arguments: Vec<_> = arguments
            .map(|(index, written)| {
                let value = self.argument(written);
                let ty = match wanted {
                    valid::Wanted::Of(ty) if index > 0 => ty,
                    _ => ty,
                };
                self.of_known_type(ty, written, value)
            })
            .collect();
        let function = self.function_name(path);
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        quote!(#function #arguments)
    }

    pub(super) fn method(&mut self, call: &ExprMethodCall) -> TokenStream {
        if let Some(other) = desugared::nth(call).or_else(|| desugared::strong(call)) {
            return self.method(&other);
        }
        if let Some(exchange) = self.exchanged(call) {
            return self.expr(&exchange);
        }
        let error = (self.function_with_dot(call))
            .or_else(|| self.pow_of_float(call))
            .or_else(|| self.float_method_of_any(call))
            .or_else(|| self.value_of_and_then(call))
            .or_else(|| self.integer_in_call(call))
            .or_else(|| self.value_for_reference(call))
            .or_else(|| valid::method_of_char(call))
            .or_else(|| self.method_of_vector(call));
        if let Some(error) = error {
            return self.complain(error);
        }
        let error = valid::parallel_method(call);
        if let Some(error) = error.or_else(|| self.iterator_method_of_slice(call)) {
            return self.complain(error);
        }
        if let Some(consumed) = self.consumed(call) {
            return consumed;
        }
        if valid::changes_slices(&call.method)
            && let Some(local) = self.local(&call.receiver)
            && let Some(error) = valid::changing_method(call, local, self.kernel)
        {
            return self.complain(error);
        }
        if let Some(error) = self.changes_an_immutable_array(call) {
            return self.complain(error);
        }
        if let Some(converted) = self.converted(call) {
            return converted;
        }
        if let Some(error) = valid::method_elsewhere(call, self.local(&call.receiver), self.kernel)
            .or_else(|| valid::method(call))
        {
            return self.complain(error);
        }
        if let Some(error) = valid::without_order(call).or_else(|| self.other_of_atomic(call)) {
            return self.complain(error);
        }
        if let Some(error) = valid::atomic_method(call) {
            return match self.is_in_error(root(&call.receiver)) {
                true => TokenStream::new(),
                false => self.complain(error),
            };
        }
        if let Some(error) = self
            .atomic_of_a_value(call)
            .or_else(|| self.count_of_method(call))
        {
            return self.complain(error);
        }
        if valid::gives_one_number(&call.method)
            && let Some(error) = self.option_with_member(&call.receiver)
        {
            return self.complain(error);
        }
        let is_place = self.is_place(unparenthesized(&call.receiver));
        if valid::is_of_slices(call, is_place) {
            return self.method_of_slices(call);
        }
        if call.method == "clone" && call.args.is_empty() {
            return self.expr(&call.receiver);
        }
        // Of a number rustc says how many arguments its method takes; and a type of the user's may have one by the name
        // that takes something else.
        let is_another = !valid::is_of_the_language_with(&call.method, call.args.len())
            || valid::is_one_of(&call.method, &["dot", "cross"])
                && matches!(call.args.first(), Some(Expr::Reference(_)));
        if let Some(error) = self.unknown_method_of_slice(call) {
            return self.complain(error);
        }
        if is_another {
            return self.method_of_user(call);
        }
        if valid::is_swizzle(&call.method) && call.args.is_empty() {
            return self.swizzle(call);
        }
        let wanted = valid::wanted(&call.method);
        let are_alike = matches!(wanted, Some(valid::Wanted::Same))
            && self.is_known_number(&call.receiver)
            && call.args.iter().all(|argument| self.is_value(argument));
        let receiver = match unparenthesized(&call.receiver) {
            Expr::Path(path) if self.names_an_item(path) && valid::is_of_places(&call.method) => {
                self.item_with(path, &call.method)
            }
            field @ Expr::Field(_)
                if call.method == "atomic"
                    && self.is_item(root(field))
                    && valid::is_static(root(field)) =>
            {
                match self.place(field, Access::Write) {
                    Some(place) => place,
                    None => return TokenStream::new(),
                }
            }
            // It gets a name of its own.
            receiver if are_alike => self.receiver(receiver),
            _ => self.receiver(&call.receiver),
        };
        let receiver = match valid::of_options(&call.method) {
            Some(function) => self.call(
                function,
                spans::first(&call.receiver),
                receiver,
                spans::last(&call.receiver),
            ),
            None => receiver,
        };
        // Memory orders are facts of the host, not values of the kernel.
        let orderings = valid::orderings(&call.method.to_string());
        let values = call.args.len().saturating_sub(orderings);
        let arguments: Vec<_> = (call.args.iter().enumerate())
            .map(|(at, argument)| match argument {
                Expr::Path(path) if at >= values && self.local(argument).is_none() => {
                    self.called.push(path.clone());
                    path.to_token_stream()
                }
                Expr::Path(path)
                    if valid::takes_function(&call.method)
                        && let Some(constructor) = option::constructor(path) =>
                {
                    self.closure(&constructor)
                }
                Expr::Path(path)
                    if valid::takes_function(&call.method)
                        && self.local(argument).is_none()
                        && valid::names_a_function(path) =>
                {
                    match callee::method_as_closure(path, &call.method) {
                        Some(closure) => self.closure(&closure),
                        None => self.handed(path),
                    }
                }
                // What an option of references holds is a value here, and so is what stands in for it.
                _ if call.method == "unwrap_or" => self.argument(unreferenced(argument)),
                _ => self.argument(argument),
            })
            .collect();
        if call.method == "atomic"
            && let Some(local) = self.local(&call.receiver)
            && let Some(error) = valid::atomic(call, local, self.kernel)
        {
            return self.complain(error);
        }
        let (dot, method) = (call.dot_token, &call.method);
        if are_alike {
            return self.method_of_alike(call, receiver, &arguments);
        }
        let arguments = (call.args.iter().zip(arguments))
            .map(|(written, argument)| self.of_wanted(call, written, argument));
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let length = &call.turbofish;
        quote!(#receiver #dot #method #length #arguments)
    }

    /// `pow` of a float.
    fn pow_of_float(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        if call.method != "pow" {
            return None;
        }
        let ty = self.type_of_operand(unparenthesized(&call.receiver))?;
        let is_float = ["f32", "f16", "bf16"].contains(&ty.as_str());
        is_float.then(|| messages::POW_OF_FLOAT.at(&call.method, &[]))
    }

    /// `Grid.new(..)`, with a dot for `::`.
    fn function_with_dot(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let makes_one = valid::is_one_of(&call.method, &["new", "default", "from"]);
        let name = self.type_before_dot(&call.receiver).filter(|_| makes_one)?;
        Some(messages::TYPE_WITH_DOT.at(name, &[name, &call.method]))
    }

    /// `State.Moving`.
    pub(super) fn variant_with_dot(&self, field: &ExprField) -> Option<syn::Error> {
        let Member::Named(variant) = &field.member else {
            return None;
        };
        let is_variant = variant.to_string().starts_with(char::is_uppercase);
        let name = self.type_before_dot(&field.base).filter(|_| is_variant)?;
        Some(messages::VARIANT_WITH_DOT.at(name, &[name, variant]))
    }

    /// The name of a type, by its case, in the place of a value.
    fn type_before_dot<'e>(&self, base: &'e Expr) -> Option<&'e Ident> {
        let Expr::Path(path) = base else {
            return None;
        };
        let name = path
            .path
            .get_ident()
            .filter(|_| self.local(base).is_none())?;
        let text = name.to_string();
        let is_type = text.starts_with(char::is_uppercase) && !valid::is_constant_name(&text);
        is_type.then_some(name)
    }

    /// A method whose arguments are of the type of what it is called on: `a.max(b)`.
    fn method_of_alike(
        &self,
        call: &ExprMethodCall,
        receiver: TokenStream,
        arguments: &[TokenStream],
    ) -> TokenStream {
        let this = super::temporary("receiver", spans::first(&call.receiver));
        let arguments = call.args.iter().zip(arguments).map(|(written, argument)| {
            let (first, last) = (spans::first(written), spans::last(written));
            self.call("Is::like", first, quote!(#this, #argument), last)
        });
        let (dot, method) = (call.dot_token, &call.method);
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let block = quote!(let #this = #receiver; #this #dot #method #arguments);
        spans::braces(block, spans::last(call))
    }

    /// An argument that has to be a number of this type.
    pub(super) fn of_known_type(
        &self,
        ty: &str,
        written: &Expr,
        value: TokenStream,
    ) -> TokenStream {
        if !self.is_value(written) {
            return value;
        }
        let first = spans::first(written);
        let ty = Ident::new(ty, first);
        let ty = quote_spanned!(first=> ::core::primitive::#ty);
        self.itself(ty, written, value)
    }

    /// `x.into()`, `a.cmp(&b)` and other methods for which there are functions. `None` if it is something else.
    fn converted(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let function = match (call.method.to_string().as_str(), call.args.first()) {
            ("cmp", Some(other)) => return Some(self.compared(call, "three_way", other)),
            ("partial_cmp", Some(other)) => {
                return Some(self.compared(call, "partial_order", other));
            }
            ("total_cmp", Some(other)) => {
                return Some(self.compared(call, "total_order_of", other));
            }
            ("expect", Some(text)) => return self.expected(call, text),
            ("into", None) => "made_from",
            ("try_into", None) => "try_from",
            (valid::TOTAL_ORDER, None) => "total_order",
            // What an option holds is a value here.
            ("as_ref" | "as_deref", None) => return Some(self.expr(&call.receiver)),
            ("sort_by" | "sort_unstable_by", Some(argument)) => {
                let error = valid::partial_order(call).or_else(|| compared_by_truth(call));
                if let Some(error) = error {
                    return Some(self.complain(error));
                }
                let by_key = sort_by_key(call, desugared::comparison(argument)?);
                return Some(self.method_of_slices(&by_key));
            }
            ("sort_by_key" | "sort_unstable_by_key", Some(argument)) => {
                let by_key = sort_by_key(call, desugared::reversed_key(argument)?);
                return Some(self.method_of_slices(&by_key));
            }
            _ => return None,
        };
        let (first, last) = (spans::first(&call.receiver), spans::last(call));
        let value = self.argument(&call.receiver);
        Some(self.call(function, first, value, last))
    }

    /// `a.cmp(&b)` and its like.
    fn compared(&mut self, call: &ExprMethodCall, function: &str, other: &Expr) -> TokenStream {
        let (first, last) = (spans::first(&call.receiver), spans::last(call));
        let one = self.argument(&call.receiver);
        let other = self.argument(unreferenced(other));
        self.call(function, first, quote!(#one, #other), last)
    }

    /// `v.zyx()`: a short vector of components of another.
    fn swizzle(&mut self, call: &ExprMethodCall) -> TokenStream {
        let (first, last) = (spans::first(&call.receiver), spans::last(call));
        let span = call.method.span();
        let whole = super::temporary("vector", first);
        let receiver = self.receiver(&call.receiver);
        let letters = call.method.to_string();
        let parts: Vec<_> = letters
            .chars()
            .map(|letter| {
                let member = Ident::new(&letter.to_string(), span);
                quote_spanned!(span=> #whole.#member)
            })
            .collect();
        let constructor = format!("vec{}", parts.len());
        let vector = self.call(&constructor, span, quote_spanned!(span=> #(#parts),*), last);
        let arguments = quote_spanned!(first=> #receiver, |#whole| #vector);
        self.call("swizzled", first, arguments, last)
    }

    /// What a method is called on; `&mut` parameters are read.
    fn receiver(&mut self, expr: &Expr) -> TokenStream {
        let is_exclusive = self
            .local(expr)
            .is_some_and(|local| local.declared == Declared::Exclusive);
        let receiver = self.operand(expr);
        if is_exclusive {
            return self.call("get", spans::first(expr), receiver, spans::last(expr));
        }
        receiver
    }
}

/// `x.sort_by(|a, b| a < b)`.
pub(super) fn compared_by_truth(call: &ExprMethodCall) -> Option<syn::Error> {
    match call.args.first()? {
        Expr::Closure(closure) => match unparenthesized(&closure.body) {
            Expr::Binary(compared) => {
                Some(messages::COMPARED_BY_TRUTH.at(compared, &[&call.method]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `x.sort_by_key(..)`, for a `sort_by` that compares keys.
fn sort_by_key(call: &ExprMethodCall, comparison: Comparison) -> ExprMethodCall {
    let method = match comparison.is_reversed {
        true => valid::SORT_BACKWARDS,
        false => "sort_by_key",
    };
    let mut call = call.clone();
    call.method = Ident::new(method, call.method.span());
    call.args = std::iter::once(Expr::Closure(comparison.key)).collect();
    call
}
