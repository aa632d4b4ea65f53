//! Places: what can be read and assigned to.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprAssign, UnOp};

use super::scope::Declared;
use super::{Rewriter, temporary, unparenthesized};
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// An element of a slice, or what a pointer points to. `None` after a complaint.
    pub(super) fn place(&mut self, expr: &Expr, access: Access) -> Option<TokenStream> {
        match expr {
            Expr::Index(index) => {
                if let Some(error) =
                    valid::index(index, self.local(&index.expr), access, self.kernel)
                {
                    self.complain(error);
                    return None;
                }
                let base = self.value(&index.expr);
                let position = self.argument(&index.index);
                // As if the base were all of the call: a fault then has the place that rustc would give
                // it, and two complaints about what cannot be indexed are the same one.
                let first = spans::first(&index.expr);
                let arguments = quote_spanned!(first=> #base, || #position);
                Some(self.call(
                    "Indexable::index",
                    first,
                    arguments,
                    spans::last(&index.expr),
                ))
            }
            Expr::Unary(_) if self.shared(expr).is_some() => {
                let name = self.shared(expr);
                self.complain(messages::WRITE_SHARED.at(expr, &[&quote!(#name)]));
                None
            }
            Expr::Unary(unary)
                if matches!(unary.op, UnOp::Deref(_))
                    && self
                        .local(&unary.expr)
                        .is_some_and(|local| local.declared == Declared::Memory) =>
            {
                let memory = self.argument(&unary.expr);
                let (first, last) = (spans::first(&unary.expr), spans::last(&unary.expr));
                Some(self.call("Local::place", first, memory, last))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                let mut error = valid::deref(expr, self.local(&unary.expr), access, self.kernel);
                if error.is_none() && self.unsafety == 0 {
                    error = Some(messages::DEREF_OUTSIDE_UNSAFE.at(expr, &[]));
                }
                if let Some(error) = error {
                    self.complain(error);
                    return None;
                }
                let pointer = self.argument(&unary.expr);
                let (first, last) = (spans::first(&unary.expr), spans::last(&unary.expr));
                Some(self.call("Pointer::deref", first, pointer, last))
            }
            _ => {
                self.complain(valid::not_a_place(expr));
                None
            }
        }
    }

    /// `target = value`.
    pub(super) fn assign(&mut self, assign: &ExprAssign) -> TokenStream {
        let equals = assign.eq_token.spans[0];
        let target = unparenthesized(&assign.left);
        if let Expr::Infer(_) = target {
            let value = self.value(&assign.right);
            return spans::braces(quote!(let _ = #value;), spans::last(&assign.right));
        }
        let (first, end) = (spans::first(target), spans::last(&assign.right));
        let value = self.argument(&assign.right);
        if let Some(exclusive) = self.exclusive(target) {
            let arguments = quote_spanned!(equals=> #exclusive, || #value);
            return self.call("set", equals, arguments, end);
        }
        if self.local(target).is_some() {
            let Some(local) = self.assigned(target) else {
                return TokenStream::new();
            };
            return self.call(
                "set",
                equals,
                quote_spanned!(equals=> #local, || #value),
                end,
            );
        }
        let Some(place) = self.place(target, Access::Write) else {
            return TokenStream::new();
        };
        let place = quote_spanned!(first=> || #place);
        self.call(
            "assign",
            equals,
            quote_spanned!(equals=> #place, || #value),
            end,
        )
    }

    /// `target op= value`. The value first, as in Rust; the place is found once.
    pub(super) fn assign_with(
        &mut self,
        target: &Expr,
        op: TokenStream,
        value: &Expr,
    ) -> TokenStream {
        let target = unparenthesized(target);
        let operator = spans::first(&op);
        let end = spans::last(value);
        let rhs = temporary("rhs", spans::first(value));
        let first = self.value(value);
        let statement = if self.exclusive(target).is_some() || self.local(target).is_some() {
            let local = self.exclusive(target).or_else(|| self.assigned(target));
            let Some(local) = local else {
                return TokenStream::new();
            };
            let old = quote_spanned!(spans::first(&local)=> #local.get());
            let arguments = quote_spanned!(operator=> #local, || #old #op #rhs);
            self.call("set", operator, arguments, end)
        } else {
            let Some(place) = self.place(target, Access::Write) else {
                return TokenStream::new();
            };
            let old = temporary("old", spans::first(target));
            let update = quote_spanned!(operator=> .update);
            let closure = spans::parens(quote_spanned!(operator=> |#old| #old #op #rhs), end);
            quote!(#place #update #closure)
        };
        spans::braces(quote!(let #rhs = #first; #statement), end)
    }

    /// The handle of a local that is assigned to. `None` after a complaint.
    fn assigned(&mut self, target: &Expr) -> Option<TokenStream> {
        let Expr::Path(path) = target else {
            return None;
        };
        let local = self.local(target)?;
        if !local.mutable {
            let error = valid::assignment(path, local, self.kernel);
            self.complain(error);
            return None;
        }
        let id = local.id;
        self.assigned.insert(id);
        Some(path.to_token_stream())
    }
}
