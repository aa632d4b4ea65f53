//! Closures that change more than what is theirs: what skips items by not beginning with the first must not skip these.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprMethodCall, PatIdent, parse_quote_spanned};

use super::expr::operator_of_assignment;
use super::method::root;
use super::scope::{Declared, Scope};
use super::unparenthesized;
use crate::{spans, valid};

/// The `map` of a chain of methods that calls such a closure.
pub(super) fn map_with_effects<'e>(
    iterated: &'e Expr,
    scope: &Scope,
) -> Option<&'e ExprMethodCall> {
    let Expr::MethodCall(call) = unparenthesized(iterated) else {
        return None;
    };
    match call.args.first() {
        Some(Expr::Closure(closure)) if call.method == "map" && has_effects(closure, scope) => {
            Some(call)
        }
        _ => map_with_effects(&call.receiver, scope),
    }
}

/// The same items with `filter_map` for that `map`, as which no item is left out before its closure is called.
pub(super) fn without_skipping(iterated: &Expr, scope: &Scope) -> Option<Expr> {
    let Expr::MethodCall(call) = unparenthesized(iterated) else {
        return None;
    };
    let mut call = call.clone();
    match call.args.first_mut() {
        Some(Expr::Closure(closure)) if call.method == "map" && has_effects(closure, scope) => {
            let (body, span) = (&closure.body, spans::first(&closure.body));
            *closure.body = parse_quote_spanned!(span=> Some(#body));
            closure.output = syn::ReturnType::Default;
            call.method = Ident::new("filter_map", call.method.span());
        }
        _ => *call.receiver = without_skipping(&call.receiver, scope)?,
    }
    Some(Expr::MethodCall(call))
}

/// Whether a closure assigns to what it captures, prints, or works atomically.
fn has_effects(closure: &ExprClosure, scope: &Scope) -> bool {
    let mut own = Own::default();
    own.visit_expr_closure(closure);
    let mut effects = Effects {
        own: own.0,
        scope,
        found: false,
    };
    effects.visit_expr(&closure.body);
    effects.found
}

/// The names that are declared in a closure.
#[derive(Default)]
struct Own(HashSet<String>);

impl<'ast> Visit<'ast> for Own {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }
}

struct Effects<'s> {
    own: HashSet<String>,
    scope: &'s Scope,
    found: bool,
}

impl Effects<'_> {
    /// A place that is changed.
    fn changes(&mut self, place: &Expr) {
        let is_own = name_of(place).is_some_and(|name| self.own.contains(&name.to_string()));
        self.found |= !is_own;
    }

    /// What a method of the user's is called on, which can change it if it is a place.
    fn may_change(&mut self, receiver: &Expr) {
        let name = name_of(receiver).filter(|name| !self.own.contains(&name.to_string()));
        let captured = name.and_then(|name| self.scope.find(name));
        self.found |=
            captured.is_some_and(|local| local.may_change || local.declared == Declared::Exclusive);
    }
}

/// The name of what a place is a part of.
fn name_of(place: &Expr) -> Option<&Ident> {
    match root(place) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The place that an expression itself assigns to, or lends as `&mut`.
pub(super) fn changed(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Assign(assign) => Some(&assign.left),
        Expr::Binary(binary) => operator_of_assignment(&binary.op).map(|_| &*binary.left),
        Expr::Reference(reference) => reference.mutability.map(|_| &*reference.expr),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Effects<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if let Some(place) = changed(expr) {
            self.changes(place);
        }
        match expr {
            Expr::MethodCall(call) if !valid::is_of_the_language(&call.method) => {
                self.may_change(&call.receiver);
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                self.found |= name == "atomic" || valid::orderings(&name) > 0;
            }
            Expr::Macro(_) => self.found = true,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}
