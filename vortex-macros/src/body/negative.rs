//! Loops over negative numbers, of which an index is made as if they were none: `for d in -1..=1 { x[i + d]; }`.

use std::fmt::Display;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprForLoop, ExprIndex, Lit, Pat, PatIdent, UnOp};

use super::typed::calculates;
use super::{Rewriter, refers_to, unparenthesized};
use crate::{messages, valid};

impl Rewriter<'_> {
    /// What is wrong with an index of a slice in such a loop.
    pub(super) fn negative_in_index(&self, inner: &ExprForLoop) -> Option<syn::Error> {
        let (Pat::Ident(name), Expr::Range(range)) = (&*inner.pat, unparenthesized(&inner.expr))
        else {
            return None;
        };
        let Expr::Unary(start) = unparenthesized(range.start.as_deref()?) else {
            return None;
        };
        if !matches!(start.op, UnOp::Neg(_)) {
            return None;
        }
        let mut uses = Uses {
            name: &name.ident,
            is_slice: &|base| self.is_slice(base),
            found: None,
            is_declared_again: false,
        };
        uses.visit_block(&inner.body);
        let element = uses.found.filter(|_| !uses.is_declared_again)?;
        // Of two literals it is the type that is wanted.
        let are_open = is_open(&start.expr) && range.end.as_deref().is_none_or(is_open);
        let offset = match are_open {
            true => name.ident.to_string(),
            false => format!("{} as isize", name.ident),
        };
        let index = match unparenthesized(&element.index) {
            Expr::Binary(sum) if refers_to(&sum.right, &name.ident) => {
                let (left, op) = (valid::as_receiver(&sum.left), valid::source(&sum.op));
                format!("{left} as isize {op} {offset}")
            }
            Expr::Binary(sum) if refers_to(&sum.left, &name.ident) => {
                let (op, right) = (valid::source(&sum.op), valid::as_receiver(&sum.right));
                format!("{offset} {op} {right} as isize")
            }
            _ => format!("i as isize + {offset}"),
        };
        let words: [&dyn Display; 3] = [&name.ident, &valid::source(&element.expr), &index];
        Some(messages::NEGATIVE_IN_INDEX.at(&element.index, &words))
    }
}

/// The first index of a slice that is calculated with a name as it is.
struct Uses<'a> {
    name: &'a Ident,
    is_slice: &'a dyn Fn(&Expr) -> bool,
    found: Option<ExprIndex>,
    is_declared_again: bool,
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_index(&mut self, element: &'ast ExprIndex) {
        let is_it = (self.is_slice)(&element.expr) && is_made_of(&element.index, self.name);
        if is_it && self.found.is_none() {
            self.found = Some(element.clone());
        }
        visit::visit_expr_index(self, element);
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.is_declared_again |= pat.ident == *self.name;
        visit::visit_pat_ident(self, pat);
    }
}

/// Whether a sum or the like has the type of what a name stands for.
fn is_made_of(expr: &Expr, name: &Ident) -> bool {
    match unparenthesized(expr) {
        Expr::Binary(binary) if calculates(binary) => {
            let is_shift = matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_));
            is_made_of(&binary.left, name) || !is_shift && is_made_of(&binary.right, name)
        }
        expr => refers_to(expr, name),
    }
}

/// Whether this is an integer as it is written, of no type.
fn is_open(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Lit(lit) => matches!(&lit.lit, Lit::Int(number) if number.suffix().is_empty()),
        _ => false,
    }
}
