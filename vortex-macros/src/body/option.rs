//! `Option`: `Some(..)` and `None` as expressions and as patterns; `Ok(..)` and `Err(..)` as patterns.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprCall, ExprPath, Pat, PatTupleStruct, Path, UnOp};

use super::iterator::is_sequence;
use super::{Rewriter, diverge, jump, unparenthesized};
use crate::{messages, spans, valid};

/// `Some` or `None`, by itself or as `Option::Some`.
fn is_variant(path: &Path, name: &str) -> bool {
    let mut segments = path.segments.iter().rev();
    segments.next().is_some_and(|last| last.ident == name)
        && segments
            .next()
            .is_none_or(|of| of.ident == "Option" || of.ident == "Result")
}

pub(super) fn is_none(path: &Path) -> bool {
    is_variant(path, "None")
}

/// Whether this is `Some(..)`.
pub(super) fn is_some(call: &ExprCall) -> bool {
    matches!(&*call.func, Expr::Path(path) if is_variant(&path.path, "Some"))
}

/// The `p` of the pattern `Some(p)`, `Ok(p)` or `Err(p)`, and what tests for it; nothing if that is not one.
pub(super) fn variant_pattern(tuple: &PatTupleStruct) -> Option<(&'static str, &Pat)> {
    let variants = [
        ("Some", "matches_some"),
        ("Ok", "matches_ok"),
        ("Err", "matches_err"),
    ];
    let (_, test) = (variants.into_iter()).find(|(name, _)| is_variant(&tuple.path, name))?;
    Some((test, tuple.elems.first()?))
}

/// The `x.get(i).unwrap()` of `*x.get(i).unwrap()`: a reference for the user, a value here.
pub(super) fn unwrapped(expr: &Expr) -> Option<&Expr> {
    let Expr::Unary(unary) = expr else {
        return None;
    };
    let inner = unparenthesized(&unary.expr);
    match (unary.op, inner) {
        (UnOp::Deref(_), Expr::MethodCall(call))
            if call.method.to_string().starts_with("unwrap") || call.method == "expect" =>
        {
            Some(inner)
        }
        // `map_or` and its kin. Of a method that there is not, rustc says so.
        (UnOp::Deref(_), Expr::MethodCall(call))
            if matches!(&*call.receiver, Expr::MethodCall(get)
                if valid::gives_an_element(&get.method)) =>
        {
            Some(inner)
        }
        (UnOp::Deref(_), Expr::Try(_)) => Some(inner),
        _ => None,
    }
}

/// Whether what an expression gives is a reference for the user, or holds some: `x.get(i).unwrap()`,
/// `x.iter().max().unwrap()`.
pub(super) fn may_refer(expr: &Expr) -> bool {
    let (name, option) = match unparenthesized(expr) {
        Expr::Loop(inner) => return jump::gives_reference(inner),
        Expr::MethodCall(unwrap) => (unwrap.method.to_string(), &unwrap.receiver),
        Expr::Try(expr) => ("unwrap".to_owned(), &expr.expr),
        _ => return false,
    };
    let Expr::MethodCall(option) = unparenthesized(option) else {
        return false;
    };
    let gives_one = valid::gives_an_element(&option.method);
    (name.starts_with("unwrap") || name == "expect") && (gives_one || is_sequence(&option.receiver))
}

impl Rewriter<'_> {
    /// `Some(value)`.
    pub(super) fn some(&mut self, call: &ExprCall) -> TokenStream {
        let (first, close) = (spans::first(&call.func), call.paren_token.span.close());
        let (Some(value), 1) = (call.args.first(), call.args.len()) else {
            return self.complain(messages::SOME_OF_ONE.at(call, &[]));
        };
        // An option of no type is never made.
        if diverge::expr(value) {
            return self.argument(value);
        }
        let value = self.argument(value);
        self.call("some", first, quote_spanned!(first=> || #value), close)
    }

    /// `None`.
    pub(super) fn none(&self, path: &ExprPath) -> TokenStream {
        let (first, last) = (spans::first(path), spans::last(path));
        self.call("none", first, TokenStream::new(), last)
    }

    /// Whether something is of a variant, as the test of a pattern.
    pub(super) fn variant_test(&self, name: &str, pat: &Pat, part: &TokenStream) -> TokenStream {
        let (first, last) = (spans::first(pat), spans::last(pat));
        self.call(name, first, quote_spanned!(first=> &#part), last)
    }

    /// What `Some(..)` and the like match.
    pub(super) fn inside(&self, pat: &Pat, part: &TokenStream) -> TokenStream {
        let (first, last) = (spans::first(pat), spans::last(pat));
        self.call("inside", first, part.to_token_stream(), last)
    }
}
