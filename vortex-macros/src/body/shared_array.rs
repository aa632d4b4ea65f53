//! An array in place of local memory, as of one who forgets CUDA's `__shared__`: each work item writes its own element,
//! and reads after the barrier what another one has written to an array of its own.

use std::collections::HashSet;
use std::fmt::Display;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprIndex, ExprPath, Macro, Pat, PatIdent, Stmt, Type};

use super::expr::operator_of_assignment;
use super::named::mentions;
use super::typed::type_of_literal;
use super::{Rewriter, refers_to, unparenthesized};
use crate::signature::ParamKind;
use crate::{messages, valid};

impl Rewriter<'_> {
    /// What is wrong with such an array of the kernel.
    pub(super) fn array_for_a_group(&self) -> Option<syn::Error> {
        let stmts = &self.kernel.body.stmts;
        let is_barrier =
            |stmt: &Stmt| matches!(stmt, Stmt::Expr(call, _) if is_call_of("barrier", call));
        let barrier = stmts.iter().position(is_barrier)?;
        if ["barrier", "local_id"]
            .iter()
            .any(|&name| self.items.contains(name))
        {
            return None;
        }
        let ids = stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Local(local) => match (&local.pat, &local.init) {
                (Pat::Ident(name), Some(init)) if is_call_of("local_id", &init.expr) => {
                    Some(name.ident.to_string())
                }
                _ => None,
            },
            _ => None,
        });
        let ids = Ids(ids.collect());
        stmts[..barrier]
            .iter()
            .enumerate()
            .find_map(|(declared, stmt)| {
                let array = Array::declared_by(stmt)?;
                let mut uses = Uses {
                    name: array.name,
                    ids: &ids,
                    is_behind: false,
                    written: None,
                    is_read: false,
                    is_used_otherwise: false,
                };
                for (index, stmt) in stmts.iter().enumerate().skip(declared + 1) {
                    uses.is_behind = index > barrier;
                    uses.visit_stmt(stmt);
                }
                let written = uses
                    .written
                    .filter(|_| uses.is_read && !uses.is_used_otherwise)?;
                let elem = array
                    .elem
                    .or_else(|| self.elements_of_slice_parameter(written));
                let elem = elem.unwrap_or_else(|| "T".to_owned());
                let words: [&dyn Display; 3] = [array.name, &elem, &array.len];
                Some(messages::ARRAY_FOR_A_GROUP.at(array.value, &words))
            })
    }

    /// What the elements of `x[i]` are, if `x` is a parameter.
    fn elements_of_slice_parameter(&self, value: &Expr) -> Option<String> {
        let Expr::Index(element) = unparenthesized(value) else {
            return None;
        };
        let is_it = |name: &Ident| refers_to(&element.expr, name);
        let param = self.kernel.params.iter().find(|param| is_it(&param.name))?;
        match &param.kind {
            ParamKind::Slice { elem, .. } => Some(valid::source(elem)),
            _ => None,
        }
    }
}

/// `let mut a = [0.0; 64];`.
struct Array<'s> {
    name: &'s Ident,
    value: &'s Expr,
    elem: Option<String>,
    len: String,
}

impl<'s> Array<'s> {
    fn declared_by(stmt: &'s Stmt) -> Option<Self> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let value = &*local.init.as_ref()?.expr;
        let Expr::Repeat(repeat) = unparenthesized(value) else {
            return None;
        };
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Pat::Ident(pat) = pat else {
            return None;
        };
        let elem = match (ty, unparenthesized(&repeat.expr)) {
            (Some(Type::Array(array)), _) => Some(valid::source(&array.elem)),
            (_, Expr::Lit(lit)) => type_of_literal(&lit.lit),
            _ => None,
        };
        Some(Self {
            name: &pat.ident,
            value,
            elem,
            len: valid::source(&repeat.len),
        })
    }
}

/// The locals that are `local_id()`.
struct Ids(HashSet<String>);

impl Ids {
    fn is_one(&self, index: &Expr) -> bool {
        let is_local = |path: &ExprPath| {
            let name = path.path.get_ident();
            name.is_some_and(|name| self.0.contains(&name.to_string()))
        };
        match unparenthesized(index) {
            Expr::Path(path) => is_local(path),
            index => is_call_of("local_id", index),
        }
    }

    /// Whether an index is calculated with one.
    fn are_in(&self, index: &Expr) -> bool {
        let names = self.0.iter().map(String::as_str).chain(["local_id"]);
        let span = proc_macro2::Span::call_site();
        names
            .map(|name| Ident::new(name, span))
            .any(|name| mentions(index, &name))
    }
}

/// How an array is used.
struct Uses<'a> {
    name: &'a Ident,
    ids: &'a Ids,
    is_behind: bool,
    /// What an item writes to its own element, before the barrier.
    written: Option<&'a Expr>,
    /// Whether it reads another's, behind it.
    is_read: bool,
    is_used_otherwise: bool,
}

impl<'a> Uses<'a> {
    fn element<'e>(&self, expr: &'e Expr) -> Option<&'e ExprIndex> {
        match unparenthesized(expr) {
            Expr::Index(element) if refers_to(&element.expr, self.name) => Some(element),
            _ => None,
        }
    }
}

impl<'a> Visit<'a> for Uses<'a> {
    fn visit_expr_assign(&mut self, assign: &'a ExprAssign) {
        let Some(element) = self.element(&assign.left) else {
            return visit::visit_expr_assign(self, assign);
        };
        self.is_used_otherwise |= self.is_behind || !self.ids.is_one(&element.index);
        self.written = Some(&assign.right);
        self.visit_expr(&assign.right);
    }

    fn visit_expr_index(&mut self, element: &'a ExprIndex) {
        if !refers_to(&element.expr, self.name) {
            return visit::visit_expr_index(self, element);
        }
        let is_of_another = self.ids.are_in(&element.index) && !self.ids.is_one(&element.index);
        self.is_read |= self.is_behind && is_of_another;
        self.visit_expr(&element.index);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        // What is updated is no array that one item writes and another reads.
        if let Expr::Binary(update) = expr {
            let is_update = operator_of_assignment(&update.op).is_some();
            self.is_used_otherwise |= is_update && self.element(&update.left).is_some();
        }
        if let Expr::Path(_) = expr {
            self.is_used_otherwise |= refers_to(expr, self.name);
        }
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        self.is_used_otherwise |= mentions(mac, self.name);
    }

    fn visit_pat_ident(&mut self, pat: &'a PatIdent) {
        self.is_used_otherwise |= pat.ident == *self.name;
    }
}

fn is_call_of(name: &str, expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Call(call) if call.args.is_empty() => {
            matches!(&*call.func, Expr::Path(path) if path.path.is_ident(name))
        }
        _ => false,
    }
}
