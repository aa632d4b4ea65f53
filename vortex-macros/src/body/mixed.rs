//! Mistakes in what stands on the sides of an operator, or is passed next to a float: integers, `bool`s, whole slices.

use std::fmt::Display;

use proc_macro2::Ident;
use syn::visit::Visit;
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprBreak, ExprClosure, ExprForLoop, ExprLoop,
    ExprMethodCall, ExprWhile, Item, Lit, Pat, Stmt, UnOp,
};

use super::desugared::name_of_item;
use super::expr::literal_of;
use super::misfit::declares_names;
use super::typed::{calculates, compares, is_literal};
use super::{Rewriter, refers_to, unparenthesized};
use crate::{messages, valid};

impl Rewriter<'_> {
    /// `2 * x[i]` of a float.
    pub(super) fn integer_and_float(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let Some(Lit::Int(number)) = literal_of(unparenthesized(&binary.left)) else {
            return None;
        };
        let is_open = number.suffix().is_empty() && number.base10_digits() == number.to_string();
        let is_float = is_open
            && is_of_numbers(&binary.op)
            && !is_literal(&binary.right)
            && self.float_of(&binary.right)? == "f32";
        let words: [&dyn Display; 2] =
            [&valid::source(&binary.left), &valid::source(&binary.right)];
        is_float.then(|| messages::INTEGER_AND_FLOAT.at(&binary.left, &words))
    }

    /// `x[i] * (x[i] > 0.0)`.
    pub(super) fn truth_as_number(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let (left, right) = (
            unparenthesized(&binary.left),
            unparenthesized(&binary.right),
        );
        let is_truth = |side: &Expr| matches!(side, Expr::Binary(binary) if compares(binary));
        let (truth, other) = match (is_truth(left), is_truth(right)) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        if !is_of_numbers(&binary.op) {
            return None;
        }
        let ty = match self.float_of(other) {
            Some(ty) if ty == "f32" => "u32 as f32".to_owned(),
            _ if self.is_size(other) => "usize".to_owned(),
            _ => {
                let ty = self.type_of_operand(other)?;
                let is_integer = valid::is_scalar(&ty) && !valid::is_one_of_floats(&ty);
                Some(ty).filter(|ty| is_integer && ty != "bool")?
            }
        };
        let words: [&dyn Display; 2] = [&valid::source(truth), &ty];
        Some(messages::TRUTH_AS_NUMBER.at(truth, &words))
    }

    /// `if !(i & 1)`.
    pub(super) fn number_inverted(&self, condition: &Expr) -> Option<syn::Error> {
        let Expr::Unary(unary) = unparenthesized(condition) else {
            return None;
        };
        let operand = unparenthesized(&unary.expr);
        let is_of_literal = match operand {
            Expr::Binary(binary) => {
                let is_integer =
                    |side: &Expr| matches!(literal_of(unparenthesized(side)), Some(Lit::Int(_)));
                calculates(binary) && (is_integer(&binary.left) || is_integer(&binary.right))
            }
            _ => false,
        };
        let is_other = |ty: String| valid::is_scalar(&ty) && ty != "bool";
        let is_number = is_of_literal
            || self.is_size(operand)
            || self.type_of_operand(operand).is_some_and(is_other);
        let is_wrong = matches!(unary.op, UnOp::Not(_)) && is_number;
        is_wrong.then(|| messages::NUMBER_INVERTED.at(condition, &[&valid::source(operand)]))
    }

    /// Notes a local that is an assignment, `let v = out[i] = x[i];`, as it is declared next.
    pub(super) fn note_assignment(&mut self, pat: &Pat, value: &Expr) {
        if let (Pat::Ident(_), Expr::Assign(assign)) = (pat, unparenthesized(value)) {
            let texts = (valid::source(assign), valid::source(&assign.left));
            self.facts.assignments.insert(self.scope.next_id(), texts);
        }
    }

    /// An operand that is such a local.
    pub(super) fn assignment_for_value(&self, binary: &ExprBinary) -> Option<syn::Error> {
        [&binary.left, &binary.right].into_iter().find_map(|side| {
            let local = self.local(unparenthesized(side))?;
            let (assign, target) = self.facts.assignments.get(&local.id)?;
            let words: [&dyn Display; 3] = [&local.name, assign, target];
            Some(messages::ASSIGNMENT_FOR_VALUE.at(side, &words))
        })
    }

    /// `x > 0.0` of a slice.
    pub(super) fn slice_for_element(&mut self, binary: &ExprBinary) -> Option<syn::Error> {
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) {
            return None;
        }
        let (left, right) = (
            unparenthesized(&binary.left),
            unparenthesized(&binary.right),
        );
        let (slice, other) = match (self.is_whole(left), self.is_whole(right)) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        let is_one = is_literal(other) || self.is_size(other) || self.float_of(other).is_some();
        let text = valid::source(slice);
        is_one.then(|| messages::SLICE_FOR_ELEMENT.at(slice, &[&text]))
    }

    /// Whether a name is that of a slice: a parameter, or a part that a loop goes over.
    pub(super) fn is_whole(&self, expr: &Expr) -> bool {
        let local = self.local(expr);
        let is_chunk = local.is_some_and(|local| self.facts.chunks.contains(&local.id));
        is_chunk || self.is_slice(expr)
    }

    /// Notes the variable of a loop over parts of a slice, as it is declared next.
    pub(super) fn note_chunk(&mut self, pat: &Pat, iterated: &Expr) {
        if let (Pat::Ident(_), Expr::MethodCall(call)) = (pat, unparenthesized(iterated))
            && valid::is_one_of(&call.method, &["chunks", "chunks_exact", "windows"])
            && self.is_slice(unparenthesized(&call.receiver))
        {
            self.facts.chunks.insert(self.scope.next_id());
        }
    }

    /// `if c { 1 } else { 2.0 }`, and the same of a `match` and of the `break`s of a `loop`.
    pub(super) fn mixed_values(&self, expr: &Expr) -> Option<syn::Error> {
        let mut values = Values::default();
        values.add(expr);
        let is_float = |value: &&&Expr| match literal_of(value) {
            Some(literal) => matches!(literal, Lit::Float(_)),
            // What is declared in an arm may have the name of something else.
            None => !values.declares && self.float_of(value).is_some_and(|ty| ty == "f32"),
        };
        let is_integer = |value: &&&Expr| match literal_of(value) {
            Some(Lit::Int(number)) => number.suffix().is_empty(),
            _ => false,
        };
        let float = values.found.iter().find(is_float)?;
        let integer = values.found.iter().find(is_integer)?;
        let words: [&dyn Display; 2] = [&valid::source(integer), &valid::source(float)];
        Some(messages::INTEGER_AND_FLOAT.at(integer, &words))
    }

    /// `x[i].cmp(key)` of numbers.
    pub(super) fn value_for_reference(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let [other] = &call.args.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let (receiver, other) = (unparenthesized(&call.receiver), unparenthesized(other));
        let is_scalar = |ty: String| valid::is_scalar(&ty);
        let is_number = |expr| self.type_of_operand(expr).is_some_and(is_scalar);
        let is_wrong = valid::is_one_of(&call.method, &["cmp", "partial_cmp", "total_cmp"])
            && (is_number(receiver) || self.is_known_number(receiver))
            && (is_number(other) || is_literal(other));
        let words: [&dyn Display; 2] = [&call.method, &valid::source(other)];
        is_wrong.then(|| messages::VALUE_FOR_REFERENCE.at(other, &words))
    }

    /// `x.iter().fold(0, |sum, v| sum + v)` and `x.get(i).unwrap_or(&0)` of floats.
    pub(super) fn integer_in_call(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let value = match call.args.first()? {
            Expr::Reference(reference) => &*reference.expr,
            value => value,
        };
        let Some(Lit::Int(number)) = literal_of(unparenthesized(value)) else {
            return None;
        };
        let elements = match call.method.to_string().as_str() {
            "fold" if adds_items(call.args.get(1)?) => {
                let is_known = self.goes_over_elements(&call.receiver);
                super::method::called_on(is_known.then_some(&*call.receiver)?)
            }
            "unwrap_or" => match unparenthesized(&call.receiver) {
                Expr::MethodCall(get) if get.method == "get" => &*get.receiver,
                _ => return None,
            },
            _ => return None,
        };
        let is_float = self.type_of_elements(unparenthesized(elements))? == "f32";
        let words: [&dyn Display; 2] = [&valid::source(value), &valid::source(elements)];
        (is_float && number.suffix().is_empty())
            .then(|| messages::INTEGER_FOR_ELEMENT.at(value, &words))
    }
}

/// What an expression may be: values of its arms, and of its `break`s.
#[derive(Default)]
struct Values<'a> {
    found: Vec<&'a Expr>,
    /// Whether names are declared in it.
    declares: bool,
}

impl<'a> Values<'a> {
    fn add(&mut self, expr: &'a Expr) {
        match unparenthesized(expr) {
            Expr::If(choice) => {
                self.declares |= declares_names(&choice.cond);
                self.add_last(&choice.then_branch);
                if let Some((_, otherwise)) = &choice.else_branch {
                    self.add(otherwise);
                }
            }
            Expr::Match(choice) => {
                let is_plain =
                    |arm: &Arm| matches!(arm.pat, Pat::Lit(_) | Pat::Range(_) | Pat::Wild(_));
                self.declares |= !choice.arms.iter().all(is_plain);
                choice.arms.iter().for_each(|arm| self.add(&arm.body));
            }
            Expr::Block(block) => self.add_last(&block.block),
            Expr::Loop(repeated) if repeated.label.is_none() => {
                self.declares = true;
                self.visit_block(&repeated.body);
            }
            value => self.found.push(value),
        }
    }

    fn add_last(&mut self, block: &'a Block) {
        self.declares |= block.stmts.len() > 1;
        if let Some(Stmt::Expr(last, None)) = block.stmts.last() {
            self.add(last);
        }
    }
}

impl<'a> Visit<'a> for Values<'a> {
    fn visit_expr_break(&mut self, jump: &'a ExprBreak) {
        if let (None, Some(value)) = (&jump.label, &jump.expr) {
            self.add(value);
        }
    }

    // What these are left with is another's.
    fn visit_expr_loop(&mut self, _: &'a ExprLoop) {}

    fn visit_expr_for_loop(&mut self, _: &'a ExprForLoop) {}

    fn visit_expr_while(&mut self, _: &'a ExprWhile) {}

    fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}

    fn visit_item(&mut self, _: &'a Item) {}
}

/// Whether a closure is `|sum, v| sum + v`, or the same with another operator and what is computed of `v`.
fn adds_items(closure: &Expr) -> bool {
    let Expr::Closure(closure) = unparenthesized(closure) else {
        return false;
    };
    let mut names = closure.inputs.iter().map(name_of_item);
    let (Some(Some(sum)), Some(Some(item))) = (names.next(), names.next()) else {
        return false;
    };
    match unparenthesized(&closure.body) {
        Expr::Binary(binary) => {
            is_of_numbers(&binary.op) && is(&binary.left, sum) && is_of(&binary.right, item)
        }
        Expr::MethodCall(call) if valid::is_one_of(&call.method, &["min", "max"]) => {
            is(&call.receiver, sum) && call.args.first().is_some_and(|other| is(other, item))
        }
        _ => false,
    }
}

/// Whether this is what a name stands for, a value or a reference.
fn is(expr: &Expr, name: &Ident) -> bool {
    match unparenthesized(expr) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => refers_to(&unary.expr, name),
        expr => refers_to(expr, name),
    }
}

/// Whether this is of the type of what a name stands for, a number.
fn is_of(expr: &Expr, name: &Ident) -> bool {
    match unparenthesized(expr) {
        Expr::Binary(binary) if is_of_numbers(&binary.op) => {
            is_of(&binary.left, name) || is_of(&binary.right, name)
        }
        Expr::MethodCall(call) if valid::gives_one_number(&call.method) => {
            call.method != "to_bits" && is_of(&call.receiver, name)
        }
        expr => is(expr, name),
    }
}

/// Whether an operator is one that `bool`s have not.
fn is_of_numbers(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
    )
}
