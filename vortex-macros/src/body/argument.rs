//! How arguments are passed: values, references to places, parts of slices.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprReference, Lit, Local, UnOp};

use super::referring::dereferenced;
use super::scope::Declared;
use super::{Rewriter, desugared, diverge, subslice, temporary, unparenthesized};
use crate::signature::ParamKind;
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// The first argument of a function of a type, `Ball::energy(&b)`: perhaps it is the function's `self`.
    pub(super) fn first(
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
                let arguments = quote_spanned!(last=> #value, 0);
                return self.asking(("First", "first_argument"), arguments, (first, last));
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
                let arguments = quote_spanned!(last=> #value, 0);
                return self.asking(("First", "first_argument"), arguments, (first, last));
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

    pub(super) fn is_exclusive(&self, expr: &Expr) -> bool {
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
            Expr::Closure(closure) => {
                self.closure_is_given = matches!(to, To::Function);
                self.closure(closure)
            }
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
            part if subslice::is_subslice(part) => self.complain(subslice::is_unsized(part)),
            Expr::Reference(reference) if subslice::is_subslice(&reference.expr) => {
                let part = self.borrowed_subslice(reference);
                let (first, last) = (spans::first(reference), spans::last(reference));
                match to {
                    To::Function | To::Slice if reference.mutability.is_none() => {
                        self.coerced(part, reference)
                    }
                    _ => self.call("argument", first, part, last),
                }
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
                self.call("lent", first, quote_spanned!(first=> #memory, 0), last)
            }
            Expr::Reference(reference)
                if to.coerces()
                    && let Some(place) = self.borrowed(&reference.expr) =>
            {
                let place = match self.is_surely_a_value(&reference.expr) {
                    true => {
                        let (first, last) = (spans::first(reference), spans::last(reference));
                        self.call("shared", first, place, last)
                    }
                    false => place,
                };
                self.coerced(place, reference)
            }
            Expr::Reference(reference) if matches!(to, To::Slice) => {
                let value = self.argument(&reference.expr);
                self.coerced(value, reference)
            }
            Expr::Reference(reference) => self.passed(&reference.expr, to, borrowed),
            Expr::Path(path)
                if to.coerces()
                    && (self.refers_to_elements(argument) || self.refers_to_an_array(argument)) =>
            {
                self.coerced(path.to_token_stream(), path)
            }
            Expr::Path(path) if self.local(argument).is_none() && valid::names_a_function(path) => {
                self.handed(path)
            }
            // Of any type, so of that which the function takes.
            expr if diverge::expr(expr) => self.expr(expr),
            expr => {
                let value = self.argument(expr);
                let (first, last) = (spans::first(expr), spans::last(expr));
                match to {
                    To::Method if value.is_empty() => value,
                    To::Method => {
                        let arguments = quote_spanned!(last=> #value, 0);
                        self.asking(("PassedTo", "passed_to"), arguments, (first, last))
                    }
                    To::Closure => value,
                    To::Slice => self.wanted_value(expr, value),
                    To::Function | To::BuiltIn if self.is_lent_to_be_read(expr, to) => {
                        self.coerced(value, expr)
                    }
                    To::Function => self.given(expr, value),
                    // A name may be that of a closure, which is no value.
                    To::BuiltIn if self.local(expr).is_some() => value,
                    To::BuiltIn => self.call("argument", first, value, last),
                }
            }
        }
    }

    /// A value that a function of the user's takes, or that a closure gives which is its argument.
    pub(super) fn given(&mut self, expr: &Expr, value: TokenStream) -> TokenStream {
        let (first, last) = (spans::first(expr), spans::last(expr));
        self.opens += 1;
        let span = Span::mixed_site().located_at(last);
        let open = temporary(&format!("open{}", self.opens), span);
        let arguments = quote_spanned!(last=> #value, #open, 0);
        self.opened.push(open);
        self.asking(("Given", "argument"), arguments, (first, last))
    }

    /// `let z = &mut *y;` of a slice: the same as `let z = y;`.
    pub(super) fn reborrowed(&self, local: &Local) -> Option<Local> {
        let init = local.init.as_ref()?;
        let Expr::Reference(reference) = unparenthesized(&init.expr) else {
            return None;
        };
        let name = desugared::reborrowed(reference)?;
        let declared = self.local(name)?.declared;
        let is_slice = matches!(declared, Declared::Param(_) | Declared::Argument);
        if !is_slice || !self.is_a_reference(name) {
            return None;
        }
        let mut same = local.clone();
        *same.init.as_mut()?.expr = name.clone();
        Some(same)
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

    /// Whether what is borrowed is surely a value or a place of one. Of a closure, a reference is no other than itself.
    fn is_surely_a_value(&self, expr: &Expr) -> bool {
        let expr = unparenthesized(expr);
        match self.local(expr) {
            Some(local) => {
                local.mutable
                    || local.is_value
                    || matches!(local.declared, Declared::Exclusive | Declared::Param(_))
            }
            None => self.is_place(expr),
        }
    }

    /// A reference as the function takes it: an array may be a slice there.
    fn coerced(&mut self, place: TokenStream, reference: &impl ToTokens) -> TokenStream {
        let (first, last) = (spans::first(reference), spans::last(reference));
        let arguments = quote_spanned!(first=> #place, 0);
        self.asking(("CoercesTo", "coerced"), arguments, (first, last))
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

    /// Whether an expression names a texture or a tensor, which may be passed as one that is only read, or a slice,
    /// which a function of the user's may want to write to.
    fn is_lent_to_be_read(&self, expr: &Expr, to: To) -> bool {
        self.local(expr).is_some_and(|local| match local.declared {
            Declared::Param(index) => match self.kernel.params[index].kind {
                ParamKind::Texture { .. } | ParamKind::Tensor { .. } => true,
                ParamKind::Slice { .. } => matches!(to, To::Function),
                _ => false,
            },
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
        self.call("lent", first, quote_spanned!(first=> #memory, 0), last)
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
            let text = valid::source(target);
            let error = match target {
                Expr::Index(index) => {
                    messages::BORROWED_ELEMENTS.at(reference, &[&text, &valid::source(&index.expr)])
                }
                _ => messages::BORROWED_TWICE.at(reference, &[&text]),
            };
            self.complain(error);
            return false;
        }
        borrowed.push(steps);
        true
    }

    /// The `&mut` parameter whose target `expr` is: `out` for `*out`.
    pub(super) fn exclusive(&self, expr: &Expr) -> Option<TokenStream> {
        let target = dereferenced(expr).filter(|target| self.is_exclusive(target))?;
        Some(target.to_token_stream())
    }
}

/// What an argument is passed to.
#[derive(Clone, Copy)]
pub(super) enum To {
    /// Of the user.
    Function,
    /// A function that the language has.
    BuiltIn,
    Method,
    /// Its parameters may have no type yet, so it gets its arguments as they are.
    Closure,
    /// A closure whose parameter is declared as a slice.
    Slice,
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
