//! What may be no value where one is wanted: see `lang::value::wanted` in `vortex-kernel`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, UnOp};

use super::typed::calculates;
use super::{Rewriter, diverge, unparenthesized};
use crate::spans;

impl Rewriter<'_> {
    /// The value of an expression where a value of a known type is wanted.
    pub(super) fn wanted(&self, expr: &Expr, value: TokenStream) -> TokenStream {
        let expr = unparenthesized(expr);
        if value.is_empty() || !may_be_asked(expr) {
            return value;
        }
        let (first, last) = (spans::first(expr), spans::last(expr));
        let arguments = quote_spanned!(last=> #value, 0);
        self.call("Wants::given", first, arguments, last)
    }
}

/// Whether it can be asked what an expression gives. Closures in it may need to know first what is wanted.
fn may_be_asked(expr: &Expr) -> bool {
    let gives_something = match expr {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => {
            true
        }
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Binary(binary) => calculates(binary),
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
