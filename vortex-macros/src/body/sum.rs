//! `let mut sum = 0;`, to which floats are added: the mistake is where the sum begins, and rustc would find another.

use std::collections::HashMap;
use std::fmt::Display;

use syn::{Expr, Lit, Pat, Type, UnOp};

use super::{Rewriter, iterator, typed, unparenthesized};
use crate::{messages, valid};

/// What is known of the numbers that locals are, by the numbers of these.
#[derive(Default)]
pub(super) struct Numbers {
    /// The integers without a type that they begin as.
    integers: HashMap<usize, String>,
    /// The types of those that are floats.
    floats: HashMap<usize, String>,
}

impl Rewriter<'_> {
    /// Notes what is known of the local that is declared next, by a `let` without a type.
    pub(super) fn begins_as(&mut self, value: &Expr) {
        let id = self.scope.next_id();
        if let Expr::Lit(lit) = unparenthesized(value)
            && let Lit::Int(number) = &lit.lit
            && number.suffix().is_empty()
        {
            self.numbers.integers.insert(id, number.to_string());
        }
        if let Some(ty) = self.float_of(value) {
            self.numbers.floats.insert(id, ty);
        }
    }

    /// The same of a parameter of a closure, by its type.
    pub(super) fn is_declared_as(&mut self, pat: &Pat, ty: &Type) {
        let ty = valid::source(ty);
        if matches!(pat, Pat::Ident(_)) && valid::is_one_of_floats(&ty) {
            self.numbers.floats.insert(self.scope.next_id(), ty);
        }
    }

    /// The same of the elements that a `for` gives a name to.
    pub(super) fn goes_over(&mut self, pat: &Pat, iterated: &Expr) {
        let is_name = match pat {
            Pat::Reference(reference) => matches!(*reference.pat, Pat::Ident(_)),
            pat => matches!(pat, Pat::Ident(_)),
        };
        let elements = self.element_of(iterator::elements_of(iterated));
        if let Some(ty) = elements.map(valid::source).filter(|_| is_name)
            && valid::is_one_of_floats(&ty)
        {
            self.numbers.floats.insert(self.scope.next_id(), ty);
        }
    }

    /// `sum += x[i]`, where `sum` begins as `0` and the elements are floats.
    pub(super) fn float_into_integer(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let local = self.local(target)?;
        let begins_as = self.numbers.integers.get(&local.id)?;
        let value = unparenthesized(value);
        let words: [&dyn Display; 3] = [&local.name, begins_as, &self.float_of(value)?];
        Some(messages::INTEGER_SUM.at(value, &words))
    }

    /// The type of an expression that surely is a float.
    pub(super) fn float_of(&self, expr: &Expr) -> Option<String> {
        let ty = match unparenthesized(expr) {
            Expr::Lit(lit) => matches!(lit.lit, Lit::Float(_)).then(|| "f32".to_owned()),
            Expr::Path(_) if let Some(ty) = self.numbers.floats.get(&self.local(expr)?.id) => {
                Some(ty.clone())
            }
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) | UnOp::Deref(_) => self.float_of(&unary.expr),
                _ => None,
            },
            Expr::Binary(binary) if typed::calculates(binary) => {
                let left = self.float_of(&binary.left);
                left.or_else(|| self.float_of(&binary.right))
            }
            Expr::MethodCall(call) => {
                let is_one = valid::gives_one_number(&call.method) && call.method != "to_bits";
                self.float_of(&call.receiver).filter(|_| is_one)
            }
            Expr::Cast(cast) => Some(valid::source(&cast.ty)),
            expr => self.type_of_operand(expr),
        };
        ty.filter(|ty| valid::is_one_of_floats(ty))
    }
}
