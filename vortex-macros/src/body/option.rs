//! `Option` and `Result`: `Some(..)`, `None`, `Ok(..)` and `Err(..)` as expressions and as patterns, and `?`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, ExprCall, ExprClosure, ExprPath, ExprTry, Lit, Pat, PatTupleStruct, Path, UnOp,
    parse_quote_spanned,
};

use super::gives::Gives;
use super::iterator::is_sequence;
use super::{Rewriter, diverge, jump, temporary, unparenthesized};
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

/// A variant that holds a value.
pub(super) struct Variant {
    name: &'static str,
    /// What makes one.
    make: &'static str,
    /// What tests for it.
    pub(super) test: &'static str,
    /// What gives what it holds.
    inside: &'static str,
}

impl Variant {
    /// Whether it is one of `Option`.
    pub(super) fn is_of_options(&self) -> bool {
        self.name == "Some"
    }

    /// Its name, what it is a variant of, and how that is written as a type.
    pub(super) fn described(&self) -> (&'static str, &'static str, &'static str) {
        match self.is_of_options() {
            true => (self.name, "an `Option`", "Option<..>"),
            false => (self.name, "a `Result`", "Result<.., ..>"),
        }
    }
}

const VARIANTS: [Variant; 3] = [
    Variant {
        name: "Some",
        make: "some",
        test: "matches_some",
        inside: "inside",
    },
    Variant {
        name: "Ok",
        make: "ok",
        test: "matches_ok",
        inside: "inside",
    },
    Variant {
        name: "Err",
        make: "err",
        test: "matches_err",
        inside: "error_inside",
    },
];

/// The variant that a path names.
fn variant(path: &Path) -> Option<&'static Variant> {
    VARIANTS.iter().find(|one| is_variant(path, one.name))
}

/// The variant that this call makes: `Some(..)`, `Ok(..)`, `Err(..)`.
pub(super) fn made(call: &ExprCall) -> Option<&'static Variant> {
    match &*call.func {
        Expr::Path(path) => variant(&path.path),
        _ => None,
    }
}

/// The closure that `Some` in `x.map(Some)` stands for.
pub(super) fn constructor(path: &ExprPath) -> Option<ExprClosure> {
    variant(&path.path)?;
    let value = temporary("value", spans::first(path));
    Some(parse_quote_spanned!(spans::first(path)=> |#value| #path(#value)))
}

/// The `p` of the pattern `Some(p)`, `Ok(p)` or `Err(p)`, and the variant; nothing if that is not one.
pub(super) fn variant_pattern(tuple: &PatTupleStruct) -> Option<(&'static Variant, &Pat)> {
    Some((variant(&tuple.path)?, tuple.elems.first()?))
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
    /// `Some(value)` and its kin.
    pub(super) fn variant_of(&mut self, variant: &Variant, call: &ExprCall) -> TokenStream {
        let held = self.held.take();
        let (first, close) = (spans::first(&call.func), call.paren_token.span.close());
        let (Some(value), 1) = (call.args.first(), call.args.len()) else {
            return self.complain(messages::VARIANT_OF_ONE.at(call, &[&variant.name]));
        };
        // One of no type is never made.
        if diverge::expr(value) {
            return self.argument(value);
        }
        // Of an error that is text, the signature has been complained of.
        if let (Expr::Lit(lit), "Err", false) = (value, variant.name, self.complaints.is_empty())
            && matches!(lit.lit, Lit::Str(_))
        {
            return TokenStream::new();
        }
        let of = held.as_ref().and_then(|held| held.by(variant.name));
        let argument = self.of_referred(value);
        let value = self.declared_as(of, value, argument);
        self.call(
            variant.make,
            first,
            quote_spanned!(first=> || #value),
            close,
        )
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

    /// What is inside of `Some(..)` and its kin.
    pub(super) fn inside(&self, variant: &Variant, pat: &Pat, part: &TokenStream) -> TokenStream {
        let (first, last) = (spans::first(pat), spans::last(pat));
        self.call(variant.inside, first, part.to_token_stream(), last)
    }

    /// `value?`.
    pub(super) fn question_mark(&mut self, expr: &ExprTry) -> TokenStream {
        let token = expr.question_token;
        let gives = match self.functions.last().map(|function| function.gives) {
            None if self.complaints.returns => return self.argument(&expr.expr),
            None => return self.complain(messages::QUESTION_MARK.at(token, &[])),
            Some(Gives::Neither) => {
                return self.complain(messages::QUESTION_MARK_OUTPUT.at(token, &[]));
            }
            Some(gives) => gives,
        };
        if diverge::expr(&expr.expr) {
            return self.argument(&expr.expr);
        }
        let (first, last, span) = (
            spans::first(&expr.expr),
            spans::last(&expr.expr),
            token.span,
        );
        let value = self.argument(&expr.expr);
        let found = temporary("left", span);
        let (asked, argument, left) = match gives {
            Gives::Option => {
                let none = self.call("none", span, TokenStream::new(), span);
                ("OptionAsked::this", TokenStream::new(), none)
            }
            Gives::Result => {
                let error = self.call("passed_on", span, quote!(#found), span);
                ("ResultAsked::this", quote!(#found), error)
            }
            _ => {
                let leave = self.leave_with(quote!(#found), span);
                let arguments = quote_spanned!(span=> #value, |#found| #leave);
                return self.call("value_or_leave", first, arguments, span);
            }
        };
        let leave = self.leave_with(left, span);
        let asked = self.call(asked, first, value, last);
        let arguments = spans::parens(quote_spanned!(span=> |#argument| #leave), span);
        quote_spanned!(span=> #asked.or_leave #arguments)
    }
}
