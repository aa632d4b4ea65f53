//! Shared references: what one refers to cannot change while there is one, so in kernels it is the value, and `*` of a
//! name that is a reference for the user is the name. Types are not known here: a name may be one if what it stands for
//! may be.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprCall, ExprPath, ExprReference, ExprUnary, Lit, Member, Pat, Stmt, Type, UnOp,
};

use super::iterator::{is_name, named, shape};
use super::scope::Declared;
use super::{Rewriter, option, subslice, temporary, unparenthesized, unreferenced};
use crate::{messages, spans, valid};

/// What patterns are held against.
pub(super) struct Matched {
    /// The name of the value.
    pub(super) value: TokenStream,
    /// Whether it surely is one of a device type.
    pub(super) is_value: bool,
    /// Whether it may be a reference for the user: then what is in it is, too.
    pub(super) refers: bool,
}

impl Rewriter<'_> {
    /// Notes the variable of a loop over the elements of a slice or an array, as it is declared next.
    pub(super) fn note_item(&mut self, pat: &Pat, iterated: &Expr) {
        let are_values = is_name(pat) && !shape(iterated).has_places();
        if let (true, Some(base)) = (are_values, named(iterated)) {
            let base = valid::source(base);
            self.facts.items.insert(self.scope.next_id(), base);
        }
    }

    /// What is assigned to, `p.x`, where `p` is such a variable.
    pub(super) fn assigned_item(&self, path: &ExprPath, id: usize) -> Option<syn::Error> {
        let base = self.facts.items.get(&id)?;
        let words: [&dyn Display; 2] = [&valid::source(path), base];
        Some(messages::ASSIGN_ITEM.at(path, &words))
    }

    /// The value of this expression, by a name.
    pub(super) fn matched(&self, expr: &Expr) -> Matched {
        Matched {
            value: temporary("matched", spans::first(expr)).into_token_stream(),
            is_value: self.is_value(expr),
            refers: self.may_refer(expr),
        }
    }

    /// Whether what an expression gives may be a reference for the user, or hold some.
    pub(super) fn may_refer(&self, expr: &Expr) -> bool {
        let expr = unparenthesized(expr);
        match expr {
            Expr::Reference(reference) => reference.mutability.is_none(),
            Expr::Path(_) => self.is_reference(expr),
            Expr::Tuple(tuple) => tuple.elems.iter().any(|elem| self.may_refer(elem)),
            Expr::MethodCall(call) if call.method == "fold" => {
                call.args.first().is_some_and(|first| self.may_refer(first))
            }
            Expr::MethodCall(call) if valid::is_one_of(&call.method, &["min", "max"]) => {
                self.may_refer(&call.receiver)
            }
            Expr::Call(call) if is_min_or_max(&call.func) => {
                call.args.iter().any(|argument| self.may_refer(argument))
            }
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => {
                ends(expr).into_iter().any(|end| self.may_refer(end))
            }
            expr => option::may_refer(expr),
        }
    }

    /// Whether an expression names a reference, for the user, or one among the items that an iterator gives together,
    /// `p.1`. In an `unsafe` block that may be a pointer.
    fn is_reference(&self, expr: &Expr) -> bool {
        if let Expr::Field(field) = unparenthesized(expr)
            && let Member::Unnamed(_) = field.member
        {
            let base = &field.base;
            return self.unsafety == 0 && self.is_reference(base) && !self.is_in_error(base);
        }
        self.local(expr)
            .is_some_and(|local| local.refers || local.declared == Declared::Shared)
    }

    /// Notes a local that is a reference to an array, as it is declared next.
    pub(super) fn note_referred_array(&mut self, pat: &Pat, ty: Option<&Type>, value: &Expr) {
        let is_array = match (ty, unparenthesized(value)) {
            (Some(Type::Reference(reference)), _) => matches!(*reference.elem, Type::Array(_)),
            (None, Expr::Lit(lit)) => matches!(lit.lit, Lit::ByteStr(_)),
            (None, Expr::Reference(reference)) => match unparenthesized(&reference.expr) {
                Expr::Array(_) | Expr::Repeat(_) => true,
                of => (self.local(of)).is_some_and(|of| self.facts.arrays.contains_key(&of.id)),
            },
            (None, value) => self.refers_to_an_array(value),
            _ => false,
        };
        if is_array && matches!(pat, Pat::Ident(_)) {
            self.facts.referred_arrays.insert(self.scope.next_id());
        }
    }

    /// Whether a name surely is that of a reference to an array.
    pub(super) fn refers_to_an_array(&self, name: &Expr) -> bool {
        let local = self.local(name);
        local.is_some_and(|local| self.facts.referred_arrays.contains(&local.id))
    }

    /// What `*` of a name that is a reference, of what gives one, or of a text of bytes, is here.
    pub(super) fn referred<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let target = dereferenced(expr)?;
        let is_text = matches!(target, Expr::Lit(lit) if matches!(lit.lit, Lit::ByteStr(_)));
        let is_one = match target {
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Call(_) => self.may_refer(target),
            Expr::MethodCall(call) => {
                valid::is_one_of(&call.method, &["min", "max"]) && self.may_refer(target)
            }
            _ => is_text || self.is_reference(target),
        };
        is_one.then_some(target)
    }

    /// `max(&a, &b)`, which is a reference to one of them for the user, of the values.
    pub(super) fn of_values(&self, call: &ExprCall) -> Option<ExprCall> {
        let is_reference = |argument: &Expr| match unparenthesized(argument) {
            Expr::Reference(reference) => reference.mutability.is_none(),
            _ => false,
        };
        let refers = is_min_or_max(&call.func) && call.args.iter().any(is_reference);
        refers.then(|| {
            let mut call = call.clone();
            for argument in &mut call.args {
                *argument = unreferenced(argument).clone();
            }
            call
        })
    }

    /// The value of an expression that may end in references.
    pub(super) fn of_referred(&mut self, expr: &Expr) -> TokenStream {
        if !self.may_refer(expr) {
            return self.argument(expr);
        }
        let mut expr = expr.clone();
        Unreferring.visit_expr_mut(&mut expr);
        self.argument(&expr)
    }
}

/// The `x` of `*x`, and of `**x`, where it is a reference to a reference.
pub(super) fn dereferenced(expr: &Expr) -> Option<&Expr> {
    match unparenthesized(expr) {
        Expr::Unary(ExprUnary {
            op: UnOp::Deref(_),
            expr,
            ..
        }) => Some(dereferenced(expr).unwrap_or_else(|| unparenthesized(expr))),
        _ => None,
    }
}

/// Whether a function is called as those of `std::cmp` are.
fn is_min_or_max(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| valid::is_one_of(&last.ident, &["min", "max"]))
}

/// The expressions that may be the value of this one.
fn ends(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::If(conditional) => {
            let mut all = ends_of_block(&conditional.then_branch);
            if let Some((_, otherwise)) = &conditional.else_branch {
                all.extend(ends(otherwise));
            }
            all
        }
        Expr::Match(inner) => {
            let arms = inner.arms.iter();
            arms.flat_map(|arm| ends(&arm.body)).collect()
        }
        Expr::Block(inner) => ends_of_block(&inner.block),
        expr => vec![expr],
    }
}

/// A choice of closures.
pub(super) fn closure_of_choice(choice: &Expr) -> Option<syn::Error> {
    if !matches!(choice, Expr::If(_) | Expr::Match(_)) {
        return None;
    }
    ends(choice).into_iter().find_map(|end| match end {
        Expr::Closure(closure) => {
            let names = closure.inputs.iter().map(|input| match input {
                Pat::Type(typed) => valid::source(&typed.pat),
                pat => valid::source(pat),
            });
            let names = names.collect::<Vec<_>>().join(", ");
            Some(messages::CLOSURE_OF_CHOICE.at(closure, &[&names]))
        }
        _ => None,
    })
}

/// The expressions that may be the value of a block.
pub(super) fn ends_of_block(block: &Block) -> Vec<&Expr> {
    match block.stmts.last() {
        Some(Stmt::Expr(expr, None)) => ends(expr),
        _ => Vec::new(),
    }
}

/// Writes what references refer to in their place, where a block ends in them.
pub(crate) fn without_references(block: &mut Block) {
    Unreferring.visit_block_mut(block);
}

/// Writes what references refer to in their place, where an expression ends in them.
struct Unreferring;

impl VisitMut for Unreferring {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Reference(ExprReference {
                mutability: None,
                expr: inner,
                ..
            }) if !subslice::is_subslice(inner) => {
                *expr = (**inner).clone();
            }
            Expr::Tuple(_) | Expr::Paren(_) | Expr::Group(_) | Expr::Block(_) => {
                visit_mut::visit_expr_mut(self, expr);
            }
            Expr::If(conditional) => {
                self.visit_block_mut(&mut conditional.then_branch);
                if let Some((_, otherwise)) = &mut conditional.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::Match(inner) => {
                for arm in &mut inner.arms {
                    self.visit_expr_mut(&mut arm.body);
                }
            }
            _ => {}
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        if let Some(Stmt::Expr(end, None)) = block.stmts.last_mut() {
            self.visit_expr_mut(end);
        }
    }
}
