//! Functions of the user: calls of them, their bodies, closures.

use std::fmt::Display;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Block, Expr, ExprCall, ExprClosure, ExprIf, ExprPath, ExprReturn, Pat, PathArguments,
    ReturnType, Stmt,
};

use super::argument::To;
use super::callee::is_known;
use super::gives::Gives;
use super::iterator::is_name;
use super::scope::Declared;
use super::stmt::has_parts;
use super::typed::{is_lane, is_literal};
use super::wanted::may_be_asked;
use super::{
    Input, Rewriter, Surrounding, diverge, expr, iterator, returned, temporary, unparenthesized,
};
use crate::{messages, spans, staged, types, valid};

/// A function whose body is being rewritten: the kernel itself is none.
pub(super) struct Enclosing {
    /// Where `return` leaves to.
    returns: Ident,
    /// Whether there is a `return`.
    used: bool,
    /// What `?` in it gives.
    pub(super) gives: Gives,
    /// What it results in, as far as is written.
    output: Option<TokenStream>,
}

impl Rewriter<'_> {
    /// The parameters and the body of a device function.
    pub(super) fn function(
        &mut self,
        inputs: &[Input],
        output: Option<&TokenStream>,
    ) -> (Vec<TokenStream>, TokenStream) {
        let mut rebound = Vec::new();
        let mut param = |input: &Input| {
            let lints = &input.lints;
            let param = match &input.pat {
                Pat::Ident(pat)
                    if input.declared != Declared::Argument
                        && pat.by_ref.is_none()
                        && pat.subpat.is_none() =>
                {
                    if let Some(mutability) = pat.mutability
                        && input.declared != Declared::Comptime
                    {
                        self.complain(messages::MUTABLE_REFERENCE.at(mutability, &[]));
                    }
                    self.scope.declare(&pat.ident, input.declared, false);
                    if matches!(input.declared, Declared::Shared | Declared::Exclusive) {
                        self.scope.has_a_type();
                    }
                    pat.ident.to_token_stream()
                }
                Pat::Ident(pat) if valid::is_plain_name(pat) => {
                    let (name, span) = (&pat.ident, pat.ident.span());
                    let (mutability, value) =
                        self.declare(name, Declared::Argument, pat.mutability, quote!(#name));
                    if input.is_slice_mut {
                        self.scope.is_slice_mut();
                    }
                    if is_lane(&input.ty) {
                        self.scope.are_values(1);
                    }
                    if pat.mutability.is_some() && mutability.is_none() {
                        rebound.push(quote_spanned!(span=> #(#lints)* let #name = #value;));
                    }
                    quote!(#mutability #name)
                }
                pat => self.pattern(pat, &mut rebound),
            };
            quote!(#(#lints)* #param)
        };
        let params = inputs.iter().map(&mut param).collect();
        let block = &self.kernel.body;
        let gives = output.map_or(Gives::Neither, Gives::of);
        let end = block.brace_token.span.close();
        if output.is_some() && !diverge::block(block) && !ends_in_a_value(block) {
            let instead = match gives {
                Gives::Option => "`Some(..)` or `None`",
                Gives::Result => "`Ok(..)`, or `Ok(())` where there is no value",
                _ => "the value",
            };
            let error = match block.stmts.last() {
                Some(Stmt::Expr(Expr::If(inner), None))
                    if let Some(last) = without_else(inner)
                        && ends_in_a_value(&inner.then_branch) =>
                {
                    messages::NO_ELSE.at(last.if_token, &[])
                }
                Some(Stmt::Expr(value, Some(semicolon))) if may_be_the_value(value) => {
                    messages::SEMICOLON_AT_END.at(semicolon, &[])
                }
                _ => messages::END_OF_VALUE.at_span(end, &[&instead]),
            };
            self.complain(error);
        }
        for error in returned::dangling(block) {
            self.complain(error);
        }
        let body = self.leaving(output, gives, end, |this| {
            this.result = output.cloned();
            this.refused_value = output.is_none().then_some(messages::VALUE_OF_NOTHING);
            let body = this.statements(block);
            let methods = this.methods_elsewhere();
            quote!(#methods #(#rebound)* #body)
        });
        (params, body)
    }

    /// Code in which `return` leaves that code only. `output` is what it results in, if that is declared.
    fn leaving(
        &mut self,
        output: Option<&TokenStream>,
        gives: Gives,
        end: Span,
        f: impl FnOnce(&mut Self) -> TokenStream,
    ) -> TokenStream {
        self.labels += 1;
        let returns = format_ident!("_returns_{}", self.labels, span = Span::mixed_site());
        self.functions.push(Enclosing {
            returns: returns.clone(),
            used: false,
            gives,
            output: output.cloned(),
        });
        self.surroundings.push(Surrounding::Function);
        let body = f(self);
        self.surroundings.pop();
        match self.functions.pop() {
            Some(Enclosing { used: true, .. }) => {
                let body = spans::braces(body, end);
                let ty = self.v.item("Returns", end);
                let ty = output.map(|output| quote_spanned!(end=> : #ty<#output>));
                let arguments = quote_spanned!(end=> |#returns #ty| #body);
                self.call("returning", end, arguments, end)
            }
            _ => body,
        }
    }

    /// What leaves the innermost function with this value.
    pub(super) fn leave_with(&mut self, value: TokenStream, span: Span) -> TokenStream {
        let Some(function) = self.functions.last_mut() else {
            return TokenStream::new();
        };
        function.used = true;
        let returns = function.returns.clone();
        let arguments = quote_spanned!(span=> #returns, || #value);
        self.call("return_from", span, arguments, span)
    }

    /// `return`, with or without a value.
    pub(super) fn return_(&mut self, jump: &ExprReturn) -> TokenStream {
        let span = jump.return_token.span;
        let Some(function) = self.functions.last_mut() else {
            if let Some(value) = &jump.expr {
                if self.complaints.returns {
                    return self.expr(value);
                }
                return self.complain(messages::RETURN_VALUE.at(value, &[]));
            }
            let leave = self.call("return_", span, TokenStream::new(), span);
            return self.ended(leave, span, span);
        };
        function.used = true;
        let (returns, output) = (function.returns.clone(), function.output.clone());
        let (value, end) = match &jump.expr {
            None if output.is_some() => {
                return self.complain(messages::RETURN_NOTHING.at(jump.return_token, &[]));
            }
            Some(expr) => {
                self.holds(output.as_ref(), expr);
                let value = self.argument(expr);
                let value = self.declared_as(output.as_ref(), expr, value);
                (value, spans::last(expr))
            }
            None => (spans::parens(TokenStream::new(), span), span),
        };
        let arguments = quote_spanned!(span=> #returns, || #value);
        let leave = self.call("return_from", span, arguments, end);
        self.ended(leave, span, end)
    }

    /// `|x: f32| x * 2.0`.
    pub(super) fn closure(&mut self, closure: &ExprClosure) -> TokenStream {
        self.closure_to(closure, None)
    }

    /// `|| panic!()` with a name: it may be called as a statement, so it gives `()`.
    pub(super) fn endless_closure(&mut self, closure: &ExprClosure) -> TokenStream {
        let span = spans::last(&closure.body);
        let nothing = spans::parens(TokenStream::new(), span);
        self.closure_to(closure, Some(quote_spanned!(span=> -> #nothing)))
    }

    /// A closure with this result, if none is written.
    fn closure_to(&mut self, closure: &ExprClosure, result: Option<TokenStream>) -> TokenStream {
        if let Some(error) = valid::closure(closure) {
            return self.complain(error);
        }
        let item = self.item.take();
        let item_is_value = std::mem::take(&mut self.item_is_value);
        let has_state = std::mem::take(&mut self.closure_has_state);
        let gives_items = std::mem::take(&mut self.closure_gives_items);
        let is_given = std::mem::take(&mut self.closure_is_given);
        let mark = self.scope.enter();
        let captured = self.captured(closure);
        let mut rebound = Vec::new();
        let last = closure.inputs.len();
        let inputs: Vec<_> = (closure.inputs.iter().zip(1..))
            .map(|(input, number)| match input {
                Pat::Ident(name) if has_state && number == 1 && valid::is_plain_name(name) => {
                    self.scope.declare(&name.ident, Declared::Exclusive, false);
                    name.to_token_stream()
                }
                Pat::Type(typed) if let Some(value) = types::shared_value(&typed.ty) => {
                    let ty = staged::of_local(value, self.v, self.complaints);
                    let pat = self.untyped(&typed.pat, &mut rebound);
                    let colon = typed.colon_token;
                    quote!(#pat #colon #ty)
                }
                Pat::Type(typed) => {
                    self.is_declared_as(&typed.pat, &typed.ty);
                    let ty = staged::of_local(&typed.ty, self.v, self.complaints);
                    let pat = self.pattern(&typed.pat, &mut rebound);
                    let colon = typed.colon_token;
                    quote!(#pat #colon #ty)
                }
                pat => match item.as_ref().filter(|_| number == last) {
                    Some(item) => {
                        let (pat, first) = self.shaped(pat, item);
                        rebound.push(first);
                        pat
                    }
                    None => {
                        let name = self.untyped(pat, &mut rebound);
                        if item_is_value && number == last && is_name(pat) {
                            self.scope.are_values(1);
                        }
                        name
                    }
                },
            })
            .collect();
        let (output, staged_output) = match &closure.output {
            ReturnType::Type(arrow, ty) if !valid::is_unit(ty) => {
                let ty = staged::of_local(ty, self.v, self.complaints);
                (Some(quote!(#arrow #ty)), Some(ty))
            }
            _ => (result, None),
        };
        let end = spans::last(&closure.body);
        let expr = &closure.body;
        let output_of_body = staged_output.as_ref();
        let gives = output_of_body.map_or(Gives::Unsaid, Gives::of);
        if let Some(error) = self.mixed_values(expr) {
            self.scope.leave(mark);
            return self.complain(error);
        }
        let body = self.leaving(output_of_body, gives, end, |this| {
            this.surroundings.push(Surrounding::Closure);
            let body = match &**expr {
                items if gives_items && iterator::is_sequence(items) => {
                    this.sequence(items).unwrap_or_default()
                }
                Expr::Block(inner) => this.statements(&inner.block),
                expr if is_given && (may_be_asked(expr) || is_literal(expr)) => {
                    let value = this.argument(expr);
                    this.given(expr, value)
                }
                expr => this.expr(expr),
            };
            this.surroundings.pop();
            body
        });
        self.scope.leave(mark);
        self.note_copies(&captured);
        let captured = captured.declarations;
        let (capture, or1, or2) = (closure.capture, closure.inputs_begin, closure.inputs_end);
        let body = spans::braces(quote!(#(#rebound)* #body), end);
        let closure = quote!(#capture #or1 #(#inputs),* #or2 #output #body);
        match captured.is_empty() {
            true => closure,
            false => spans::braces(quote!(#captured #closure), end),
        }
    }

    /// A pattern whose type is not written, of a closure or a `let`: perhaps it is a reference for the user, or holds
    /// some.
    pub(super) fn untyped(&mut self, pat: &Pat, rebound: &mut Vec<TokenStream>) -> TokenStream {
        match pat {
            Pat::Reference(reference) => self.untyped(&reference.pat, rebound),
            Pat::Paren(inner) => self.untyped(&inner.pat, rebound),
            Pat::Ident(name) if valid::is_plain_name(name) && name.mutability.is_none() => {
                self.scope.declare(&name.ident, Declared::Shared, false);
                name.to_token_stream()
            }
            Pat::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|pat| self.untyped(pat, rebound));
                let parts: Vec<_> = parts.collect();
                let comma = (parts.len() == 1).then(|| quote!(,));
                spans::parens(quote!(#(#parts),* #comma), tuple.paren_token.span.join())
            }
            pat if has_parts(pat) => {
                let (item, parts) = self.taken_apart(pat, true);
                rebound.push(parts);
                item
            }
            pat => self.pattern(pat, rebound),
        }
    }

    /// A call of a function or a closure of the user.
    pub(super) fn call_of_user(&mut self, call: &ExprCall, gives_a_value: bool) -> TokenStream {
        let is_local = self.local(&call.func).is_some();
        if let Some(error) = self.value_for_constant(call) {
            return self.complain(error);
        }
        let of_type = !is_local && valid::is_of_a_type(&call.func);
        // Functions that are `unsafe` have no trait by which rustc could be asked about them, but what they give has.
        let is_asked = self.unsafety == 0;
        let of_user = matches!(&*call.func, Expr::Path(path) if !is_local && !is_known(path));
        // Its parameters may have types of their own, which `!` says nothing of.
        let ended = call.args.iter().position(diverge::expr);
        let ended = ended.filter(|_| of_user && is_asked);
        let to = match () {
            () if is_local => To::Closure,
            () if of_user && !is_asked => To::Method,
            () if ended.is_some() => To::BuiltIn,
            () if of_user => To::Function,
            () => To::BuiltIn,
        };
        let mut borrowed = Vec::new();
        let around = std::mem::take(&mut self.opened);
        let arguments = call.args.iter().enumerate();
        let arguments: Vec<_> = arguments
            .map(|(index, argument)| match (index, of_type) {
                (0, true) => self.first(argument, &call.func, &mut borrowed),
                _ => {
                    let to = match self.takes_a_slice(call, index) {
                        true => To::Slice,
                        false => to,
                    };
                    let value = self.passed(argument, to, &mut borrowed);
                    let value = match valid::wanted_of_lanes(&call.func, index) {
                        Some(_) if is_local => value,
                        Some(ty) if self.is_value(argument) && !value.is_empty() => {
                            self.of_known_type(ty, argument, value)
                        }
                        Some(_) => self.wanted(argument, value),
                        None => value,
                    };
                    self.passed_to_closure(call, index, value)
                }
            })
            .collect();
        let opened = std::mem::replace(&mut self.opened, around);
        if let Some(ended) = ended {
            let (before, last) = (&arguments[..ended], &arguments[ended]);
            let block = quote!(#(let _ = #before;)* #last);
            return spans::braces(block, spans::last(call));
        }
        let function = match (&*call.func, self.local(&call.func)) {
            (func, Some(_)) => unparenthesized(func).to_token_stream(),
            (Expr::Path(path), None) => self.callee(path),
            (func, None) => {
                let func = self.expr(unparenthesized(func));
                spans::parens(func, spans::first(&call.func))
            }
        };
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let result = match to {
            To::Function => self.with_arguments(quote!(#function #arguments), call, &opened),
            _ => quote!(#function #arguments),
        };
        let (first, last) = (spans::first(&call.func), spans::last(call));
        match to {
            // Of what is surely a value nothing has to be made, and it could be harder to infer.
            To::Function if gives_a_value => self.call("called", first, result, last),
            _ if of_user => self.call("Returned::result", first, result, last),
            _ => result,
        }
    }

    /// A call of a function of the user's, by which rustc knows what its arguments are passed as.
    fn with_arguments(
        &self,
        called: TokenStream,
        call: &ExprCall,
        opened: &[Ident],
    ) -> TokenStream {
        if opened.is_empty() {
            return called;
        }
        let (first, last) = (spans::first(&call.func), spans::last(call));
        let result = temporary("result", first);
        let open = self.call("open", first, TokenStream::new(), last);
        let span = Span::mixed_site();
        let close_other = self.v.item("CloseOther", span);
        let import = quote_spanned!(span=> #[allow(unused_imports)] use #close_other as _;);
        let call = quote_spanned! {first=>
            #import
            #(let #opened = #open;)*
            let #result = #called;
            #(#opened.close();)*
            #result
        };
        spans::braces(call, last)
    }

    /// `std::mem::swap(&mut a, &mut b)` and its like.
    pub(super) fn well_known(
        &mut self,
        call: &ExprCall,
        path: &ExprPath,
        function: &str,
    ) -> TokenStream {
        if let Some(error) = self.value_for_mut(call, function) {
            return self.complain(error);
        }
        let mut borrowed = Vec::new();
        let arguments = call.args.iter();
        let arguments: Vec<_> = arguments
            .map(|argument| self.passed(argument, To::BuiltIn, &mut borrowed))
            .collect();
        let (first, close) = (spans::first(path), call.paren_token.span.close());
        let generics = array_and_length(function, path);
        let name = self.v.item(function, first);
        let all = spans::parens(quote!(#(#arguments),*), close);
        let result = quote_spanned!(first=> #name #generics #all);
        if path.path.segments.len() > 2 {
            return result;
        }
        // What the path begins with is imported, and in use.
        let of = match function {
            "array_from_fn" => quote_spanned!(first=> <
                ::core::primitive::u8, 1, fn(::core::primitive::usize) -> ::core::primitive::u8
            >),
            _ => quote_spanned!(first=> <::core::primitive::u8>),
        };
        let mut named = path.clone();
        if let Some(last) = named.path.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        let known = quote_spanned!(first=> #named::#of, #result);
        self.call("instead_of", first, known, close)
    }

    /// `std::mem::swap(a, b)` of values.
    fn value_for_mut(&self, call: &ExprCall, function: &str) -> Option<syn::Error> {
        let changed = match function {
            "swap" => 2,
            "replace" | "take" => 1,
            _ => return None,
        };
        let is_value = |argument: &&Expr| match unparenthesized(argument) {
            Expr::Index(_) => self.is_value(argument),
            argument => {
                let local = self.local(argument);
                local.is_some_and(|local| local.is_value && local.declared == Declared::Local)
            }
        };
        let value = call.args.iter().take(changed).find(is_value)?;
        let words: [&dyn Display; 2] = [&valid::source(&call.func), &valid::source(value)];
        Some(messages::VALUE_FOR_MUT.at(value, &words))
    }
}

/// Whether an expression may have been meant as what a function results in: what assigns and loops is a statement.
fn may_be_the_value(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Binary(binary) => expr::operator_of_assignment(&binary.op).is_none(),
        Expr::Assign(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Return(_) => {
            false
        }
        _ => true,
    }
}

/// The last `if` of a chain, if it has no `else`.
fn without_else(conditional: &ExprIf) -> Option<&ExprIf> {
    match conditional.else_branch.as_ref().map(|(_, other)| &**other) {
        None => Some(conditional),
        Some(Expr::If(next)) => without_else(next),
        Some(_) => None,
    }
}

/// Whether the last of a block is an expression that may have a value.
fn ends_in_a_value(block: &Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(Expr::ForLoop(_) | Expr::While(_), _)) => false,
        Some(Stmt::Expr(Expr::If(inner), None)) => without_else(inner).is_none(),
        Some(Stmt::Expr(_, semicolon)) => semicolon.is_none(),
        Some(Stmt::Macro(last)) => last.semi_token.is_none(),
        Some(Stmt::Local(_) | Stmt::Item(_)) | None => false,
    }
}

/// The `::<T, N>` of `from_fn::<T, N, _>`.
fn array_and_length(function: &str, path: &ExprPath) -> Option<TokenStream> {
    let PathArguments::AngleBracketed(given) = &path.path.segments.last()?.arguments else {
        return None;
    };
    let (ty, length) = (given.args.get(0)?, given.args.get(1)?);
    (function == "array_from_fn").then(|| quote!(::<#ty, #length>))
}
