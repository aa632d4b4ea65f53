//! What may be no value where one is wanted: see `lang::control::wanted` in `vortex-kernel`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprTuple, Type};

use super::typed::{calculates, compares, is_literal};
use super::{Rewriter, diverge, unparenthesized};
use crate::{spans, valid};

impl Rewriter<'_> {
    /// The value of an expression where a value of a known type is wanted.
    pub(super) fn wanted(&self, expr: &Expr, value: TokenStream) -> TokenStream {
        let expr = unparenthesized(expr);
        if value.is_empty() || !may_be_asked(expr) {
            return value;
        }
        self.asked(expr, value)
    }

    /// The same of each part of a tuple that a function gives, and of its whole if it is something else.
    pub(super) fn wanted_parts(
        &self,
        output: &TokenStream,
        expr: &Expr,
        value: TokenStream,
    ) -> TokenStream {
        let Ok(Type::Tuple(types)) = syn::parse2(output.clone()) else {
            return value;
        };
        match unparenthesized(expr) {
            Expr::Tuple(tuple) if tuple.elems.len() == types.elems.len() => {
                let Ok(values) = syn::parse2::<ExprTuple>(value.clone()) else {
                    return value;
                };
                let parts = tuple.elems.iter().zip(&values.elems);
                let parts: Vec<_> = parts
                    .map(|(part, value)| self.wanted_value(part, value.to_token_stream()))
                    .collect();
                let comma = (parts.len() == 1).then(|| quote!(,));
                spans::parens(quote!(#(#parts),* #comma), tuple.paren_token.span.join())
            }
            expr => self.wanted_value(expr, value),
        }
    }

    /// The value of an expression of which another of the same type is known, literals included.
    pub(super) fn wanted_value(&self, expr: &Expr, value: TokenStream) -> TokenStream {
        match is_literal(unparenthesized(expr)) {
            true => self.asked(expr, value),
            false => self.wanted(expr, value),
        }
    }

    fn asked(&self, expr: &Expr, value: TokenStream) -> TokenStream {
        if value.is_empty() {
            return value;
        }
        let (first, last) = (spans::first(expr), spans::last(expr));
        let arguments = quote_spanned!(last=> #value, 0);
        self.asking(("Wants", "given"), arguments, (first, last))
    }

    /// The left side of an operator whose right side is known, if it is what a function of the user gives.
    pub(super) fn operand_of(&self, expr: &Expr, value: TokenStream) -> TokenStream {
        match unparenthesized(expr) {
            Expr::Call(call)
                if self.local(&call.func).is_none()
                    && !valid::is_of_the_prelude(&call.func)
                    && !value.is_empty()
                    && !has_closure(expr)
                    && !diverge::expr(expr) =>
            {
                let (first, last) = (spans::first(expr), spans::last(expr));
                let arguments = quote_spanned!(last=> #value, 0);
                self.call("Operand::operand", first, arguments, last)
            }
            _ => value,
        }
    }

    /// Whether the left side of a comparison says by itself what is compared, as rustc finds it first.
    pub(super) fn is_known_first(&self, left: &Expr) -> bool {
        match unparenthesized(left) {
            Expr::Call(call) => self.local(&call.func).is_none() && !has_closure(left),
            Expr::MethodCall(call) => {
                // What these give may depend on what becomes of it.
                let by_its_use = ["into", "try_into", "sum", "product", "unwrap_or_default"];
                !valid::is_one_of(&call.method, &by_its_use) && !has_closure(left)
            }
            left => self.is_value(left) && !is_literal(left),
        }
    }
}

/// Whether it can be asked what an expression gives. Closures in it may need to know first what is wanted.
pub(super) fn may_be_asked(expr: &Expr) -> bool {
    let gives_something = match expr {
        Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Path(_)
        | Expr::Field(_)
        | Expr::Index(_)
        | Expr::Unary(_)
        | Expr::Cast(_)
        | Expr::Array(_)
        | Expr::Repeat(_) => true,
        Expr::Binary(binary) => calculates(binary) || compares(binary),
        _ => false,
    };
    gives_something && !diverge::expr(expr) && !has_closure(expr)
}

fn has_closure(expr: &Expr) -> bool {
    struct Finder(bool);

    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {
            self.0 = true;
        }
    }

    let mut finder = Finder(false);
    visit::visit_expr(&mut finder, expr);
    finder.0
}
