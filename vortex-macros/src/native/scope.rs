//! The locals of a kernel's body, as far as it matters which of them are lent to a work item for its turn.

use proc_macro2::{Ident, Span};
use syn::visit::{self, Visit};
use syn::{Pat, PatIdent};

/// Names that have been declared, the nearest last.
#[derive(Default)]
pub(super) struct Scope(Vec<Name>);

enum Name {
    Lent(Lent),
    /// What `barrier::arrive()` gave.
    Arrival(Ident),
    Other(Ident),
}

/// Memory that others change when it is their turn.
#[derive(Clone)]
pub(super) struct Lent {
    pub(super) name: Ident,
    /// What it is lent by.
    pub(super) handle: Ident,
    pub(super) method: Ident,
}

impl Name {
    const fn ident(&self) -> &Ident {
        match self {
            Self::Lent(lent) => &lent.name,
            Self::Arrival(name) | Self::Other(name) => name,
        }
    }
}

impl Scope {
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Forgets what has been declared since.
    pub(super) fn leave(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    /// Declares the names of a pattern.
    pub(super) fn bind(&mut self, pat: &Pat) {
        struct Names<'a>(&'a mut Vec<Name>);

        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
                self.0.push(Name::Other(pat.ident.clone()));
                visit::visit_pat_ident(self, pat);
            }
        }

        Names(&mut self.0).visit_pat(pat);
    }

    /// Declares what is lent.
    pub(super) fn lend(&mut self, name: Ident, handle: Ident, method: &str) {
        let method = Ident::new(method, Span::mixed_site());
        self.0.push(Name::Lent(Lent {
            name,
            handle,
            method,
        }));
    }

    /// What is lent and can be named.
    pub(super) fn lent(&self) -> impl Iterator<Item = &Lent> {
        let names = self.0.iter().enumerate();
        names.filter_map(|(index, name)| match name {
            Name::Lent(lent) => {
                let is_hidden = self.0[index + 1..]
                    .iter()
                    .any(|other| *other.ident() == lent.name);
                (!is_hidden).then_some(lent)
            }
            Name::Arrival(_) | Name::Other(_) => None,
        })
    }

    /// Declares what `barrier::arrive()` gives.
    pub(super) fn arrive(&mut self, name: Ident) {
        self.0.push(Name::Arrival(name));
    }

    fn nearest(&self, name: &Ident) -> Option<&Name> {
        self.0.iter().rev().find(|known| known.ident() == name)
    }

    /// Whether a name is that of a local.
    pub(super) fn is_declared(&self, name: &Ident) -> bool {
        self.nearest(name).is_some()
    }

    /// Whether a name stands for what is lent.
    pub(super) fn is_lent(&self, name: &Ident) -> bool {
        matches!(self.nearest(name), Some(Name::Lent(_)))
    }

    /// Whether a name stands for what `barrier::arrive()` gave.
    pub(super) fn is_arrival(&self, name: &Ident) -> bool {
        matches!(self.nearest(name), Some(Name::Arrival(_)))
    }
}
