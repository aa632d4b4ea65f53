//! Values that surely are options or results where a plain value is wanted, as somebody forgot to take it out:
//! `y[i] = x.get(i)`.

use std::fmt::Display;

use proc_macro2::TokenStream;
use syn::{Expr, ExprBinary, ExprMethodCall, ExprUnary, Pat, Type, parse_quote_spanned};

use super::iterator::{is_sequence, keeps_elements};
use super::scope::Declared;
use super::typed::{calculates, compares};
use super::{Rewriter, option, unparenthesized};
use crate::{messages, types, valid};

/// What an option may hold, as the user sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    Value,
    /// Of an element.
    Reference,
}

impl Rewriter<'_> {
    /// Notes a local that is an option or a result, as it is declared next.
    pub(super) fn note_option(&mut self, pat: &Pat, value: &Expr) {
        let (Pat::Ident(_), id) = (pat, self.scope.next_id()) else {
            return;
        };
        if let Some(inside) = self.optional(value) {
            self.facts.options.insert(id, inside);
        } else if self.is_result(value) {
            self.facts.results.insert(id);
        }
    }

    /// The same of one with a type that says so.
    pub(super) fn note_type_of_option(&mut self, pat: &Pat, ty: &Type, staged: &TokenStream) {
        if let (Pat::Ident(_), Type::Path(path)) = (pat, ty)
            && types::option(path).is_some()
        {
            let id = self.scope.next_id();
            self.facts.options.insert(id, Inside::Value);
            self.facts.typed_options.insert(id, staged.clone());
        }
    }

    /// `o.take()` and `o.replace(v)` of an option: what `std::mem::replace` does for all values.
    pub(super) fn exchanged(&self, call: &ExprMethodCall) -> Option<Expr> {
        let (receiver, span) = (&call.receiver, call.method.span());
        let exchange: Expr = match (call.method.to_string().as_str(), call.args.first()) {
            ("take", None) => {
                parse_quote_spanned!(span=> ::std::mem::replace(&mut #receiver, None))
            }
            ("replace", Some(value)) if call.args.len() == 1 => {
                parse_quote_spanned!(span=> ::std::mem::replace(&mut #receiver, Some(#value)))
            }
            _ => return None,
        };
        self.is_optional(receiver).then_some(exchange)
    }

    /// `o.and_then(|v| v + 1)`.
    pub(super) fn value_of_and_then(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let Some(Expr::Closure(closure)) = call.args.first().filter(|_| call.method == "and_then")
        else {
            return None;
        };
        let body = unparenthesized(&closure.body);
        let is_value = match body {
            Expr::Binary(binary) => calculates(binary) || compares(binary),
            Expr::Cast(_) | Expr::Lit(_) | Expr::Index(_) => true,
            _ => false,
        };
        is_value.then(|| messages::MAP_MEANT.at(body, &[&call.method]))
    }

    /// What is said of an option where a value is wanted.
    pub(super) fn option_for_value(&mut self, expr: &Expr) -> Option<syn::Error> {
        if let Some(error) = self.whole_for_value(expr) {
            return Some(error);
        }
        let star = match self.optional(expr)? {
            Inside::Reference => "*",
            Inside::Value => "",
        };
        self.refused(expr, star)
    }

    /// The same of an operand, which may surely be a result, too. In other places the types say so.
    pub(super) fn option_as_operand(&mut self, expr: &Expr) -> Option<syn::Error> {
        let error = self.option_for_value(expr);
        let is_result = error.is_none() && self.is_result(expr);
        error.or_else(|| is_result.then(|| self.refused(expr, ""))?)
    }

    /// The same of one whose field or method is asked for, which a reference has, too.
    pub(super) fn option_with_member(&mut self, expr: &Expr) -> Option<syn::Error> {
        self.optional(expr)?;
        self.refused(expr, "")
    }

    /// The same on one side of an operator.
    pub(super) fn option_in_arithmetic(&mut self, binary: &ExprBinary) -> Option<syn::Error> {
        let (left, right) = (&binary.left, &binary.right);
        let calculates = calculates(binary);
        if calculates || compares(binary) && self.is_value(right) {
            let error = self.option_as_operand(left);
            if error.is_some() {
                return error;
            }
        }
        let is_wanted = calculates || compares(binary) && self.is_value(left);
        is_wanted.then(|| self.option_as_operand(right))?
    }

    /// The same of the value of a `let` of this type.
    pub(super) fn option_of_type(&mut self, ty: Option<&Type>, expr: &Expr) -> Option<syn::Error> {
        let is_value = matches!(ty, Some(Type::Path(path)) if types::is_value(path));
        is_value.then(|| self.option_for_value(expr))?
    }

    /// `*x.iter().max()`.
    pub(super) fn starred_option(&self, unary: &ExprUnary) -> Option<syn::Error> {
        let option = valid::source(&unary.expr);
        let star = match self.optional(&unary.expr)? {
            Inside::Reference => "*",
            Inside::Value => "",
        };
        let words: [&dyn Display; 2] = [&format!("{star}{option}"), &option];
        Some(messages::OPTION_FOR_VALUE.at(unary, &words))
    }

    fn refused(&mut self, expr: &Expr, star: &str) -> Option<syn::Error> {
        let expr = unparenthesized(expr);
        // Once of each local.
        let id = self.local(expr).map(|local| local.id);
        let said = id.is_some_and(|id| !self.facts.refused.insert(id));
        let text = valid::source(expr);
        let words: [&dyn Display; 2] = [&format!("{star}{text}"), &text];
        let message = match expr {
            Expr::Path(path) if option::is_none(&path.path) => messages::NONE_FOR_VALUE,
            Expr::Call(call) if option::made(call).is_some() => {
                let error = messages::SOME_FOR_VALUE.at(expr, &[&valid::source(&call.args)]);
                return Some(error);
            }
            expr if self.is_result(expr) => messages::RESULT_FOR_VALUE,
            _ => messages::OPTION_FOR_VALUE,
        };
        (!said).then(|| message.at(expr, &words))
    }

    /// Whether an expression surely is an option.
    pub(super) fn is_optional(&self, expr: &Expr) -> bool {
        self.optional(expr).is_some()
    }

    /// What an expression may hold that surely is an option.
    fn optional(&self, expr: &Expr) -> Option<Inside> {
        match unparenthesized(expr) {
            Expr::Path(path) if option::is_none(&path.path) => Some(Inside::Value),
            Expr::Path(_) => self.facts.options.get(&self.local(expr)?.id).copied(),
            Expr::Call(call) => {
                let variant = option::made(call)?;
                variant.is_of_options().then_some(Inside::Value)
            }
            Expr::MethodCall(call) => self.optional_by(call),
            _ => None,
        }
    }

    fn optional_by(&self, call: &ExprMethodCall) -> Option<Inside> {
        let receiver = &*call.receiver;
        let is_part = matches!(call.args.first(), Some(Expr::Range(_)));
        match call.method.to_string().as_str() {
            _ if valid::gives_an_element(&call.method) && !is_part && self.is_slice(receiver) => {
                Some(Inside::Reference)
            }
            "position" | "find_map" if is_sequence(receiver) => Some(Inside::Value),
            _ if valid::gives_an_item(&call.method) && is_sequence(receiver) => {
                Some(match has_references(receiver) {
                    true => Inside::Reference,
                    false => Inside::Value,
                })
            }
            name if name.starts_with("checked_")
                && (self.is_number(receiver) || self.is_size(receiver)) =>
            {
                Some(Inside::Value)
            }
            "map" | "and_then" | "copied" | "cloned" => {
                self.optional(receiver).map(|_| Inside::Value)
            }
            "filter" | "or" | "or_else" | "xor" | "take" | "replace" => self.optional(receiver),
            _ => None,
        }
    }

    /// Whether an expression surely is a result: that of an exchange, of a search, or of a conversion.
    fn is_result(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Path(_) => {
                let local = self.local(expr);
                local.is_some_and(|local| self.facts.results.contains(&local.id))
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let conversion = valid::conversion_of_numbers(path);
                    conversion.is_some_and(|(function, _)| function == "try_from")
                }
                _ => false,
            },
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "compare_exchange" | "compare_exchange_weak" => true,
                name => name.starts_with("binary_search") && self.is_slice(&call.receiver),
            },
            _ => false,
        }
    }

    /// Whether this is a parameter that is a slice.
    pub(super) fn is_slice(&self, expr: &Expr) -> bool {
        self.type_of_elements(expr).is_some()
    }

    /// The type of the elements of a parameter that is a slice.
    pub(super) fn type_of_elements(&self, expr: &Expr) -> Option<String> {
        if let Some(element) = self.element_of(expr) {
            return Some(valid::source(element));
        }
        let local = self.local(expr)?;
        let mut typed = self.kernel.typed.iter();
        let (_, ty) = typed.find(|(name, _)| *name == local.name)?;
        let Type::Reference(reference) = ty else {
            return None;
        };
        match &*reference.elem {
            Type::Slice(slice) if local.declared == Declared::Argument => {
                Some(valid::source(&slice.elem))
            }
            _ => None,
        }
    }
}

/// Whether the items of an iterator are the elements of a slice themselves.
fn has_references(iterated: &Expr) -> bool {
    match unparenthesized(iterated) {
        Expr::MethodCall(call) if call.method == "iter" => true,
        Expr::MethodCall(call) => {
            (keeps_elements(call) || call.method == "filter") && has_references(&call.receiver)
        }
        _ => false,
    }
}
