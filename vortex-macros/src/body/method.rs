//! Calls of the user's methods: those of `#[device] impl` blocks and traits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprMethodCall, ExprPath, Type};

use super::argument::To;
use super::named::mentions;
use super::scope::Declared;
use super::typed::is_literal;
use super::{Rewriter, subslice, unparenthesized};
use crate::signature::ParamKind;
use crate::twins::number_of;
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// `x.speed(..)`, where `speed` is no method of the language.
    pub(super) fn method_of_user(&mut self, call: &ExprMethodCall) -> TokenStream {
        let target = unparenthesized(&call.receiver);
        let (first, last) = (spans::first(target), spans::last(call));
        let Some(receiver) = self.changeable(target) else {
            return TokenStream::new();
        };
        let function = match self.arguments_change_receiver(call) {
            true => "method_before",
            false => "method",
        };
        let receiver = self.call(function, first, receiver, spans::last(target));
        let receiver = self.with_twin(&call.method, receiver, first);
        let mut borrowed = Vec::new();
        let arguments: Vec<_> = call
            .args
            .iter()
            .map(|argument| self.passed(argument, To::Method, &mut borrowed))
            .collect();
        let (dot, method, generics) = (call.dot_token, &call.method, &call.turbofish);
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let called = quote!(#dot #method #generics #arguments);
        let result = match self.declared_unchanging(target, call) {
            Some(name) => {
                let arm = quote_spanned!(first=> #name => #target #called);
                let arm = spans::braces(arm, last);
                quote_spanned!(first=> match *#receiver #arm)
            }
            None => {
                let receiver = spans::parens(quote_spanned!(first=> *#receiver), first);
                quote!(#receiver #called)
            }
        };
        let result = match self.slice_without_method(call) {
            Some(slice) if call.turbofish.is_none() => {
                let instead = self.instead_of_method(call, slice);
                self.unless_found(call, &valid::source(slice), &instead, result)
            }
            _ => result,
        };
        self.call("Returned::result", first, result, last)
    }

    /// The name of a local without `mut`, where it is declared: if what a method is called on has that name for rustc,
    /// too, this says what it says of a method that changes it. The arguments would find the name as well.
    fn declared_unchanging(&self, target: &Expr, call: &ExprMethodCall) -> Option<Ident> {
        let local = self.local(target)?;
        let is_plain = matches!(
            local.declared,
            Declared::Local | Declared::Loop | Declared::Argument
        );
        // `wait` takes a barrier's token, of which there are no copies.
        let is_of_user =
            is_plain && !local.mutable && local.name != messages::SELF && call.method != "wait";
        let is_mentioned = mentions(&call.args, &local.name);
        (is_of_user && !is_mentioned).then(|| local.name.clone())
    }

    /// What a method is looked for in: where it has a twin, the key of that.
    fn with_twin(&self, method: &Ident, receiver: TokenStream, at: Span) -> TokenStream {
        let span = Span::mixed_site();
        let (name, root) = (number_of(method), self.v.root(span));
        let choice = self.v.item("MethodChoice", span);
        spans::braces(
            quote_spanned! {span=>
                #[allow(unused_imports)]
                use #root::{PickPlain as _, PickTwin as _};
                #choice::<#name, _>::of(#receiver).pick()
            },
            at,
        )
    }

    /// A function that is named by its type: where it has a twin, that.
    pub(super) fn function_with_twin(&mut self, path: &ExprPath) -> TokenStream {
        let Some(last) = path.path.segments.last() else {
            return path.to_token_stream();
        };
        let span = Span::mixed_site();
        let (name, root) = (number_of(&last.ident), self.v.root(span));
        let choice = self.v.item("FunctionChoice", span);
        let function = self.known_function_of_a_type(path);
        spans::braces(
            quote_spanned! {span=>
                #[allow(unused_imports)]
                use #root::{PickPlainFunction as _, PickTwinFunction as _};
                #choice::<#name, _>::of(#function).pick()
            },
            spans::first(path),
        )
    }

    /// `Vec3::new` and `Vec3::splat`: of the language's type, or of one of the user's by that name.
    pub(super) fn function_of_a_vector(&mut self, path: &ExprPath) -> TokenStream {
        let Some((of, function)) = valid::last_two(&path.path) else {
            return path.to_token_stream();
        };
        let span = Span::mixed_site();
        let (name, root) = (number_of(function), self.v.root(span));
        let choice = self.v.item(&format!("Of{of}"), span);
        spans::braces(
            quote_spanned! {span=>
                #[allow(unused_imports)]
                use #root::{
                    PickOther as _, PickPlainFunction as _, PickTwinFunction as _, PickVectors as _,
                };
                #choice::of(#path).choice::<#name>().pick()
            },
            spans::first(path),
        )
    }

    /// `x.contains(&v)` and other methods of slices, of which the user may have some of the same names.
    pub(super) fn method_of_slices(&mut self, call: &ExprMethodCall) -> TokenStream {
        let target = unparenthesized(&call.receiver);
        let (first, last) = (spans::first(target), spans::last(call));
        let access = match valid::changes_slices(&call.method) || valid::moves_elements(call) {
            true => Access::Write,
            false => Access::Read,
        };
        let receiver = match target {
            Expr::Index(index) if subslice::is_subslice(target) => self.subslice_of(index, access),
            target => match self.changeable(target) {
                Some(receiver) => receiver,
                None => return TokenStream::new(),
            },
        };
        let receiver = self.call("method", first, receiver, spans::last(target));
        let receiver = self.with_twin(&call.method, receiver, first);
        let arguments: Vec<_> = call
            .args
            .iter()
            .map(|argument| match unparenthesized(argument) {
                Expr::Closure(closure) => self.closure(closure),
                Expr::Reference(reference) if subslice::is_subslice(&reference.expr) => {
                    self.borrowed_subslice(reference)
                }
                Expr::Reference(reference) if reference.mutability.is_none() => {
                    let value = self.argument(&reference.expr);
                    self.of_wanted(call, &reference.expr, value)
                }
                Expr::Path(path)
                    if self.local(argument).is_none() && valid::names_a_function(path) =>
                {
                    self.handed(path)
                }
                argument => {
                    let value = self.argument(argument);
                    self.of_wanted(call, argument, value)
                }
            })
            .collect();
        let (dot, method) = (call.dot_token, &call.method);
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        let result = quote!(#receiver #dot #method #arguments);
        self.call("Returned::result", first, result, last)
    }

    /// `x.rotate_left(n);`.
    pub(super) fn moving_elements(&mut self, call: &ExprMethodCall) -> TokenStream {
        if let Some(local) = self.local(&call.receiver)
            && let Some(error) = valid::changing_method(call, local, self.kernel)
        {
            return self.complain(error);
        }
        self.method_of_slices(call)
    }

    /// An argument of a method of slices, of the type that it has to be.
    pub(super) fn of_wanted(
        &self,
        call: &ExprMethodCall,
        argument: &Expr,
        value: TokenStream,
    ) -> TokenStream {
        let is_default = call.method == "unwrap_or"
            || call.method == "map_or" && is_literal(unparenthesized(argument));
        let is_of_vector = valid::is_one_of(&call.method, &["dot", "cross"])
            && (self.type_of_operand(unparenthesized(&call.receiver)))
                .is_some_and(|ty| ty.starts_with("Vec"));
        if is_default || is_of_vector {
            return self.wanted_value(argument, value);
        }
        let is_slice = self.element_of(&call.receiver).is_some()
            || subslice::is_subslice(unparenthesized(&call.receiver));
        if is_slice && valid::moves_elements(call) {
            return self.of_known_type("usize", argument, value);
        }
        // Of others, the user's types may have methods of these names.
        let is_known = self.is_number(&call.receiver) || self.element_of(&call.receiver).is_some();
        if let Some(valid::Wanted::Of(ty)) = valid::wanted(&call.method).filter(|_| is_known) {
            return self.of_known_type(ty, argument, value);
        }
        if let Some(ty) = self.counted_by(call) {
            return self.of_known_type(ty, argument, value);
        }
        let holder = match &*call.receiver {
            Expr::MethodCall(atomic) if atomic.method == "atomic" => &atomic.receiver,
            _ if valid::is_one_of(&call.method, &["contains", "fill", "binary_search"]) => {
                &call.receiver
            }
            _ => return value,
        };
        let Some(Type::Path(element)) = self.element_of(holder) else {
            return value;
        };
        match element.path.get_ident().map(Ident::to_string) {
            Some(name) if valid::is_scalar(&name) => self.of_known_type(&name, argument, value),
            _ => value,
        }
    }

    /// The type of a parameter of the kernel that is a number, and that of an element of one.
    pub(super) fn type_of_operand(&self, operand: &Expr) -> Option<String> {
        let ty = match operand {
            Expr::Index(index) => self.element_of(&index.expr)?,
            Expr::Path(_) => {
                let Declared::Param(index) = self.local(operand)?.declared else {
                    return None;
                };
                match &self.kernel.params[index].kind {
                    ParamKind::Scalar(ty) => ty,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(valid::source(ty))
    }

    /// The type of the numbers that a method of a parameter counts elements by.
    fn counted_by(&self, call: &ExprMethodCall) -> Option<&'static str> {
        let Declared::Param(index) = self.local(&call.receiver)?.declared else {
            return None;
        };
        match (
            &self.kernel.params[index].kind,
            call.method.to_string().as_str(),
        ) {
            (ParamKind::Slice { .. }, "swap" | "atomic") => Some("usize"),
            (ParamKind::Pointer { .. }, "add" | "sub") => Some("usize"),
            (ParamKind::Pointer { .. }, "offset") => Some("isize"),
            _ => None,
        }
    }

    /// The type of the elements of a slice that is a parameter of the kernel.
    pub(super) fn element_of(&self, slice: &Expr) -> Option<&Type> {
        let Declared::Param(index) = self.local(slice)?.declared else {
            return None;
        };
        match &self.kernel.params[index].kind {
            ParamKind::Slice { elem, .. } => Some(elem),
            _ => None,
        }
    }

    /// What a method is called on: a place if it is one, so that the method can change it.
    fn changeable(&mut self, target: &Expr) -> Option<TokenStream> {
        match self.local(target).map(|local| local.declared) {
            Some(Declared::Memory) => return Some(self.memory(target)),
            Some(_) => {
                self.assigned_to(target);
                return Some(target.to_token_stream());
            }
            None if !self.is_place(target) && !self.is_item(target) => {
                return Some(self.expr(target));
            }
            None => {}
        }
        self.assigned_to(root(target));
        self.place(target, Access::Read)
    }
}

/// What a chain of methods begins with.
pub(super) fn called_on(expr: &Expr) -> &Expr {
    match unparenthesized(expr) {
        Expr::MethodCall(call) => called_on(&call.receiver),
        expr => expr,
    }
}

/// What a place is a part of.
pub(super) fn root(place: &Expr) -> &Expr {
    match unparenthesized(place) {
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        place => place,
    }
}
