//! Parts of slices and arrays: `&x[a..b]`.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprIndex, ExprReference, RangeLimits};

use super::{Rewriter, iterator, unparenthesized};
use crate::valid::Access;
use crate::{messages, spans, valid};

/// Whether an expression is `x[a..b]`.
pub(super) fn is_subslice(expr: &Expr) -> bool {
    matches!(unparenthesized(expr), Expr::Index(index) if matches!(*index.index, Expr::Range(_)))
}

/// What is wrong with a part of a slice as a value.
pub(super) fn is_unsized(part: &Expr) -> syn::Error {
    messages::UNSIZED_PART.at(part, &[&valid::source(part)])
}

impl Rewriter<'_> {
    /// `&x[a..b]` or `&mut x[a..b]`.
    pub(super) fn borrowed_subslice(&mut self, reference: &ExprReference) -> TokenStream {
        let Expr::Index(index) = unparenthesized(&reference.expr) else {
            return TokenStream::new();
        };
        let (access, kind) = match reference.mutability {
            Some(_) => (Access::Write, ""),
            None => (Access::Read, "shared_"),
        };
        self.subslice_by(index, access, kind)
    }

    /// `x[a..b]`, which can be written to where `x` can.
    pub(super) fn subslice_of(&mut self, index: &ExprIndex, access: Access) -> TokenStream {
        self.subslice_by(index, access, "")
    }

    /// What parts are taken of. An array in memory is not read as a whole.
    pub(super) fn divisible(&mut self, base: &Expr, access: Access) -> Option<TokenStream> {
        let base = unparenthesized(base);
        match base {
            Expr::Path(path) if self.is_place(base) => {
                if access == Access::Write {
                    self.assigned_to(base);
                }
                Some(path.to_token_stream())
            }
            _ if self.is_place(base) || self.is_item(base) => self.place(base, access),
            base => Some(self.argument(base)),
        }
    }

    /// The same, by functions whose names begin with `kind`.
    fn subslice_by(&mut self, index: &ExprIndex, access: Access, kind: &str) -> TokenStream {
        let Expr::Range(range) = &*index.index else {
            return TokenStream::new();
        };
        let error = valid::index(index, self.local(&index.expr), access, self.kernel);
        if let Some(error) = error {
            return self.complain(error);
        }
        let Some(slice) = self.divisible(&index.expr, access) else {
            return TokenStream::new();
        };
        let (first, last) = (spans::first(index), spans::last(index));
        let start = match &range.start {
            Some(start) => {
                let value = self.argument(start);
                self.wanted(start, value)
            }
            None => self.lift_all(&quote_spanned!(first=> 0usize)),
        };
        let Some(end) = range.end.as_deref() else {
            let arguments = quote_spanned!(first=> #slice, || #start);
            return self.call(&format!("{kind}subslice_from"), first, arguments, last);
        };
        let value = self.argument(end);
        let end = self.wanted(end, value);
        let function = match range.limits {
            RangeLimits::HalfOpen(_) => "subslice",
            RangeLimits::Closed(_) => "subslice_inclusive",
        };
        let arguments = quote!(#slice, || #start, || #end);
        self.call(&format!("{kind}{function}"), first, arguments, last)
    }
}

/// What is said where something is assigned to a part of a slice.
pub(super) fn assigned(part: &Expr, slice: &Expr, value: &Expr) -> syn::Error {
    let slice = valid::source(slice);
    let items = match unparenthesized(value) {
        Expr::MethodCall(call) if call.method == "collect" => &call.receiver,
        value => value,
    };
    if !iterator::is_sequence(items) {
        return messages::ASSIGN_PART.at(part, &[&slice]);
    }
    let words: [&dyn Display; 3] = [&slice, &valid::source(part), &valid::source(items)];
    messages::ASSIGN_ITERATOR.at(part, &words)
}
