//! What is known when the kernel is compiled: `#[comptime]` parameters, `comptime!`, and the `if`, `match` and `for`
//! over them, which the host runs while it records the body.

use std::collections::HashSet;

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser as _;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprIf, ExprMatch, ExprPath, Ident, Macro, Pat, PatIdent};

use super::scope::Declared;
use super::{Rewriter, unparenthesized};
use crate::{messages, spans, valid};

/// Whether this is `comptime!`.
pub(super) fn is_comptime_macro(mac: &Macro) -> bool {
    let last = mac.path.segments.last();
    last.is_some_and(|segment| segment.ident == "comptime")
}

/// The `comptime!(..)` that an expression is.
fn comptime_macro(expr: &Expr) -> Option<&Macro> {
    match unparenthesized(expr) {
        Expr::Macro(inner) if is_comptime_macro(&inner.mac) => Some(&inner.mac),
        _ => None,
    }
}

impl Rewriter<'_> {
    /// Whether the host can compute an expression while it records the body: it is a `comptime!`, or made of names
    /// that are known then, of which there is at least one, and of literals and constants.
    pub(super) fn is_comptime(&self, expr: &Expr) -> bool {
        comptime_macro(expr).is_some() || self.known_names(expr).is_some_and(|names| names > 0)
    }

    /// How many names of an expression are known when the kernel is compiled; `None` if there is anything else.
    fn known_names(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Lit(_) => Some(0),
            Expr::Path(path) => match self.local(expr).map(|local| local.declared) {
                Some(Declared::Comptime) => Some(1),
                Some(_) => None,
                None => path.qself.is_none().then_some(0),
            },
            Expr::Paren(inner) => self.known_names(&inner.expr),
            Expr::Group(inner) => self.known_names(&inner.expr),
            Expr::Unary(unary) => self.known_names(&unary.expr),
            Expr::Cast(cast) => self.known_names(&cast.expr),
            Expr::Binary(binary) => {
                let (left, right) = (
                    self.known_names(&binary.left),
                    self.known_names(&binary.right),
                );
                Some(left? + right?)
            }
            Expr::MethodCall(call) => {
                let receiver = self.known_names(&call.receiver)?;
                call.args
                    .iter()
                    .try_fold(receiver, |sum, arg| Some(sum + self.known_names(arg)?))
            }
            _ => None,
        }
    }

    /// An expression for which [`Self::is_comptime`] holds, as the host's.
    fn of_host(&mut self, expr: &Expr) -> TokenStream {
        match comptime_macro(expr) {
            Some(mac) => self.block_of_host(mac),
            None => unparenthesized(expr).to_token_stream(),
        }
    }

    /// `#[comptime] name: ty`.
    pub(super) fn comptime_param(&mut self, index: usize) -> TokenStream {
        let params = &self.kernel.params;
        let (param, before) = (&params[index], params[..index].iter());
        let number = before.filter(|param| param.is_comptime()).count();
        let number = Literal::usize_unsuffixed(number);
        let (name, ty) = (&param.name, param.scalar(self.v));
        self.scope.declare(name, Declared::Comptime, false);
        let (span, at) = (name.span(), spans::first(&ty));
        let function = self.v.item("param_comptime", at);
        let arguments = spans::parens(quote!(#number), at);
        quote_spanned!(span=> let #name = #function::<#ty> #arguments;)
    }

    /// What is in a `comptime!`.
    fn block_of_host(&mut self, mac: &Macro) -> TokenStream {
        let tokens = &mac.tokens;
        let end = mac.delimiter.span().close();
        // Not the user's braces: rustc would say that they are not needed.
        let whole = spans::braces(tokens.clone(), Span::mixed_site().located_at(end));
        match syn::parse2::<Block>(whole.clone()) {
            Ok(block) => {
                let mut names = Names::default();
                names.visit_block(&block);
                let runtime = names.used.iter().filter(|name| {
                    let local = self.scope.find(name);
                    let outer = local.is_some_and(|local| local.declared != Declared::Comptime);
                    outer && !names.declared.contains(&name.to_string())
                });
                let errors: Vec<_> = runtime
                    .map(|name| messages::COMPTIME_RUNTIME.at(name, &[name]))
                    .collect();
                let wrong = !errors.is_empty();
                errors
                    .into_iter()
                    .for_each(|error| drop(self.complain(error)));
                match wrong {
                    true => TokenStream::new(),
                    false => whole,
                }
            }
            Err(error) => self.complain(error),
        }
    }

    /// `comptime!(..)` where a value of the kernel is needed.
    pub(super) fn comptime_value(&mut self, mac: &Macro) -> TokenStream {
        let value = self.block_of_host(mac);
        self.lift_all(&value)
    }

    /// `comptime! { .. }` as a statement.
    pub(super) fn comptime_statement(&mut self, mac: &Macro) -> TokenStream {
        self.block_of_host(mac)
    }

    /// `let name = comptime!(..);`: a name that the host knows.
    pub(super) fn comptime_let(&mut self, local: &syn::Local) -> Option<TokenStream> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let mac = comptime_macro(&init.expr)?;
        let pat = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let Pat::Ident(PatIdent {
            by_ref: None,
            mutability: None,
            subpat: None,
            ident,
            ..
        }) = pat
        else {
            return None;
        };
        let value = self.block_of_host(mac);
        self.scope.declare(ident, Declared::Comptime, false);
        let (attributes, keyword, pat) = (&local.attrs, local.let_token, &local.pat);
        Some(quote!(#(#attributes)* #keyword #pat = #value;))
    }

    /// `if fast { .. } else { .. }`: only one of them is recorded.
    pub(super) fn comptime_if(&mut self, conditional: &ExprIf) -> TokenStream {
        let keyword = conditional.if_token;
        let condition = self.of_host(&conditional.cond);
        let then = &conditional.then_branch;
        let Some((else_token, otherwise)) = &conditional.else_branch else {
            let arm = self.block(then);
            return quote!(#keyword #condition #arm);
        };
        let then = self.block(then);
        let otherwise = match &**otherwise {
            Expr::Block(inner) => self.block(&inner.block),
            nested => {
                let end = spans::last(nested);
                spans::braces(self.expr(nested), end)
            }
        };
        quote!(#keyword #condition #then #else_token #otherwise)
    }

    /// `match mode { .. }`: only the arm that is taken is recorded.
    pub(super) fn comptime_match(&mut self, inner: &ExprMatch) -> TokenStream {
        let keyword = inner.match_token;
        let subject = self.of_host(&inner.expr);
        let mut arms = TokenStream::new();
        for arm in &inner.arms {
            valid::expression_attributes(&arm.attrs, self.complaints);
            let mark = self.scope.enter();
            let (pat, guard) = match &arm.pat {
                Pat::Guard(guard) => (&*guard.pat, Some((guard.if_token, &*guard.guard))),
                pat => (pat, None),
            };
            self.declare_comptime(pat);
            let guard = guard.map(|(if_token, guard)| {
                if !self.is_comptime(guard) && self.known_names(guard).is_none() {
                    return self.complain(messages::COMPTIME_GUARD.at(guard, &[]));
                }
                let guard = self.of_host(guard);
                quote!(#if_token #guard)
            });
            let body = self.expr(&arm.body);
            self.scope.leave(mark);
            let (arrow, end) = (arm.fat_arrow_token, spans::last(&arm.body));
            let body = spans::braces(body, end);
            arms.extend(quote_spanned!(end=> #pat #guard #arrow #body,));
        }
        let arms = spans::braces(arms, inner.brace_token.span.join());
        quote!(#keyword #subject #arms)
    }

    /// What a `for` over a `comptime!(..)` goes over, if it is one.
    pub(super) fn comptime_items(&mut self, iterated: &Expr) -> Option<TokenStream> {
        comptime_macro(iterated).map(|mac| self.block_of_host(mac))
    }

    /// Declares the names of a pattern that the host matches.
    pub(super) fn declare_comptime(&mut self, pat: &Pat) {
        let mut names = Names::default();
        names.visit_pat(pat);
        for name in names.bound {
            if !valid::is_constant_name(&name.to_string()) {
                self.scope.declare(&name, Declared::Comptime, false);
            }
        }
    }
}

/// The names that code of the host uses and declares.
#[derive(Default)]
struct Names {
    used: Vec<Ident>,
    bound: Vec<Ident>,
    declared: HashSet<String>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some(name) = path.path.get_ident() {
            self.used.push(name.clone());
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.declared.insert(pat.ident.to_string());
        self.bound.push(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }

    // Such as `assert!(n > 0)`, whose arguments are expressions.
    fn visit_macro(&mut self, mac: &'ast Macro) {
        let arguments = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        if let Ok(arguments) = arguments.parse2(mac.tokens.clone()) {
            for argument in arguments {
                let mut inner = Self::default();
                inner.visit_expr(&argument);
                self.used.extend(inner.used);
                self.declared.extend(inner.declared);
            }
        }
    }
}
