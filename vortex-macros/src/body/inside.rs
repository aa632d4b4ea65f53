//! Patterns that would give names to places inside of a value, `Some(v)` of `&mut o`: kernels have no such places.

use syn::visit::{self, Visit};
use syn::{Expr, Pat, PatIdent};

use super::scope::Declared;
use super::{Rewriter, unparenthesized};
use crate::{messages, valid};

impl Rewriter<'_> {
    /// What is said of a pattern for a `&mut`, for `o.as_mut()`, or with a `ref mut` in it.
    pub(super) fn places_inside<'p>(
        &self,
        patterns: impl IntoIterator<Item = &'p Pat>,
        value: &Expr,
    ) -> Option<syn::Error> {
        let value = unparenthesized(value);
        let whole = match value {
            Expr::Reference(reference) if reference.mutability.is_some() => &reference.expr,
            Expr::MethodCall(call) if call.method == "as_mut" && call.args.is_empty() => {
                &call.receiver
            }
            _ => {
                let by_reference = patterns.into_iter().find_map(by_mutable_reference)?;
                let whole = valid::source(value);
                return Some(messages::PLACES_INSIDE.at(by_reference.by_ref, &[&whole]));
            }
        };
        Some(messages::PLACES_INSIDE.at(value, &[&valid::source(whole)]))
    }

    /// Declares the names of a pattern that was complained of, so that no use of them is.
    pub(super) fn declare_unsound(&mut self, pat: &Pat, declared: Declared) {
        let first = self.scope.next_id();
        self.declare_anyway(pat, declared);
        self.facts.unsound.extend(first..self.scope.next_id());
    }

    /// Whether an expression names a local whose value is in error: of it nothing more is said.
    pub(super) fn is_in_error(&self, name: &Expr) -> bool {
        (self.local(name)).is_some_and(|local| self.facts.unsound.contains(&local.id))
    }
}

/// The first `ref mut v` in a pattern.
fn by_mutable_reference(pat: &Pat) -> Option<&PatIdent> {
    struct Finder<'ast>(Option<&'ast PatIdent>);

    impl<'ast> Visit<'ast> for Finder<'ast> {
        fn visit_pat_ident(&mut self, ident: &'ast PatIdent) {
            if ident.by_ref.is_some() && ident.mutability.is_some() {
                self.0 = self.0.or(Some(ident));
            }
            visit::visit_pat_ident(self, ident);
        }
    }

    let mut finder = Finder(None);
    finder.visit_pat(pat);
    finder.0
}
