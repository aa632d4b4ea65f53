//! `#[unroll]` in front of a loop.

use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Expr, ExprForLoop};

use super::scope::Declared;
use super::{Rewriter, Unroll, unparenthesized};
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// Takes `#[unroll]` and `#[unroll(n)]` from what stands in front of a statement.
    pub(super) fn unrolling(
        &mut self,
        mut attributes: Vec<Attribute>,
        expr: &Expr,
    ) -> Vec<Attribute> {
        let is_for = matches!(expr, Expr::ForLoop(_));
        for attribute in attributes.extract_if(.., |attr| attr.path().is_ident("unroll")) {
            if !is_for {
                self.complain(messages::UNROLL_FOR.at(&attribute, &[]));
                continue;
            }
            self.unroll = match valid::unroll(&attribute) {
                Ok(None) => {
                    if let Some((end, ty)) = self.end_of_range_at_run_time(expr) {
                        let words: [&dyn std::fmt::Display; 2] = [&end, &ty];
                        self.complain(messages::UNROLL_UNKNOWN.at(&attribute, &words));
                    }
                    Some(Unroll::All)
                }
                // A number of the host, of whichever type.
                Ok(Some(n @ Expr::Path(_))) if self.is_comptime(&n) => {
                    let first = spans::first(&n);
                    Some(Unroll::By(
                        quote_spanned!(first=> #n as ::core::primitive::usize),
                    ))
                }
                Ok(Some(n)) if self.local(&n).is_some() => {
                    self.complain(messages::UNROLL_ARGUMENT.at(&n, &[]));
                    None
                }
                Ok(Some(n)) => Some(Unroll::By(n.into_token_stream())),
                Err(error) => {
                    self.complain(error);
                    None
                }
            };
        }
        attributes
    }

    /// The end of the range that a `for` goes over, and its type, if it is an argument of the kernel.
    fn end_of_range_at_run_time(&self, expr: &Expr) -> Option<(String, String)> {
        let Expr::ForLoop(ExprForLoop { expr: over, .. }) = expr else {
            return None;
        };
        let Expr::Range(range) = unparenthesized(over) else {
            return None;
        };
        let end = range.end.as_deref()?;
        let is_argument = matches!(self.local(end)?.declared, Declared::Param(_));
        let ty = self
            .type_of_operand(end)
            .unwrap_or_else(|| "usize".to_owned());
        is_argument.then(|| (valid::source(end), ty))
    }
}
