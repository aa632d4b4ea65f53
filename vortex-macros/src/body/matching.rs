//! `match`, and `let` where it may fail.
//!
//! The value is evaluated once into a hidden local. The user's patterns also go, token for token, into a `match` on a
//! value of the host's type that is type-checked and never run: there rustc finds missing and unreachable arms.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    BinOp, Expr, ExprIf, ExprLet, ExprMatch, ExprWhile, Local, Pat, Token, Type,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

use super::pattern::Bound;
use super::referring::Matched;
use super::scope::Declared;
use super::{Rewriter, Surrounding, diverge, temporary};
use crate::{messages, spans, staged, valid};

/// A rewritten arm.
struct Arm {
    span: Span,
    close: Span,
    test: Option<TokenStream>,
    guarded: bool,
    /// The body is surely a value of a device type.
    is_value: bool,
    /// Where the body begins.
    start: Span,
    body: TokenStream,
}

/// A part of a condition between `&&`s.
enum Clause<'e> {
    Let(&'e ExprLet),
    Test(&'e Expr),
}

impl Rewriter<'_> {
    pub(super) fn matching(&mut self, inner: &ExprMatch) -> TokenStream {
        if self.is_comptime(&inner.expr) {
            return self.comptime_match(inner);
        }
        // Then no arm is ever come to, and what is matched has no type.
        if diverge::expr(&inner.expr) {
            return self.argument(&inner.expr);
        }
        let patterns = inner.arms.iter().map(|arm| &arm.pat);
        if let Some(error) = self.places_inside(patterns, &inner.expr) {
            return self.complain(error);
        }
        let (evaluated, matched) = self.scrutinee(&inner.expr);
        let mut patterns = TokenStream::new();
        let mut arms = Vec::new();
        let complaints = self.complaints.len();
        for arm in &inner.arms {
            let is_first = self.complaints.len() == complaints;
            if let Some(error) = self.pattern_of_another(&inner.expr, &arm.pat)
                && (is_first || !matches!(arm.pat, Pat::Path(_)))
            {
                self.complain(error);
            }
        }
        if self.complaints.len() > complaints {
            return TokenStream::new();
        }
        for arm in &inner.arms {
            valid::expression_attributes(&arm.attrs, self.complaints);
            let (pat, guard) = match &arm.pat {
                Pat::Guard(guard) => (&*guard.pat, Some((guard.if_token, &*guard.guard))),
                pat => (pat, None),
            };
            let condition = guard.map(|(if_token, guard)| {
                let any = self.call(
                    "any_bool",
                    if_token.span,
                    TokenStream::new(),
                    spans::last(guard),
                );
                quote!(#if_token #any)
            });
            let arrow = arm.fat_arrow_token;
            // Here rustc proposes further arms.
            let end = spans::last(&arm.body);
            let nothing = spans::braces(TokenStream::new(), end);
            let comma = arm
                .comma
                .map_or_else(|| quote_spanned!(end=> ,), |comma| comma.to_token_stream());
            let host_pat = without_references(pat);
            patterns.extend(quote!(#host_pat #condition #arrow #nothing #comma));
            let guard = guard.map(|(_, guard)| guard);
            arms.push(self.arm(pat, guard, &arm.body, &matched));
        }
        let (span, close) = (inner.match_token.span, inner.brace_token.span.close());
        let host = self.host(&matched.value, &inner.expr);
        let arms_of_host = spans::braces(patterns, inner.brace_token.span.join());
        let keyword = inner.match_token;
        let shadow = self.shadow(quote!(#keyword #host #arms_of_host), span, close);
        let chain = self.chain(arms, close, diverge::matching(inner));
        spans::braces(quote!(#evaluated #shadow #chain), close)
    }

    /// An arm of the `match` of this value.
    fn arm(&mut self, pat: &Pat, guard: Option<&Expr>, body: &Expr, matched: &Matched) -> Arm {
        let (span, close) = (spans::first(pat), spans::last(body));
        let mut test = self.pattern_test(pat, &matched.value);
        let mark = self.scope.enter();
        if let Some(guard) = guard {
            test = Some(self.guarded_test(pat, guard, matched, test));
        }
        let names = self.bound_by(pat, matched);
        // Used in the guard is used.
        let used = guard.map_or_else(TokenStream::new, |guard| {
            let used = names.iter().filter(|bound| mentions(guard, bound));
            used.map(|Bound { name, .. }| quote_spanned!(name.span()=> let _ = #name;))
                .collect()
        });
        let is_whole = matched.is_value && matches!(pat, Pat::Ident(_));
        let values = if is_whole { names.len() } else { 0 };
        let names = self.declare_names(names);
        self.scope.are_values(values);
        let (is_value, start) = (self.arm_is_value(body), spans::first(body));
        let body = self.argument(body);
        self.scope.leave(mark);
        let body = if names.is_empty() {
            body
        } else {
            spans::braces(quote!(#names #used #body), close)
        };
        Arm {
            span,
            close,
            test,
            guarded: guard.is_some(),
            is_value,
            start,
            body,
        }
    }

    /// A pattern's test and the guard after it, which sees the names it mentions.
    fn guarded_test(
        &mut self,
        pat: &Pat,
        guard: &Expr,
        matched: &Matched,
        test: Option<TokenStream>,
    ) -> TokenStream {
        let mark = self.scope.enter();
        let mut names = self.bound_by(pat, matched);
        names.retain(|bound| mentions(guard, bound));
        for bound in &mut names {
            bound.mutability = None;
        }
        let is_whole = matched.is_value && matches!(pat, Pat::Ident(_));
        let values = if is_whole { names.len() } else { 0 };
        let names = self.declare_names(names);
        self.scope.are_values(values);
        let condition = self.argument(guard);
        self.scope.leave(mark);
        let (span, close) = (spans::first(pat), spans::last(guard));
        let condition = if names.is_empty() {
            condition
        } else {
            spans::braces(quote!(#names #condition), close)
        };
        match test {
            None => condition,
            Some(test) => {
                let arguments = quote_spanned!(span=> || #test, || #condition);
                self.call("and", span, arguments, close)
            }
        }
    }

    /// Arms as a chain of `if`s. The last one is not tested: rustc knows that it has to match.
    /// `ended` says that none of them ends.
    fn chain(&self, mut arms: Vec<Arm>, close: Span, ended: bool) -> TokenStream {
        let is_closed = arms.last().is_some_and(|arm| !arm.guarded);
        let are_values = is_closed && arms.len() > 1 && arms.iter().all(|arm| arm.is_value);
        let first = are_values.then(|| self.of_one_type(&mut arms, close));
        let mut chain: Option<TokenStream> = None;
        for arm in arms.into_iter().rev() {
            let Arm {
                span, test, body, ..
            } = arm;
            chain = Some(match (test, chain) {
                (None, _) => body,
                (Some(_), None) if !arm.guarded => body,
                (Some(test), rest) => {
                    let rest = rest
                        .unwrap_or_else(|| self.call("never", close, TokenStream::new(), close));
                    let arguments = quote_spanned!(span=> || #test, || #body, || #rest);
                    self.choice("if_else", span, arguments, arm.close, ended)
                }
            });
        }
        let chain = chain.unwrap_or_else(|| self.call("never", close, TokenStream::new(), close));
        quote!(#first #chain)
    }

    /// Has all arms compared with the first one, so that rustc reports those of another type, and each once.
    fn of_one_type(&self, arms: &mut [Arm], close: Span) -> TokenStream {
        let name = temporary("arms", close);
        for (number, arm) in arms.iter_mut().enumerate() {
            let function = match number {
                0 => "first_arm",
                _ => "Is::arm",
            };
            let body = &arm.body;
            arm.body = self.call(function, arm.start, quote!(#name, #body), arm.close);
        }
        let arms = self.call("arms", close, TokenStream::new(), close);
        quote_spanned!(close=> let #name = #arms;)
    }

    /// Evaluates what is matched: the statement, and the name of the value.
    fn scrutinee(&mut self, expr: &Expr) -> (TokenStream, Matched) {
        if diverge::expr(expr) {
            self.complain(messages::MATCH_NEVER.at(expr, &[]));
        }
        let matched = self.matched(expr);
        let (name, value) = (&matched.value, self.of_referred(expr));
        (
            quote_spanned!(spans::first(expr)=> let #name = #value;),
            matched,
        )
    }

    /// The value of the host's type that stands for a staged one.
    fn host(&self, value: &TokenStream, expr: &Expr) -> TokenStream {
        let span = spans::first(expr);
        self.call(
            "host",
            span,
            quote_spanned!(span=> &#value),
            spans::last(expr),
        )
    }

    /// Code for rustc to check, not to run.
    fn shadow(&self, code: TokenStream, span: Span, close: Span) -> TokenStream {
        let check = self.call("shadow", span, quote_spanned!(span=> || #code), close);
        let allow = Span::mixed_site().located_at(span);
        quote_spanned!(allow=> #[allow(unused_variables, unused_mut, unused_assignments)] #check;)
    }

    /// `if` with `let` in its condition.
    pub(super) fn if_let(&mut self, conditional: &ExprIf) -> TokenStream {
        let clauses = clauses(&conditional.cond);
        if let Some(error) = self.wrong_clause(&clauses) {
            return self.complain(error);
        }
        let then = &conditional.then_branch;
        let close = spans::last(conditional);
        let span = conditional.if_token.span;
        let Some((_, otherwise)) = &conditional.else_branch else {
            return self.nested(&clauses, &mut |this| this.statements(then));
        };
        let ended = diverge::conditional(conditional);
        if let [Clause::Let(condition)] = clauses.as_slice() {
            let (evaluated, matched) = self.scrutinee(&condition.expr);
            let shadow = self.shadow_if(condition, &matched.value, span);
            let test = self.pattern_test(&condition.pat, &matched.value);
            let mark = self.scope.enter();
            let names = self.names_for(&condition.pat, &matched);
            let body = self.statements(then);
            self.scope.leave(mark);
            let otherwise = self.expr(otherwise);
            let body = spans::braces(quote!(#names #body), then.brace_token.span.join());
            let chosen = match test {
                None => body,
                Some(test) => {
                    let arguments = quote_spanned!(span=> || #test, || #body, || #otherwise);
                    self.choice("if_else", span, arguments, close, ended)
                }
            };
            return spans::braces(quote!(#evaluated #shadow #chosen), close);
        }
        // The arm in front leaves the whole; what follows it is the `else`.
        let label = self.label();
        let leave = label.clone();
        let tests = self.nested(&clauses, &mut |this| {
            let body = this.block(then);
            let end = then.brace_token.span.close();
            this.call(
                "break_with",
                span,
                quote_spanned!(span=> #leave, || #body),
                end,
            )
        });
        let otherwise = match &**otherwise {
            // Not in braces of its own, which rustc would tell the user to remove.
            Expr::Block(inner) if inner.label.is_none() => self.statements(&inner.block),
            other => self.expr(other),
        };
        let body = spans::braces(quote!(#tests; #otherwise), close);
        self.choice(
            "scope",
            span,
            quote_spanned!(span=> |#label| #body),
            close,
            ended,
        )
    }

    /// `if let v = x.get(i)`, which asks nothing, and `if let Some(v) = &mut o`.
    fn wrong_clause(&self, clauses: &[Clause<'_>]) -> Option<syn::Error> {
        clauses.iter().find_map(|clause| match clause {
            Clause::Let(condition) => match &*condition.pat {
                Pat::Ident(pat)
                    if valid::is_plain_name(pat) && self.is_optional(&condition.expr) =>
                {
                    Some(messages::OPTION_UNASKED.at(pat, &[&pat.ident]))
                }
                pat => self.places_inside([pat], &condition.expr),
            },
            Clause::Test(_) => None,
        })
    }

    /// `while` with `let` in its condition.
    pub(super) fn while_let(&mut self, inner: &ExprWhile) -> TokenStream {
        let span = inner.while_token.span;
        let close = inner.body.brace_token.span.close();
        let label = self.label();
        let clauses = clauses(&inner.cond);
        if let Some(error) = self.wrong_clause(&clauses) {
            return self.complain(error);
        }
        let leave = self.call("break_", span, label.to_token_stream(), span);
        let iteration = if let [Clause::Let(condition)] = clauses.as_slice() {
            let (evaluated, matched) = self.in_condition(|this| this.scrutinee(&condition.expr));
            let shadow = self.shadow_if(condition, &matched.value, span);
            let test = self.pattern_test(&condition.pat, &matched.value);
            let mark = self.scope.enter();
            let names = self.names_for(&condition.pat, &matched);
            let target = self.loop_target(&label, inner.label.as_ref());
            let body = self.loop_body(&inner.body, target, names);
            self.scope.leave(mark);
            let iteration = match test {
                None => body,
                Some(test) => self.call(
                    "if_else",
                    span,
                    quote_spanned!(span=> || #test, || #body, || #leave),
                    close,
                ),
            };
            quote!(#evaluated #shadow #iteration)
        } else {
            let go_on = self.call("continue_", span, label.to_token_stream(), span);
            let tests = self.nested(&clauses, &mut |this| {
                let target = this.loop_target(&label, inner.label.as_ref());
                let body = this.loop_body(&inner.body, target, TokenStream::new());
                this.then(&body, &go_on, span)
            });
            self.then(&tests, &leave, span)
        };
        let iteration = spans::braces(iteration, close);
        self.call(
            "endless_loop",
            span,
            quote_spanned!(span=> |#label| #iteration),
            close,
        )
    }

    /// What follows a body that the user has written; where that ends in a jump, it is never reached.
    fn then(&self, body: &TokenStream, next: &TokenStream, span: Span) -> TokenStream {
        let allow = Span::mixed_site().located_at(span);
        let allow = quote_spanned!(allow=> #[allow(unreachable_code)]);
        quote_spanned!(span=> #body; #allow #next;)
    }

    fn in_condition<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.surroundings.push(Surrounding::Condition);
        let result = f(self);
        self.surroundings.pop();
        result
    }

    /// `if a { if let p = b { .. inner } }` for the clauses of a condition.
    fn nested(
        &mut self,
        clauses: &[Clause<'_>],
        inner: &mut dyn FnMut(&mut Self) -> TokenStream,
    ) -> TokenStream {
        let Some((clause, rest)) = clauses.split_first() else {
            return inner(self);
        };
        match clause {
            Clause::Test(test) => {
                let (span, close) = (spans::first(test), spans::last(test));
                let condition = self.in_condition(|this| this.argument(test));
                let body = self.nested(rest, inner);
                let body = spans::braces(body, close);
                let arguments = quote_spanned!(span=> || #condition, || #body);
                self.call("when", span, arguments, close)
            }
            Clause::Let(condition) => {
                let (span, close) = (condition.let_token.span, spans::last(condition));
                let (evaluated, matched) =
                    self.in_condition(|this| this.scrutinee(&condition.expr));
                let shadow = self.shadow_if(condition, &matched.value, span);
                let test = self.pattern_test(&condition.pat, &matched.value);
                let mark = self.scope.enter();
                let names = self.names_for(&condition.pat, &matched);
                let body = self.nested(rest, inner);
                self.scope.leave(mark);
                let body = spans::braces(quote!(#names #body), close);
                let chosen = match test {
                    None => body,
                    Some(test) => {
                        let arguments = quote_spanned!(span=> || #test, || #body);
                        self.call("when", span, arguments, close)
                    }
                };
                spans::braces(quote!(#evaluated #shadow #chosen), close)
            }
        }
    }

    fn shadow_if(&self, condition: &ExprLet, value: &TokenStream, span: Span) -> TokenStream {
        let host = self.host(value, &condition.expr);
        let (let_token, eq) = (condition.let_token, condition.eq_token);
        let pat = without_references(&condition.pat);
        let close = spans::last(condition);
        let nothing = spans::braces(TokenStream::new(), close);
        let code = quote_spanned!(span=> if #let_token #pat #eq #host #nothing);
        self.shadow(code, span, close)
    }

    fn names_for(&mut self, pat: &Pat, matched: &Matched) -> TokenStream {
        let names = self.bound_by(pat, matched);
        self.declare_names(names)
    }

    /// `let pat: ty = value else { .. };`.
    pub(super) fn let_else(
        &mut self,
        local: &Local,
        pat: &Pat,
        ty: Option<&Type>,
        value: &Expr,
        else_token: Token![else],
        otherwise: &Expr,
    ) -> TokenStream {
        let span = else_token.span;
        let close = spans::last(otherwise);
        if !diverge::expr(otherwise) {
            self.complain(messages::LET_ELSE_GOES_ON.at(else_token, &[]));
        }
        if let Some(error) = self.places_inside([pat], value) {
            self.declare_unsound(pat, Declared::Local);
            return self.complain(error);
        }
        let (evaluated, matched) = self.typed_scrutinee(ty, value);
        let host = self.host(&matched.value, value);
        let let_token = local.let_token;
        let never = quote_spanned!(span=> { return });
        let host_pat = without_references(pat);
        let code = spans::braces(
            quote_spanned!(span=> #let_token #host_pat = #host else #never;),
            close,
        );
        let shadow = self.shadow(code, span, close);
        let test = self.pattern_test(pat, &matched.value);
        let leave = test.map(|test| {
            let body = self.expr(otherwise);
            let condition = spans::parens(test, close);
            let arguments = quote_spanned!(span=> || !#condition, || #body);
            let leave = self.call("when", span, arguments, close);
            quote!(#leave;)
        });
        let names = self.names_for(pat, &matched);
        quote!(#evaluated #shadow #leave #names)
    }

    /// `let pat: ty = value;` with a pattern that rustc cannot match a staged value with.
    pub(super) fn let_pattern(
        &mut self,
        let_token: Token![let],
        pat: &Pat,
        ty: Option<&Type>,
        value: &Expr,
        of_reference: bool,
    ) -> TokenStream {
        if let Some(error) = self.places_inside([pat], value) {
            self.declare_unsound(pat, Declared::Local);
            return self.complain(error);
        }
        let span = let_token.span;
        let (evaluated, mut matched) = self.typed_scrutinee(ty, value);
        matched.refers |= of_reference;
        let host = self.host(&matched.value, value);
        let host_pat = without_references(pat);
        let code = spans::braces(
            quote_spanned!(spans::last(value)=> #let_token #host_pat = #host;),
            spans::last(value),
        );
        let shadow = self.shadow(code, span, spans::last(value));
        self.pattern_test(pat, &matched.value);
        let names = self.names_for(pat, &matched);
        quote!(#evaluated #shadow #names)
    }

    fn typed_scrutinee(&mut self, ty: Option<&Type>, value: &Expr) -> (TokenStream, Matched) {
        let span = spans::first(value);
        let matched = self.matched(value);
        let ty = ty.map(|ty| {
            let staged = staged::of_local(ty, self.v, self.complaints);
            quote_spanned!(span=> : #staged)
        });
        if diverge::expr(value) && ty.is_none() {
            self.complain(messages::MATCH_NEVER.at(value, &[]));
        }
        let (name, value) = (&matched.value, self.of_referred(value));
        (quote_spanned!(span=> let #name #ty = #value;), matched)
    }
}

/// Whether a condition contains `let`.
pub(super) fn has_let(condition: &Expr) -> bool {
    let of = clauses(condition);
    of.iter().any(|clause| matches!(clause, Clause::Let(_)))
}

/// The parts of a condition between `&&`s; one part if none of them is a `let`.
fn clauses(condition: &Expr) -> Vec<Clause<'_>> {
    fn split<'e>(expr: &'e Expr, found: &mut Vec<Clause<'e>>) {
        match expr {
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                split(&binary.left, found);
                split(&binary.right, found);
            }
            Expr::Let(condition) => found.push(Clause::Let(condition)),
            test => found.push(Clause::Test(test)),
        }
    }

    let mut found = Vec::new();
    split(condition, &mut found);
    if found.iter().all(|clause| matches!(clause, Clause::Test(_))) {
        return vec![Clause::Test(condition)];
    }
    found
}

/// A pattern for rustc to check against a value: what the user has as a reference is a value in kernels.
fn without_references(pat: &Pat) -> Pat {
    struct Strip;

    impl VisitMut for Strip {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            while let Pat::Reference(reference) = pat {
                *pat = (*reference.pat).clone();
            }
            visit_mut::visit_pat_mut(self, pat);
        }
    }

    let mut pat = pat.clone();
    Strip.visit_pat_mut(&mut pat);
    pat
}

/// Whether an expression mentions a name of a pattern.
fn mentions(expr: &Expr, bound: &Bound) -> bool {
    struct Finder<'b>(&'b Bound, bool);

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.1 |= path.is_ident(&self.0.name);
            visit::visit_path(self, path);
        }
    }

    let mut finder = Finder(bound, false);
    finder.visit_expr(expr);
    finder.1
}
