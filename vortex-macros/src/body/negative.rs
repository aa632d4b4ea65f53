//! Negative numbers where there are none: loops over them of which an index is made, `for d in -1..=1 { x[i + d]; }`,
//! and comparisons of unsigned numbers with zero that always hold.

use std::fmt::Display;

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprForLoop, ExprIndex, Lit, Pat, PatIdent, UnOp};

use super::numbers::is_of_literals;
use super::typed::calculates;
use super::{Rewriter, refers_to, temporary, unparenthesized};
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// What is wrong with an index of a slice in such a loop.
    pub(super) fn negative_in_index(&self, inner: &ExprForLoop) -> Option<syn::Error> {
        let Pat::Ident(name) = &*inner.pat else {
            return None;
        };
        // Of two literals it is the type that is wanted.
        let are_open = match unparenthesized(&inner.expr) {
            Expr::Range(range) => {
                let start = range.start.as_deref().and_then(negated)?;
                is_open(start) && range.end.as_deref().is_none_or(is_open)
            }
            Expr::Array(array) => {
                array.elems.iter().find_map(negated)?;
                let mut items = array.elems.iter();
                items.all(|item| is_open(negated(item).unwrap_or(item)))
            }
            _ => return None,
        };
        let mut uses = Uses {
            name: &name.ident,
            is_slice: &|base| self.is_slice(base),
            found: None,
            is_declared_again: false,
        };
        uses.visit_block(&inner.body);
        let element = uses.found.filter(|_| !uses.is_declared_again)?;
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

    /// `out[i] = -1` of a slice whose elements have no sign.
    pub(super) fn negative_for_unsigned(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let Expr::Index(element) = target else {
            return None;
        };
        valid::negative_value(self.element_of(&element.expr), unparenthesized(value))
    }

    /// `SIDE * SIDE`: rustc knows such values, and refuses what does not fit the type.
    fn is_of_constants(&self, binary: &ExprBinary) -> bool {
        let is_one = |side: &Expr| self.is_constant_or_number(side);
        matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_))
            && is_one(&binary.left)
            && is_one(&binary.right)
    }

    /// `1 << 40` and `x[i] >> 40` of integers, by so much that some type is not as wide. Which it is rustc knows.
    fn is_far_shift(&self, binary: &ExprBinary) -> bool {
        let left = unparenthesized(&binary.left);
        let is_integer = || {
            let ty = self.type_of_operand(left);
            ty.is_some_and(|ty| valid::is_scalar(&ty) && !valid::is_one_of_floats(&ty))
        };
        matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_))
            && (is_open(left) || is_integer())
            && matches!(unparenthesized(&binary.right), Expr::Lit(by)
                if matches!(&by.lit, Lit::Int(by) if by.base10_parse::<u8>().is_ok_and(|by| by >= 8)))
    }

    fn is_constant_or_number(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
            Expr::Path(path) => {
                let last = path.path.segments.last();
                last.is_some_and(|last| valid::is_constant_name(&last.ident.to_string()))
                    && self.names_an_item(path)
            }
            Expr::Binary(binary) => self.is_of_constants(binary),
            _ => false,
        }
    }

    /// `k >= 0` of what has no negative values, and `1u32 << 32`, next to the same on the host, which never runs: rustc
    /// says of that one what is wrong.
    pub(super) fn with_lint(&self, binary: &ExprBinary, value: TokenStream) -> TokenStream {
        if is_of_literals(binary) && !value.is_empty() {
            // In a closure, as what is never reached rustc does not look at.
            let last = spans::last(binary);
            let block = quote_spanned!(last=> let _ = || #binary; #value);
            return spans::braces(block, last);
        }
        if self.is_far_shift(binary) && !value.is_empty() {
            let (first, last) = (spans::first(binary), spans::last(binary));
            // Of no other hygiene than the user's code, or rustc takes all of it for the macro's.
            let shifted = Ident::new("shifted", first);
            let (op, by) = (&binary.op, &binary.right);
            let arguments = quote_spanned!(first=> #value, |#shifted| #shifted #op #by);
            return self.call("shifted", first, arguments, last);
        }
        if self.is_of_constants(binary) && !value.is_empty() {
            let (first, last) = (spans::first(binary), spans::last(binary));
            return self.call(
                "of_constants",
                first,
                quote_spanned!(first=> || #value),
                last,
            );
        }
        let op = &binary.op;
        let right = unparenthesized(&binary.right);
        let is_unsigned = || {
            let ty = self.type_of_operand(unparenthesized(&binary.left));
            self.is_size(&binary.left)
                || ty.is_some_and(|ty| ["u8", "u16", "u32", "u64", "usize"].contains(&ty.as_str()))
        };
        let is_useless = matches!(op, BinOp::Ge(_) | BinOp::Lt(_))
            && matches!(right, Expr::Lit(lit) if matches!(&lit.lit, Lit::Int(zero) if zero.to_string() == "0"))
            && !value.is_empty()
            && is_unsigned();
        if !is_useless {
            return value;
        }
        let (first, last) = (spans::first(binary), spans::last(binary));
        let unsigned = temporary("unsigned", first);
        let compared = quote_spanned!(first=> #unsigned #op #right);
        let block = quote_spanned! {last=>
            if false {
                let #unsigned = 0usize;
                let _ = #compared;
            }
            #value
        };
        spans::braces(block, last)
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

/// The `x` of `-x`.
fn negated(expr: &Expr) -> Option<&Expr> {
    match unparenthesized(expr) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Some(&unary.expr),
        _ => None,
    }
}

/// Whether this is an integer as it is written, of no type.
fn is_open(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Lit(lit) => matches!(&lit.lit, Lit::Int(number) if number.suffix().is_empty()),
        _ => false,
    }
}
