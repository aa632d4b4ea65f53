//! Values whose type has to be a certain one: see `lang::value::typed` in `vortex-kernel`.

use std::fmt::Display;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{BinOp, Block, Expr, ExprBinary, ExprCall, Lit, Member, Pat, Stmt, Token, Type, UnOp};

use super::gives::{Gives, Held};
use super::scope::{Binding, Declared};
use super::{Rewriter, iterator, option, subslice, unparenthesized};
use crate::generics::Asked;
use crate::{messages, spans, types, valid};

impl Rewriter<'_> {
    /// What an `if` or a `while` tests.
    pub(super) fn tested(&mut self, condition: &Expr) -> TokenStream {
        if let Some(error) = self.number_inverted(condition) {
            return self.complain(error);
        }
        let value = self.argument(condition);
        if !self.is_value(condition) {
            return self.wanted(condition, value);
        }
        let (first, last) = (spans::first(condition), spans::last(condition));
        self.asking(("Truth", "truth"), value, (first, last))
    }

    /// The value of a `let` with a type.
    pub(super) fn of_type(&self, ty: &Type, expr: &Expr, value: TokenStream) -> TokenStream {
        let has_a_value = matches!(ty, Type::Path(path) if types::is_value(path));
        if !has_a_value || value.is_empty() {
            return value;
        }
        if !self.is_value(expr) {
            return self.wanted(expr, value);
        }
        self.itself(ty.to_token_stream(), expr, value)
    }

    /// The value of an expression, which has to be of this device type.
    pub(super) fn itself(&self, ty: TokenStream, expr: &Expr, value: TokenStream) -> TokenStream {
        let (first, last) = (spans::first(expr), spans::last(expr));
        let (is, itself) = (self.v.item("Is", first), Ident::new("itself", last));
        let value = spans::parens(value, last);
        quote_spanned!(first=> #is::<#ty>::#itself #value)
    }

    /// The value of a device function that results in `output`, as it is staged.
    pub(super) fn declared_as(
        &mut self,
        output: Option<&TokenStream>,
        expr: &Expr,
        value: TokenStream,
    ) -> TokenStream {
        let Some(output) = output.filter(|_| !value.is_empty()) else {
            return value;
        };
        if let Some(error) = self.variant_and_value(output, expr) {
            return self.complain(error);
        }
        if !is_lane(output) {
            return self.wanted_parts(output, expr, value);
        }
        let error = (self.option_for_value(expr)).or_else(|| self.literal_for_output(output, expr));
        if let Some(error) = error {
            return self.complain(error);
        }
        if !self.is_value(expr) {
            return self.wanted(expr, value);
        }
        let first = spans::first(expr);
        let of = self.v.item("OfType", first);
        let ty = quote_spanned!(first=> <#output as #of>::Type);
        self.itself(ty, expr, value)
    }

    /// Notes what `Ok(..)` and the like are to hold, if an expression is one.
    pub(super) fn holds(&mut self, output: Option<&TokenStream>, expr: &Expr) {
        self.held = match unparenthesized(expr) {
            Expr::Call(call) if option::made(call).is_some() => output.and_then(Held::of),
            _ => None,
        };
    }

    /// A value where the function results in an option of it, and the other way round.
    fn variant_and_value(&self, output: &TokenStream, expr: &Expr) -> Option<syn::Error> {
        let variants = match Gives::of(output) {
            Gives::Option => ("an `Option`", "Some"),
            Gives::Result => ("a `Result`", "Ok"),
            _ if is_lane(output) => {
                let Expr::Call(call) = unparenthesized(expr) else {
                    return None;
                };
                let (name, whole, written) = option::made(call)?.described();
                let words: [&dyn Display; 3] = [&whole, &name, &written];
                return Some(messages::VARIANT_FOR_VALUE.at(&call.func, &words));
            }
            _ => return None,
        };
        let words: [&dyn Display; 3] = [&variants.0, &variants.1, &valid::source(expr)];
        self.is_value(expr)
            .then(|| messages::VALUE_ALONE.at(expr, &words))
    }

    /// Whether an expression is known to be a number, and not a value of the user's types.
    pub(super) fn is_number(&self, expr: &Expr) -> bool {
        self.is_number_if(expr, |_| false)
    }

    /// The same of what is made of locals, too, by what these are declared with.
    pub(super) fn is_known_number(&self, expr: &Expr) -> bool {
        self.is_number_if(expr, |local| match local.declared {
            Declared::Loop => true,
            Declared::Argument => {
                let mut typed = self.kernel.typed.iter();
                typed.any(|(name, ty)| *name == local.name && valid::is_known_scalar(ty))
            }
            _ => self.facts.numbers.contains(&local.id),
        })
    }

    fn is_number_if(&self, expr: &Expr, is_one: impl Fn(&Binding) -> bool + Copy) -> bool {
        let expr = unparenthesized(expr);
        match expr {
            Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Float(_) | Lit::Byte(_)),
            Expr::Cast(cast) => valid::is_scalar(&valid::source(&cast.ty)),
            Expr::Call(call) => valid::gives_a_number(&call.func),
            Expr::MethodCall(call) => {
                call.method == "len" && call.args.is_empty()
                    || valid::gives_one_number(&call.method)
                        && self.is_number_if(&call.receiver, is_one)
            }
            Expr::Unary(unary) => self.is_number_if(&unary.expr, is_one),
            Expr::Binary(binary) => {
                calculates(binary)
                    && self.is_number_if(&binary.left, is_one)
                    && self.is_number_if(&binary.right, is_one)
            }
            _ => {
                let ty = self.type_of_operand(expr);
                ty.is_some_and(|ty| valid::is_scalar(&ty)) || self.local(expr).is_some_and(is_one)
            }
        }
    }

    /// Whether an expression is surely a value of a device type, which is not asked of it: a literal, a name of such a
    /// value, what is computed of these, an element. Where it stands rustc then need not infer it.
    pub(super) fn is_value(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Lit(lit) => matches!(
                lit.lit,
                Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Byte(_)
            ),
            Expr::Path(path) => match self.local(expr) {
                Some(local) => local.is_value,
                None => {
                    let last = path.path.segments.last();
                    last.is_some_and(|last| valid::is_constant_name(&last.ident.to_string()))
                }
            },
            Expr::Index(index) => !subslice::is_subslice(expr) && self.has_a_type(&index.expr),
            Expr::Field(field) => match field.member {
                Member::Named(_) => self.has_a_type(&field.base),
                Member::Unnamed(_) => false,
            },
            Expr::Cast(cast) => !matches!(*cast.ty, Type::Infer(_)),
            Expr::Struct(_) => true,
            Expr::Call(call) => valid::gives_a_number(&call.func),
            Expr::MethodCall(call) => {
                call.method == "len" && call.args.is_empty()
                    || iterator::gives_a_number(call)
                    || valid::is_test(&call.method)
                    || valid::gives_one_number(&call.method)
                        && self.is_value(&call.receiver)
                        && !is_literal(&call.receiver)
            }
            Expr::Unary(unary) => match unary.op {
                UnOp::Deref(_) => self.is_value_of_reference(&unary.expr),
                _ => self.is_value(&unary.expr),
            },
            Expr::Binary(binary) => {
                compares(binary)
                    || calculates(binary)
                        && match is_literal(&binary.left) {
                            true => self.is_value(&binary.right) && !is_literal(&binary.right),
                            false => self.is_value(&binary.left),
                        }
            }
            _ => false,
        }
    }

    /// Whether an expression is a name for an element of a slice, as a closure or a `for` has it.
    fn is_value_of_reference(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Unary(unary) => {
                matches!(unary.op, UnOp::Deref(_)) && self.is_value_of_reference(&unary.expr)
            }
            expr => {
                let local = self.local(expr);
                local.is_some_and(|local| local.is_value && local.declared == Declared::Shared)
            }
        }
    }

    /// The type parameter that has not this operator, as far as its bounds say, and is one of the operands. Of what is
    /// compared, and has a bound, rustc says which other it needs.
    pub(super) fn unbounded(&self, binary: &ExprBinary) -> Option<Ident> {
        let lacks = |operand: &Expr| {
            let parameter = self.type_parameter_of(operand)?;
            let is_lacking = match parameter.asked {
                Asked::Nothing => true,
                Asked::NoArithmetic => !compares(binary),
                Asked::Number | Asked::Other => false,
            };
            is_lacking.then(|| parameter.name.clone())
        };
        lacks(&binary.left).or_else(|| lacks(&binary.right))
    }

    /// Whether rustc need not infer what is to the right of an operator. It says more of a type parameter that lacks a
    /// bound where the operator is one of its own.
    pub(super) fn knows_operands(&self, right: &Expr) -> bool {
        !self.kernel.has_types && self.is_value(right)
    }

    /// `let x = if c { 1 };`.
    pub(super) fn no_else(&self, expr: &Expr) -> Option<syn::Error> {
        if let Some(semicolon) = lost_by(expr) {
            return Some(messages::SEMICOLON_IN_ARM.at(semicolon, &[]));
        }
        let (conditional, value) = valid::without_else(expr)?;
        let is_value = match unparenthesized(value) {
            Expr::Path(_) | Expr::Unary(_) | Expr::Lit(_) | Expr::Index(_) | Expr::Cast(_) => true,
            Expr::Binary(binary) => compares(binary) || calculates(binary),
            _ => self.arm_is_value(value),
        };
        is_value.then(|| messages::NO_ELSE.at(conditional.if_token, &[]))
    }

    /// The same of the value of a block, or of an `if` with its `else`.
    pub(super) fn arm_is_value(&self, arm: &Expr) -> bool {
        match arm {
            Expr::Block(block) => self.block_is_value(&block.block),
            Expr::If(inner) => {
                let otherwise = inner.else_branch.as_ref();
                self.block_is_value(&inner.then_branch)
                    && otherwise.is_some_and(|(_, otherwise)| self.arm_is_value(otherwise))
            }
            arm => self.is_value(arm),
        }
    }

    /// A block of one expression: names that a block declares are not known here.
    fn block_is_value(&self, block: &Block) -> bool {
        match &block.stmts[..] {
            [Stmt::Expr(tail, None)] => self.arm_is_value(tail),
            _ => false,
        }
    }

    /// Whether what an expression is does not depend on what is asked of it: a value as above, or a slice, an array.
    fn has_a_type(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Path(_) => self.local(expr).is_none_or(|local| local.has_a_type),
            Expr::Index(index) => self.has_a_type(&index.expr),
            Expr::Field(field) => self.has_a_type(&field.base),
            expr => self.is_value(expr),
        }
    }

    /// The same of what a `let` gives a name to.
    pub(super) fn gives_a_type(&self, expr: &Expr) -> bool {
        match unparenthesized(expr) {
            Expr::Call(call) => valid::is_of_the_prelude(&call.func),
            Expr::Array(array) => array
                .elems
                .first()
                .is_some_and(|first| self.gives_a_type(first)),
            Expr::Repeat(array) => self.gives_a_type(&array.expr),
            Expr::Reference(reference) => self.gives_a_type(&reference.expr),
            expr => self.has_a_type(expr),
        }
    }

    /// How many values of device types a pattern names.
    pub(super) fn values_of(&self, pat: &Pat, expr: &Expr) -> usize {
        match (pat, unparenthesized(expr)) {
            (Pat::Ident(_), expr) => usize::from(self.is_value(expr)),
            (Pat::Tuple(tuple), Expr::Call(call)) if valid::gives_numbers(&call.func) => {
                let names = tuple.elems.iter();
                names.filter(|pat| matches!(pat, Pat::Ident(_))).count()
            }
            _ => 0,
        }
    }
}

/// Whether an operator gives a `bool`.
pub(crate) fn compares(binary: &ExprBinary) -> bool {
    matches!(
        binary.op,
        BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::And(_)
            | BinOp::Or(_)
    )
}

/// Whether an operator gives what its sides are.
pub(super) fn calculates(binary: &ExprBinary) -> bool {
    matches!(
        binary.op,
        BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::Div(_)
            | BinOp::Rem(_)
            | BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_)
            | BinOp::Shl(_)
            | BinOp::Shr(_)
    )
}

pub(super) fn is_literal(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Lit(_) => true,
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}

/// Whether a staged type is that of a value.
pub(crate) fn is_lane(ty: &TokenStream) -> bool {
    let is_path = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ':',
        TokenTree::Ident(name) => name != "impl",
        _ => false,
    };
    let name = ty.clone().into_iter().take_while(is_path).last();
    matches!(name, Some(TokenTree::Ident(name)) if name == "Lane")
}

/// The `;` after what surely is a value, at the end of a block whose value that would be: `if c { 0; } else { 1 }`.
fn lost_by(expr: &Expr) -> Option<Token![;]> {
    match unparenthesized(expr) {
        Expr::If(conditional) => {
            let (_, otherwise) = conditional.else_branch.as_ref()?;
            lost_in(&conditional.then_branch).or_else(|| lost_by(otherwise))
        }
        Expr::Block(block) => lost_in(&block.block),
        Expr::Match(of) => of.arms.iter().find_map(|arm| lost_by(&arm.body)),
        _ => None,
    }
}

fn lost_in(block: &Block) -> Option<Token![;]> {
    match block.stmts.last()? {
        Stmt::Expr(value, Some(semicolon)) => {
            let is_value = match unparenthesized(value) {
                Expr::Lit(_) | Expr::Path(_) | Expr::Index(_) | Expr::Cast(_) => true,
                Expr::Binary(binary) => calculates(binary) || compares(binary),
                _ => false,
            };
            is_value.then_some(*semicolon)
        }
        Stmt::Expr(value, None) => lost_by(value),
        _ => None,
    }
}

/// `warp::reduce_add(x > 0.0)`: what is added is a `bool`.
pub(super) fn sum_of_bools(call: &ExprCall) -> Option<syn::Error> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let (module, name) = valid::last_two(&path.path)?;
    let of_lanes = valid::is_one_of(module, &["warp", "group"]);
    let name = name.to_string();
    let (way, operation) = name.split_once('_')?;
    let is_sum = ["reduce", "inclusive", "exclusive"].contains(&way)
        && ["add", "min", "max"].contains(&operation);
    let value = call.args.first()?;
    let words: [&dyn Display; 3] = [&valid::source(path), &valid::source(value), module];
    (of_lanes && is_sum && is_bool(value)).then(|| messages::SUM_OF_BOOLS.at(value, &words))
}

/// The type of a literal, if it says so itself.
pub(super) fn type_of_literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Bool(_) => Some("bool".to_owned()),
        Lit::Float(_) => Some("f32".to_owned()),
        Lit::Int(number) if !number.suffix().is_empty() => Some(number.suffix().to_owned()),
        _ => None,
    }
}

/// Whether an expression surely is a `bool`.
pub(super) fn is_bool(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)) && is_bool(&unary.expr),
        Expr::Binary(binary) => compares(binary),
        _ => false,
    }
}
