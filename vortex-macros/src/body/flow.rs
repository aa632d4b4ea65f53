//! Control flow.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Block, Expr, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop, ExprWhile, Label,
    Lifetime, Pat, RangeLimits,
};

use super::scope::Declared;
use super::{Rewriter, Surrounding, diverge, matching, unparenthesized};
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    pub(super) fn conditional(&mut self, conditional: &ExprIf) -> TokenStream {
        if matching::has_let(&conditional.cond) {
            return self.if_let(conditional);
        }
        let span = conditional.if_token.span;
        let condition = self.argument(&conditional.cond);
        let then = &conditional.then_branch;
        let Some((else_token, otherwise)) = &conditional.else_branch else {
            let arm = self.block(then, false);
            return self.call(
                "when",
                span,
                quote_spanned!(span=> || #condition, || #arm),
                then.brace_token.span.close(),
            );
        };
        // Where only one arm ends in a jump, its value is whatever the other's is.
        let neither_ends = diverge::block(then) && diverge::expr(otherwise);
        let then = self.block(then, diverge::block(then) && !neither_ends);
        let otherwise = match &**otherwise {
            Expr::Block(inner) => {
                self.block(&inner.block, diverge::block(&inner.block) && !neither_ends)
            }
            nested if neither_ends => self.expr(nested),
            nested => self.value(nested),
        };
        let closure = quote_spanned!(else_token.span=> || #otherwise);
        let close = spans::last(&conditional.else_branch.as_ref().map(|(_, branch)| branch));
        self.call(
            "if_else",
            span,
            quote_spanned!(span=> || #condition, || #then, #closure),
            close,
        )
    }

    pub(super) fn while_loop(&mut self, inner: &ExprWhile) -> TokenStream {
        self.no_label(inner.label.as_ref());
        if matching::has_let(&inner.cond) {
            return self.while_let(inner);
        }
        let span = inner.while_token.span;
        let label = self.label();
        self.surroundings.push(Surrounding::Condition);
        let condition = self.argument(&inner.cond);
        self.surroundings.pop();
        let body = self.loop_body(&inner.body, &label, TokenStream::new());
        let close = inner.body.brace_token.span.close();
        self.call(
            "while_loop",
            span,
            quote_spanned!(span=> |#label| #condition, |#label| #body),
            close,
        )
    }

    pub(super) fn endless_loop(&mut self, inner: &ExprLoop) -> TokenStream {
        self.no_label(inner.label.as_ref());
        let span = inner.loop_token.span;
        let label = self.label();
        let body = self.loop_body(&inner.body, &label, TokenStream::new());
        self.call(
            "endless_loop",
            span,
            quote_spanned!(span=> |#label| #body),
            inner.body.brace_token.span.close(),
        )
    }

    pub(super) fn for_loop(&mut self, inner: &ExprForLoop) -> TokenStream {
        self.no_label(inner.label.as_ref());
        let span = inner.for_token.span;
        let Expr::Range(range) = unparenthesized(&inner.expr) else {
            return self.complain(valid::iterated(unparenthesized(&inner.expr)));
        };
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            return self.complain(messages::OPEN_RANGE.at(range, &[]));
        };
        let (start, end) = (self.argument(start), self.argument(end));
        let function = match range.limits {
            RangeLimits::HalfOpen(_) => "for_range",
            RangeLimits::Closed(_) => "for_range_inclusive",
        };
        let label = self.label();
        let mark = self.scope.enter();
        let (counter, first) = self.counter(&inner.pat);
        let body = self.loop_body(&inner.body, &label, first);
        self.scope.leave(mark);
        let close = inner.body.brace_token.span.close();
        self.call(
            function,
            span,
            quote_spanned!(span=> #start, || #end, |#label, #counter| #body),
            close,
        )
    }

    /// The name of a `for`, and what makes it mutable.
    fn counter(&mut self, pat: &Pat) -> (TokenStream, TokenStream) {
        match pat {
            Pat::Wild(_) => (pat.to_token_stream(), TokenStream::new()),
            Pat::Ident(ident) if valid::is_constant_name(&ident.ident.to_string()) => {
                let error = messages::CONSTANT_IN_PATTERN.at(ident, &[&ident.ident]);
                (self.complain(error), TokenStream::new())
            }
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let name = &ident.ident;
                let (mutability, value) =
                    self.declare(name, Declared::Loop, ident.mutability, quote!(#name));
                let becomes_mutable = ident.mutability.is_some() && mutability.is_none();
                let first =
                    becomes_mutable.then(|| quote_spanned!(name.span()=> let #name = #value;));
                (quote!(#mutability #name), first.into_token_stream())
            }
            pat => {
                self.declare_anyway(pat);
                (self.complain(valid::pattern(pat)), TokenStream::new())
            }
        }
    }

    pub(super) fn loop_body(
        &mut self,
        body: &Block,
        label: &Ident,
        first: TokenStream,
    ) -> TokenStream {
        self.surroundings.push(Surrounding::Loop(label.clone()));
        let inner = self.statements(body, false);
        self.surroundings.pop();
        spans::braces(quote!(#first #inner), body.brace_token.span.join())
    }

    pub(super) fn break_(&mut self, jump: &ExprBreak) -> TokenStream {
        self.no_lifetime(jump.label.as_ref());
        if let Some(value) = &jump.expr {
            return self.complain(messages::BREAK_VALUE.at(value, &[]));
        }
        let keyword = jump.break_token;
        match self.innermost_loop(keyword) {
            Some(label) => self.call(
                "break_",
                keyword.span,
                label.into_token_stream(),
                keyword.span,
            ),
            None => TokenStream::new(),
        }
    }

    pub(super) fn continue_(&mut self, jump: &ExprContinue) -> TokenStream {
        self.no_lifetime(jump.label.as_ref());
        let keyword = jump.continue_token;
        match self.innermost_loop(keyword) {
            Some(label) => self.call(
                "continue_",
                keyword.span,
                label.into_token_stream(),
                keyword.span,
            ),
            None => TokenStream::new(),
        }
    }

    fn innermost_loop(&mut self, keyword: impl ToTokens) -> Option<Ident> {
        match self.surroundings.last() {
            Some(Surrounding::Loop(label)) => Some(label.clone()),
            outside => {
                let error = valid::jump(keyword, matches!(outside, Some(Surrounding::Condition)));
                self.complain(error);
                None
            }
        }
    }

    pub(super) fn no_label(&mut self, label: Option<&Label>) {
        if let Some(label) = label {
            self.complain(messages::LABEL.at(label, &[]));
        }
    }

    /// A jump to a label: what is wrong has been said where the label is.
    fn no_lifetime(&mut self, label: Option<&Lifetime>) {
        if let Some(label) = label
            && self.complaints.is_empty()
        {
            self.complain(messages::LABEL.at(label, &[]));
        }
    }
}
