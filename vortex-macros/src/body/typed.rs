//! Values whose type has to be a certain one: see `lang::value::typed` in `vortex-kernel`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{BinOp, Expr, Type, UnOp};

use super::{Rewriter, unparenthesized};
use crate::{spans, types, valid};

impl Rewriter<'_> {
    /// What an `if` or a `while` tests.
    pub(super) fn tested(&mut self, condition: &Expr) -> TokenStream {
        let value = self.argument(condition);
        if !self.has_a_type(condition) {
            return value;
        }
        let (first, last) = (spans::first(condition), spans::last(condition));
        self.call("condition", first, value, last)
    }

    /// The value of a `let` with a type.
    pub(super) fn of_type(&self, ty: &Type, expr: &Expr, value: TokenStream) -> TokenStream {
        let is_value = matches!(ty, Type::Path(path) if types::is_value(path));
        if !is_value || value.is_empty() || !self.has_a_type(expr) {
            return value;
        }
        let (first, last) = (spans::first(expr), spans::last(expr));
        let function = self.v.item("of_type", first);
        let value = spans::parens(value, last);
        quote_spanned!(first=> #function::<#ty, _> #value)
    }

    /// Whether an expression has a type of its own, and not that which is asked of it. Of literals, rustc says more by
    /// itself.
    pub(super) fn has_a_type(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Path(_) => self.local(expr).is_none_or(|local| local.has_a_type),
            Expr::Index(index) => self.has_a_type(&index.expr),
            Expr::Field(field) => self.has_a_type(&field.base),
            Expr::Cast(cast) => !matches!(*cast.ty, Type::Infer(_)),
            Expr::Call(call) => valid::is_of_the_prelude(&call.func),
            Expr::MethodCall(call) => call.method == "len" && call.args.is_empty(),
            Expr::Unary(unary) => {
                !matches!(unary.op, UnOp::Deref(_)) && self.has_a_type(&unary.expr)
            }
            Expr::Binary(binary) => {
                let is_arithmetic = matches!(
                    binary.op,
                    BinOp::Add(_)
                        | BinOp::Sub(_)
                        | BinOp::Mul(_)
                        | BinOp::Div(_)
                        | BinOp::Rem(_)
                        | BinOp::BitAnd(_)
                        | BinOp::BitOr(_)
                        | BinOp::BitXor(_)
                );
                is_arithmetic && self.has_a_type(&binary.left)
            }
            _ => false,
        }
    }
}
