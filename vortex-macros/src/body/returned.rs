//! Arrays that a function gives a reference to, and which end with it. rustc sees that in the function as it is
//! written, which is compiled only where it has a form of the host.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprClosure, ExprReturn, Item, Local, Pat, PatIdent, Type};

use super::referring::ends_of_block;
use super::unparenthesized;
use crate::{messages, valid};

/// The references to arrays of its own that a function's body gives.
pub(super) fn dangling(body: &Block) -> Vec<syn::Error> {
    let mut found = Found::default();
    found.visit_block(body);
    let Found {
        arrays,
        others,
        returned,
    } = &found;
    let given = ends_of_block(body)
        .into_iter()
        .chain(returned.iter().copied());
    let mut errors = Vec::new();
    for reference in given.flat_map(references) {
        let name =
            place_of(reference).filter(|name| arrays.contains(name) && !others.contains(name));
        if let Some(name) = name {
            errors.push(messages::DANGLING.at(reference, &[&name]));
        }
    }
    errors
}

/// What a body declares and returns, but for its closures and items, which have names and ends of their own.
#[derive(Default)]
struct Found<'a> {
    /// Names that are arrays.
    arrays: HashSet<String>,
    /// Names that something else has.
    others: HashSet<String>,
    returned: Vec<&'a Expr>,
}

impl<'a> Visit<'a> for Found<'a> {
    fn visit_local(&mut self, local: &'a Local) {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let value = local.init.as_ref().map(|init| unparenthesized(&init.expr));
        let is_array = matches!(ty, Some(Type::Array(_)))
            || ty.is_none() && matches!(value, Some(Expr::Array(_) | Expr::Repeat(_)));
        match pat {
            Pat::Ident(pat) if is_array => {
                self.arrays.insert(pat.ident.to_string());
            }
            pat => self.visit_pat(pat),
        }
        if let Some(init) = &local.init {
            visit::visit_local_init(self, init);
        }
    }

    fn visit_pat_ident(&mut self, pat: &'a PatIdent) {
        self.others.insert(pat.ident.to_string());
    }

    fn visit_expr_return(&mut self, jump: &'a ExprReturn) {
        self.returned.extend(jump.expr.as_deref());
        visit::visit_expr_return(self, jump);
    }

    fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}

    fn visit_item(&mut self, _: &'a Item) {}
}

/// The references in what is given: it itself, in a tuple, in `Some` or in `Ok`.
fn references(given: &Expr) -> Vec<&Expr> {
    match unparenthesized(given) {
        Expr::Tuple(tuple) => tuple.elems.iter().flat_map(references).collect(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) if path.path.is_ident("Some") || path.path.is_ident("Ok") => {
                call.args.iter().flat_map(references).collect()
            }
            _ => Vec::new(),
        },
        given => vec![given],
    }
}

/// The name of the local that a reference refers to, or to a part of which.
fn place_of(reference: &Expr) -> Option<String> {
    let mut place = match reference {
        Expr::Reference(reference) => &*reference.expr,
        Expr::MethodCall(call) if valid::is_one_of(&call.method, &["as_slice", "as_mut_slice"]) => {
            &*call.receiver
        }
        _ => return None,
    };
    loop {
        place = match place {
            Expr::Paren(inner) => &inner.expr,
            Expr::Index(part) => &part.expr,
            Expr::Field(part) => &part.base,
            Expr::Path(path) => return path.path.get_ident().map(ToString::to_string),
            _ => return None,
        };
    }
}
