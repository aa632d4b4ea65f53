//! Functions of the user: calls of them, their bodies, closures.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Expr, ExprCall, ExprClosure, ExprPath, ExprReference, ExprReturn, Lit, Pat, PathArguments,
    ReturnType, UnOp,
};

use super::scope::Declared;
use super::{Rewriter, Surrounding, desugared, diverge, subslice, unparenthesized};
use crate::device::signature::Input;
use crate::signature::ParamKind;
use crate::valid::Access;
use crate::{messages, spans, types, valid};

/// A function whose body is being rewritten: the kernel itself is none.
pub(super) struct Enclosing {
    /// Where `return` leaves to.
    returns: Ident,
    /// Whether there is a `return`.
    used: bool,
    /// Whether it results in an `Option`, as far as is written.
    pub(super) gives_option: bool,
}

impl Rewriter<'_> {
    /// The parameters and the body of a device function.
    pub(super) fn function(
        &mut self,
        inputs: &[Input],
        output: Option<&TokenStream>,
    ) -> (Vec<TokenStream>, TokenStream) {
        let mut rebound = Vec::new();
        let params = inputs
            .iter()
            .map(|input| match &input.pat {
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
                    pat.ident.to_token_stream()
                }
                Pat::Ident(pat) if valid::is_plain_name(pat) => {
                    let (name, span) = (&pat.ident, pat.ident.span());
                    let (mutability, value) =
                        self.declare(name, Declared::Argument, pat.mutability, quote!(#name));
                    if input.is_slice_mut {
                        self.scope.is_slice_mut();
                    }
                    if pat.mutability.is_some() && mutability.is_none() {
                        rebound.push(quote_spanned!(span=> let #name = #value;));
                    }
                    quote!(#mutability #name)
                }
                pat => self.pattern(pat, &mut rebound),
            })
            .collect();
        let block = &self.kernel.body;
        let gives_option = output.is_some_and(is_option);
        let end = block.brace_token.span.close();
        let body = self.leaving(output, gives_option, end, |this| {
            let body = this.statements(block);
            quote!(#(#rebound)* #body)
        });
        (params, body)
    }

    /// Code in which `return` leaves that code only. `output` is what it results in, if that is declared.
    fn leaving(
        &mut self,
        output: Option<&TokenStream>,
        gives_option: bool,
        end: Span,
        f: impl FnOnce(&mut Self) -> TokenStream,
    ) -> TokenStream {
        self.labels += 1;
        let returns = format_ident!("_returns_{}", self.labels, span = Span::mixed_site());
        self.functions.push(Enclosing {
            returns: returns.clone(),
            used: false,
            gives_option,
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

    /// `return`, with or without a value.
    pub(super) fn return_(&mut self, jump: &ExprReturn) -> TokenStream {
        let span = jump.return_token.span;
        let Some(function) = self.functions.last_mut() else {
            if let Some(value) = &jump.expr {
                return self.complain(messages::RETURN_VALUE.at(value, &[]));
            }
            let leave = self.call("return_", span, TokenStream::new(), span);
            return self.ended(leave, span, span);
        };
        function.used = true;
        let returns = function.returns.clone();
        let (value, end) = match &jump.expr {
            Some(value) => (self.argument(value), spans::last(value)),
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
        let mark = self.scope.enter();
        let mut rebound = Vec::new();
        let last = closure.inputs.len();
        let inputs: Vec<_> = (closure.inputs.iter().zip(1..))
            .map(|(input, number)| match input {
                Pat::Type(typed) => {
                    let ty = types::staged(&typed.ty, self.v, self.complaints);
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
                    None => self.untyped(pat, &mut rebound),
                },
            })
            .collect();
        let (output, staged_output) = match &closure.output {
            ReturnType::Type(arrow, ty) if !valid::is_unit(ty) => {
                let ty = types::staged(ty, self.v, self.complaints);
                (Some(quote!(#arrow #ty)), Some(ty))
            }
            _ => (result, None),
        };
        let end = spans::last(&closure.body);
        let expr = &closure.body;
        let output_of_body = staged_output.as_ref();
        let gives_option = output_of_body.is_none_or(is_option);
        let body = self.leaving(output_of_body, gives_option, end, |this| match &**expr {
            Expr::Block(inner) => this.statements(&inner.block),
            expr => this.expr(expr),
        });
        self.scope.leave(mark);
        let (capture, or1, or2) = (closure.capture, closure.inputs_begin, closure.inputs_end);
        let body = spans::braces(quote!(#(#rebound)* #body), end);
        quote!(#capture #or1 #(#inputs),* #or2 #output #body)
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
            pat => self.pattern(pat, rebound),
        }
    }

    /// A call of a function or a closure of the user.
    pub(super) fn call_of_user(&mut self, call: &ExprCall, gives_a_value: bool) -> TokenStream {
        let is_local = self.local(&call.func).is_some();
        let of_type = !is_local && valid::is_of_a_type(&call.func);
        // Functions that are `unsafe` have no trait by which rustc could be asked about them, but what they give has.
        let is_asked = self.unsafety == 0;
        let of_user = matches!(&*call.func, Expr::Path(path) if !is_local && !is_known(path));
        let to = match () {
            () if is_local => To::Closure,
            () if of_user && !is_asked => To::Method,
            () => To::Function,
        };
        let mut borrowed = Vec::new();
        let arguments = call.args.iter().enumerate();
        let arguments: Vec<_> = arguments
            .map(|(index, argument)| match (index, of_type) {
                (0, true) => self.first(argument, &call.func, &mut borrowed),
                _ => self.passed(argument, to, &mut borrowed),
            })
            .collect();
        let function = match (&*call.func, self.local(&call.func)) {
            (func, Some(_)) => unparenthesized(func).to_token_stream(),
            (Expr::Path(path), None) => self.callee(path),
            (func, None) => {
                let func = self.expr(unparenthesized(func));
                spans::parens(func, spans::first(&call.func))
            }
        };
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let result = quote!(#function #arguments);
        // Of what is surely a value nothing has to be made, and it could be harder to infer.
        if !of_user || is_asked && gives_a_value {
            return result;
        }
        let (first, last) = (spans::first(&call.func), spans::last(call));
        self.call("returned", first, result, last)
    }

    /// `std::mem::swap(&mut a, &mut b)` and its like.
    pub(super) fn well_known(
        &mut self,
        call: &ExprCall,
        path: &ExprPath,
        function: &str,
    ) -> TokenStream {
        let mut borrowed = Vec::new();
        let arguments = call.args.iter();
        let arguments: Vec<_> = arguments
            .map(|argument| self.passed(argument, To::Function, &mut borrowed))
            .collect();
        let (first, close) = (spans::first(path), call.paren_token.span.close());
        let result = self.call(function, first, quote!(#(#arguments),*), close);
        if path.path.segments.len() > 2 {
            return result;
        }
        // What the path begins with is imported, and in use.
        let known = quote_spanned!(first=> #path::<::core::primitive::u8>, #result);
        self.call("instead_of", first, known, close)
    }

    /// A function that is no local, where it is called.
    fn callee(&mut self, path: &ExprPath) -> TokenStream {
        let (first, last) = (spans::first(path), spans::last(path));
        let name = self.function_name(path);
        if is_known(path) {
            return name;
        }
        let name = match valid::may_be_well_known(path) {
            Some(kind) => {
                let alone = self.call(kind, first, name, last);
                let function = quote_spanned!(first=> .function);
                let nothing = spans::parens(TokenStream::new(), last);
                quote!(#alone #function #nothing)
            }
            None => name,
        };
        match self.unsafety {
            0 => self.call("callable", first, name, last),
            _ => self.unsafe_callee(name, first, last),
        }
    }

    /// The same in an `unsafe` block.
    fn unsafe_callee(&self, name: TokenStream, first: Span, last: Span) -> TokenStream {
        let span = Span::mixed_site();
        let trait_ = self.v.item("CalledAsItIs", span);
        let callee = self.call("Callee", first, name, last);
        let function = quote_spanned!(first=> .function);
        let nothing = spans::parens(TokenStream::new(), last);
        let inner = quote_spanned!(span=> #[allow(unused_imports)] use #trait_ as _; #callee #function #nothing);
        spans::parens(spans::braces(inner, first), first)
    }

    /// The name of a function that is no local, where it is handed to another.
    pub(super) fn handed(&mut self, path: &ExprPath) -> TokenStream {
        let name = self.function_name(path);
        if is_known(path) {
            return name;
        }
        self.call("handed", spans::first(path), name, spans::last(path))
    }

    /// The name of a function that is no local.
    pub(super) fn function_name(&mut self, path: &ExprPath) -> TokenStream {
        if let Some((ty, method)) = valid::method_of_number(path) {
            let span = spans::first(path);
            let lane = self.v.item("Lane", span);
            return quote_spanned!(span=> #lane::<#ty>::#method);
        }
        self.called.push(path.clone());
        match valid::may_have_a_twin(path) && !is_known(path) {
            true => self.staged_twin(path),
            false => path.to_token_stream(),
        }
    }

    /// What kernels call where a name may be that of a function of the host with a twin: see `lang::twin` in
    /// `vortex-kernel`.
    ///
    /// The name is looked for in what its own, as a type, refers to. That may be nothing, and an import of nothing
    /// would be an error; hence the macro of the same name. It is declared behind the user's name, or rustc would
    /// take that for the macro's where it is in error.
    fn staged_twin(&self, path: &ExprPath) -> TokenStream {
        let span = Span::mixed_site();
        let untwinned = self.v.item("Untwinned", span);
        let (ty, function) = (
            Ident::new("__vortex_twin", span),
            Ident::new("function", span),
        );
        let mut plain = path.path.clone();
        for segment in &mut plain.segments {
            segment.arguments = PathArguments::None;
        }
        let Some(last) = path.path.segments.last() else {
            return path.to_token_stream();
        };
        let name = &last.ident;
        let found = match path.path.segments.len() {
            1 => {
                let mut name = name.clone();
                name.set_span(span);
                quote_spanned! {span=>
                    #[allow(unused_macros)]
                    macro_rules! #name { () => {} }
                    #[allow(unused_imports)]
                    use #plain as #ty;
                }
            }
            _ => quote_spanned! {span=>
                #[allow(unused_imports)]
                use #plain as #ty;
                #[allow(unused_imports)]
                use #ty as #name;
            },
        };
        let (first, end) = (spans::first(path), spans::last(path));
        let named = spans::braces(
            quote_spanned!(span=> #[allow(unused_imports)] use #ty::*; #last),
            end,
        );
        let located = Ident::new("function", span.located_at(first));
        let inner = quote_spanned!(span=> let #function = #named; #found #located);
        let inner = spans::braces(inner, first);
        let all = quote_spanned!(span=> #[allow(unused_imports)] use #untwinned as #ty; #inner);
        spans::braces(all, first)
    }

    /// The first argument of a function of a type, `Ball::energy(&b)`: perhaps it is the function's `self`.
    fn first(
        &mut self,
        argument: &Expr,
        function: &Expr,
        borrowed: &mut Vec<Vec<String>>,
    ) -> TokenStream {
        let argument = unparenthesized(argument);
        let (first, last) = (spans::first(argument), spans::last(argument));
        let place = match argument {
            Expr::Reference(reference)
                if subslice::is_subslice(&reference.expr)
                    || self.is_group_memory(&reference.expr) =>
            {
                return self.passed(argument, To::Function, borrowed);
            }
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.exclusive_borrow(reference, borrowed)
            }
            Expr::Reference(reference) => {
                let value = self.argument(&reference.expr);
                return self.call("first_argument", first, value, last);
            }
            expr if self.is_exclusive(expr) => expr.to_token_stream(),
            Expr::Closure(_) => return self.passed(argument, To::Function, borrowed),
            Expr::Path(path) if self.local(argument).is_none() && valid::names_a_function(path) => {
                return self.handed(path);
            }
            expr if valid::makes_a_value(function) || diverge::expr(expr) => {
                return self.passed(expr, To::Function, borrowed);
            }
            expr => {
                let value = self.argument(expr);
                return self.call("first_argument", first, value, last);
            }
        };
        let exclusive = self.call("exclusive", first, place, last);
        self.call(
            "Lend::lend",
            first,
            quote_spanned!(first=> &mut #exclusive),
            last,
        )
    }

    fn is_exclusive(&self, expr: &Expr) -> bool {
        let local = self.local(expr);
        local.is_some_and(|local| local.declared == Declared::Exclusive)
    }

    /// What is passed to a function.
    pub(super) fn passed(
        &mut self,
        argument: &Expr,
        to: To,
        borrowed: &mut Vec<Vec<String>>,
    ) -> TokenStream {
        match unparenthesized(argument) {
            Expr::Closure(closure) => self.closure(closure),
            Expr::Reference(reference)
                if let Some(name) = desugared::reborrowed(reference)
                    && self.is_a_reference(name) =>
            {
                self.passed(name, to, borrowed)
            }
            Expr::Lit(lit) if matches!(lit.lit, Lit::ByteStr(_)) && to.coerces() => {
                let bytes = self.literal(lit);
                self.coerced(bytes, lit)
            }
            Expr::Reference(reference) if subslice::is_subslice(&reference.expr) => {
                let part = self.borrowed_subslice(reference);
                let (first, last) = (spans::first(reference), spans::last(reference));
                self.call("argument", first, part, last)
            }
            Expr::Reference(reference) if reference.mutability.is_some() => {
                let place = self.exclusive_borrow(reference, borrowed);
                match to.coerces() && !place.is_empty() && !self.is_group_memory(&reference.expr) {
                    true => self.coerced(place, reference),
                    false => place,
                }
            }
            Expr::Reference(reference) if self.is_group_memory(&reference.expr) => {
                let memory = unparenthesized(&reference.expr);
                let (first, last) = (spans::first(memory), spans::last(memory));
                self.call("lent", first, memory.to_token_stream(), last)
            }
            Expr::Reference(reference)
                if to.coerces()
                    && let Some(place) = self.borrowed(&reference.expr) =>
            {
                self.coerced(place, reference)
            }
            Expr::Reference(reference) => self.passed(&reference.expr, to, borrowed),
            Expr::Path(path) if to.coerces() && self.refers_to_elements(argument) => {
                self.coerced(path.to_token_stream(), path)
            }
            Expr::Path(path) if self.local(argument).is_none() && valid::names_a_function(path) => {
                self.handed(path)
            }
            // Of any type, so of that which the function takes.
            expr if diverge::expr(expr) => self.expr(expr),
            expr => {
                let value = self.argument(expr);
                let name = match to {
                    To::Method => "argument_of_method",
                    To::Closure => return value,
                    // A name may be that of a closure, which is no value.
                    To::Function
                        if self.local(expr).is_some() && !self.is_lent_to_be_read(expr) =>
                    {
                        return value;
                    }
                    To::Function => "argument",
                };
                self.call(name, spans::first(expr), value, spans::last(expr))
            }
        }
    }

    /// Whether a name is declared as a reference: what it refers to may be lent on.
    fn is_a_reference(&self, name: &Expr) -> bool {
        self.local(name).is_some_and(|local| match local.declared {
            Declared::Exclusive | Declared::Shared => true,
            Declared::Argument => local.elements_mut,
            Declared::Param(param) => matches!(
                self.kernel.params[param].kind,
                ParamKind::Slice { .. } | ParamKind::Texture { .. } | ParamKind::Tensor { .. }
            ),
            _ => false,
        })
    }

    /// What `&expr` is to a function: a name, or a place.
    fn borrowed(&mut self, expr: &Expr) -> Option<TokenStream> {
        let expr = unparenthesized(expr);
        if let Expr::Path(path) = expr {
            let local = self.local(expr)?;
            let is_value = match local.declared {
                Declared::Local | Declared::Argument | Declared::Shared | Declared::Exclusive => {
                    true
                }
                Declared::Param(param) => matches!(
                    self.kernel.params[param].kind,
                    ParamKind::Scalar(_) | ParamKind::Value(_)
                ),
                Declared::Comptime | Declared::Memory | Declared::Loop => false,
            };
            return is_value.then(|| path.to_token_stream());
        }
        match expr {
            Expr::Index(_) | Expr::Field(_) if self.is_place(expr) => {
                self.place(expr, Access::Read)
            }
            Expr::Field(_) => Some(self.argument(expr)),
            _ => None,
        }
    }

    /// A reference as the function takes it: an array may be a slice there.
    fn coerced(&mut self, place: TokenStream, reference: &impl ToTokens) -> TokenStream {
        let (first, last) = (spans::first(reference), spans::last(reference));
        self.call("coerced", first, place, last)
    }

    /// Whether a `let` can name what is borrowed: a place of the work item, and no part of a slice or memory of its
    /// group.
    pub(super) fn can_be_kept(&self, reference: &ExprReference) -> bool {
        let target = unparenthesized(&reference.expr);
        !subslice::is_subslice(target) && !self.is_group_memory(target)
    }

    /// `&mut local`.
    pub(super) fn exclusive_borrow(
        &mut self,
        reference: &ExprReference,
        borrowed: &mut Vec<Vec<String>>,
    ) -> TokenStream {
        let target = unparenthesized(&reference.expr);
        if self.is_group_memory(target) {
            return self.group_memory(target, reference, borrowed);
        }
        if let Some(local) = self.local(whole(target))
            && !local.mutable
            && local.declared != Declared::Exclusive
            && local.declared != Declared::Memory
        {
            let error = messages::BORROW_NOT_MUT.at(reference, &[&local.name]);
            return self.complain(error);
        }
        let place = match self.local(target).map(|local| (local.declared, local.id)) {
            Some((Declared::Exclusive, _)) => target.to_token_stream(),
            Some((_, id)) => {
                self.assigned.insert(id);
                target.to_token_stream()
            }
            None if !self.is_place(target) && !self.is_item(target) => {
                return self.complain(messages::BORROW_VALUE.at(reference, &[]));
            }
            None => match self.place(target, Access::Write) {
                Some(place) => place,
                None => return TokenStream::new(),
            },
        };
        match self.borrow(target, reference, borrowed) {
            true => place,
            false => TokenStream::new(),
        }
    }

    /// Whether an expression names a texture or a tensor, which may be passed as one that is only read.
    fn is_lent_to_be_read(&self, expr: &Expr) -> bool {
        self.local(expr).is_some_and(|local| match local.declared {
            Declared::Param(index) => {
                matches!(
                    self.kernel.params[index].kind,
                    ParamKind::Texture { .. } | ParamKind::Tensor { .. }
                )
            }
            _ => false,
        })
    }

    /// Whether an expression names memory of the work group.
    fn is_group_memory(&self, expr: &Expr) -> bool {
        self.local(expr).is_some_and(|local| match local.declared {
            Declared::Memory => true,
            Declared::Param(index) => {
                matches!(self.kernel.params[index].kind, ParamKind::Local(_))
            }
            _ => false,
        })
    }

    /// `&mut tile`, of memory of the work group: that, or a place, or a slice, as the function takes it.
    fn group_memory(
        &mut self,
        memory: &Expr,
        reference: &ExprReference,
        borrowed: &mut Vec<Vec<String>>,
    ) -> TokenStream {
        if !self.borrow(memory, reference, borrowed) {
            return TokenStream::new();
        }
        let (first, last) = (spans::first(memory), spans::last(memory));
        self.call("lent", first, memory.to_token_stream(), last)
    }

    /// Notes what is borrowed for a call, unless it is already.
    fn borrow(
        &mut self,
        target: &Expr,
        reference: &ExprReference,
        borrowed: &mut Vec<Vec<String>>,
    ) -> bool {
        let steps = steps(target);
        if borrowed.iter().any(|other| overlap(other, &steps)) {
            let text = valid::source(target).replace(" [", "[").replace(" . ", ".");
            self.complain(messages::BORROWED_TWICE.at(reference, &[&text]));
            return false;
        }
        borrowed.push(steps);
        true
    }

    /// The `&mut` parameter whose target `expr` is: `out` for `*out`.
    pub(super) fn exclusive(&self, expr: &Expr) -> Option<TokenStream> {
        self.dereferenced(expr, Declared::Exclusive)
    }

    /// The `&` parameter whose target `expr` is.
    pub(super) fn shared(&self, expr: &Expr) -> Option<TokenStream> {
        self.dereferenced(expr, Declared::Shared)
    }

    fn dereferenced(&self, expr: &Expr, declared: Declared) -> Option<TokenStream> {
        let Expr::Unary(unary) = unparenthesized(expr) else {
            return None;
        };
        let mut target = unparenthesized(&unary.expr);
        // `**x`, of a reference to a reference.
        while let Expr::Unary(inner) = target
            && matches!(inner.op, UnOp::Deref(_))
        {
            target = unparenthesized(&inner.expr);
        }
        (matches!(unary.op, UnOp::Deref(_)) && self.local(target)?.declared == declared)
            .then(|| target.to_token_stream())
    }
}

/// Whether a staged type is that of an `Option`.
fn is_option(ty: &TokenStream) -> bool {
    let is_name =
        |token: &TokenTree| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == '<');
    let name = ty.clone().into_iter().take_while(is_name).last();
    matches!(name, Some(TokenTree::Ident(name)) if name == "Opt")
}

/// Whether the language itself has the function, about which rustc says more by itself.
fn is_known(path: &ExprPath) -> bool {
    valid::method_of_number(path).is_some() || valid::is_of_the_library(path)
}

/// What an argument is passed to.
#[derive(Clone, Copy)]
pub(super) enum To {
    Function,
    Method,
    /// Its parameters may have no type yet, so it gets its arguments as they are.
    Closure,
}

impl To {
    /// Whether a reference becomes what the parameter is.
    fn coerces(self) -> bool {
        !matches!(self, Self::Closure)
    }
}

/// What a field is a part of.
pub(super) fn whole(place: &Expr) -> &Expr {
    match unparenthesized(place) {
        Expr::Field(field) => whole(&field.base),
        place => place,
    }
}

/// The way from the root of a place to it. Elements are all one, as they are for Rust's borrow checker.
fn steps(place: &Expr) -> Vec<String> {
    let (base, step) = match place {
        Expr::Field(field) => (&field.base, field.member.to_token_stream().to_string()),
        Expr::Index(index) => (&index.expr, "[]".to_owned()),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => (&unary.expr, String::new()),
        Expr::Paren(paren) => return steps(&paren.expr),
        Expr::Group(group) => return steps(&group.expr),
        place => return vec![place.to_token_stream().to_string()],
    };
    let mut steps = steps(base);
    if !step.is_empty() {
        steps.push(step);
    }
    steps
}

/// Whether one place is a part of the other, or the other.
fn overlap(a: &[String], b: &[String]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}
