//! Labels, and the jumps to them: `break`, `continue`, blocks with names.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Block, Expr, ExprBreak, ExprContinue, ExprLoop, Label, Lifetime,
    visit::{self, Visit},
};

use super::{Rewriter, Surrounding, Target, TargetKind, diverge};
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    pub(super) fn loop_target(&self, label: &Ident, name: Option<&Label>) -> Target {
        Target {
            label: label.clone(),
            name: name.map(|label| label.name.clone()),
            kind: TargetKind::Loop,
        }
    }

    /// `'label: { .. }`.
    pub(super) fn labelled_block(&mut self, inner: &Block, name: &Label) -> TokenStream {
        let label = self.label();
        let mut target = self.loop_target(&label, Some(name));
        target.kind = TargetKind::Block;
        self.surroundings.push(Surrounding::Labelled(target));
        let body = self.block(inner);
        self.surroundings.pop();
        let (span, close) = (spans::first(name), inner.brace_token.span.close());
        let arguments = quote_spanned!(span=> |#label| #body);
        self.choice(
            "scope",
            span,
            arguments,
            close,
            diverge::labelled(inner, &name.name),
        )
    }

    pub(super) fn loop_body(
        &mut self,
        body: &Block,
        target: Target,
        first: TokenStream,
    ) -> TokenStream {
        if (body.stmts.last()).is_some_and(|last| self.refuses_lost_variant(last)) {
            return TokenStream::new();
        }
        self.surroundings.push(Surrounding::Labelled(target));
        let inner = self.statements(body);
        self.surroundings.pop();
        spans::braces(quote!(#first #inner), body.brace_token.span.join())
    }

    pub(super) fn break_(&mut self, jump: &ExprBreak) -> TokenStream {
        let keyword = jump.break_token;
        let Some(target) = self.target(keyword, jump.label.as_ref()) else {
            return TokenStream::new();
        };
        let (span, label) = (keyword.span, target.label);
        if target.kind == TargetKind::Loop {
            if let Some(value) = &jump.expr {
                let error = match value.as_ref() {
                    Expr::Path(path)
                        if let Some(name) = path.path.get_ident()
                            && self.labels_around().any(|label| label.ident == *name) =>
                    {
                        messages::BREAK_NAME.at(value, &[name])
                    }
                    value => messages::BREAK_VALUE.at(value, &[]),
                };
                return self.complain(error);
            }
            let close = spans::last(jump);
            let leave = self.call("break_", span, label.into_token_stream(), close);
            return self.ended(leave, span, close);
        }
        let (value, close) = match &jump.expr {
            Some(value) => {
                // A shared reference is a value, as the `let` has it that this goes to.
                let value = match value.as_ref() {
                    Expr::Reference(reference) if reference.mutability.is_none() => {
                        &*reference.expr
                    }
                    value => value,
                };
                let tokens = self.argument(value);
                // What the first gives the others do, too.
                let tokens = match self.broken.insert(label.to_string()) {
                    true => tokens,
                    false => self.wanted_value(value, tokens),
                };
                (tokens, spans::last(value))
            }
            None => (spans::parens(TokenStream::new(), span), span),
        };
        let arguments = quote_spanned!(span=> #label, || #value);
        let leave = self.call("break_with", span, arguments, close);
        self.ended(leave, span, close)
    }

    pub(super) fn continue_(&mut self, jump: &ExprContinue) -> TokenStream {
        let keyword = jump.continue_token;
        let Some(target) = self.target(keyword, jump.label.as_ref()) else {
            return TokenStream::new();
        };
        let (span, label) = (keyword.span, target.label);
        let label = match target.kind {
            TargetKind::Block => {
                return self.complain(messages::CONTINUE_BLOCK.at(&jump.label, &[]));
            }
            TargetKind::Loop => label.into_token_stream(),
            TargetKind::ValueLoop => quote_spanned!(span=> #label.label()),
        };
        let close = spans::last(jump);
        let jump = self.call("continue_", span, label, close);
        self.ended(jump, span, close)
    }

    /// The labels around this, the innermost first.
    fn labels_around(&self) -> impl Iterator<Item = &Lifetime> {
        let inside = (self.surroundings.iter().rev())
            .take_while(|surrounding| !matches!(surrounding, Surrounding::Function));
        inside.filter_map(|surrounding| match surrounding {
            Surrounding::Labelled(target) => target.name.as_ref(),
            _ => None,
        })
    }

    /// The label around this that one may have been meant to be.
    fn nearest_label(&self, name: &Lifetime) -> Option<String> {
        let names: Vec<_> = (self.labels_around())
            .map(|label| label.ident.to_string())
            .collect();
        let meant = valid::nearest(&name.ident.to_string(), names.iter().map(String::as_str))?;
        Some(format!("'{meant}"))
    }

    /// Where a jump goes: to its label, or to the innermost loop.
    fn target(&mut self, keyword: impl ToTokens, name: Option<&Lifetime>) -> Option<Target> {
        let mut in_condition = false;
        let mut in_closure = false;
        for surrounding in self.surroundings.iter().rev() {
            match surrounding {
                Surrounding::Function => break,
                Surrounding::Closure => in_closure = true,
                Surrounding::Condition => in_condition = true,
                Surrounding::Labelled(target) => {
                    let is_meant = match name {
                        Some(name) => target.name.as_ref() == Some(name),
                        None => target.kind != TargetKind::Block,
                    };
                    // A condition belongs to the loop, and only what is around that can be left from there.
                    if is_meant && (name.is_some() || !in_condition) {
                        return Some(target.clone());
                    }
                    if is_meant {
                        break;
                    }
                }
            }
        }
        let error = match name {
            Some(name) => match self.nearest_label(name) {
                Some(meant) => messages::MISSPELT_LABEL.at(name, &[name, &meant]),
                None => messages::UNKNOWN_LABEL.at(name, &[name]),
            },
            None if in_closure => messages::JUMP_IN_CLOSURE.at(&keyword, &[&quote!(#keyword)]),
            None => valid::jump(keyword, in_condition),
        };
        self.complain(error);
        None
    }
}

/// Whether some `break` gives this `loop` a value.
pub(super) fn gives_value(inner: &ExprLoop) -> bool {
    has_break_with(inner, |_| true)
}

/// Whether that is a reference.
pub(super) fn gives_reference(inner: &ExprLoop) -> bool {
    has_break_with(inner, |value| matches!(value, Expr::Reference(_)))
}

/// Whether some `break` gives this `loop` such a value.
fn has_break_with(inner: &ExprLoop, is_one: fn(&Expr) -> bool) -> bool {
    struct Finder<'l> {
        name: Option<&'l Lifetime>,
        is_one: fn(&Expr) -> bool,
        depth: usize,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Break(jump) => {
                    let leaves = match &jump.label {
                        Some(label) => self.name == Some(label),
                        None => self.depth == 0,
                    };
                    let value = jump.expr.as_deref();
                    self.found |= leaves && value.is_some_and(self.is_one);
                }
                Expr::Closure(_) => return,
                _ => {}
            }
            let is_loop = matches!(expr, Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_));
            self.depth += usize::from(is_loop);
            visit::visit_expr(self, expr);
            self.depth -= usize::from(is_loop);
        }
    }

    let mut finder = Finder {
        name: inner.label.as_ref().map(|label| &label.name),
        is_one,
        depth: 0,
        found: false,
    };
    finder.visit_block(&inner.body);
    finder.found
}
