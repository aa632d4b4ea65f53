//! Numbers where none can be, or no such numbers: divisors that are zero, literals whose arithmetic overflows, numbers
//! with an index, 16-bit floats, and what `num_traits` has for type parameters.

use std::fmt::Display;

use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprCast, ExprIndex, Lit, Type, UnOp};

use super::expr::literal_of;
use super::typed::calculates;
use super::{Rewriter, unparenthesized};
use crate::generics::Asked;
use crate::{messages, valid};

impl Rewriter<'_> {
    /// `n / 0` of an integer.
    pub(super) fn division_by_zero(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let is_division = matches!(
            binary.op,
            BinOp::Div(_) | BinOp::Rem(_) | BinOp::DivAssign(_) | BinOp::RemAssign(_)
        );
        let Some(Lit::Int(divisor)) = literal_of(unparenthesized(&binary.right)) else {
            return None;
        };
        let dividend = unparenthesized(&binary.left);
        let ty = self.type_of_operand(dividend);
        let is_integer = self.float_of(dividend).is_none()
            && (self.is_known_number(dividend) || ty.is_some_and(|ty| valid::is_scalar(&ty)));
        let is_wrong = is_division && divisor.base10_digits() == "0" && is_integer;
        is_wrong.then(|| messages::DIVISION_BY_ZERO.at(binary, &[]))
    }

    /// `x[i]` of a local that surely is a number.
    pub(super) fn index_of_number(&self, element: &ExprIndex) -> Option<syn::Error> {
        let base = unparenthesized(&element.expr);
        self.local(base).filter(|_| self.is_known_number(base))?;
        Some(messages::INDEX_NUMBER.at(base, &[&valid::source(base)]))
    }

    /// `x[0.5]`, and `x[u * 4.0]`.
    pub(super) fn float_as_index(&self, element: &ExprIndex) -> Option<syn::Error> {
        let ty = self.float_of(&element.index)?;
        let words: [&dyn Display; 3] = [
            &valid::as_receiver(&element.index),
            &ty,
            &valid::source(&element.expr),
        ];
        Some(messages::INDEX_TYPE.at(&element.index, &words))
    }

    /// `out[i] = 1.0` of 16-bit floats.
    pub(super) fn float_for_half(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let half = self.type_of_operand(target)?;
        let is_half = ["f16", "bf16"].contains(&half.as_str());
        let is_float = is_half && self.float_of(value)? == "f32";
        let words: [&dyn Display; 2] = [&valid::source(value), &half];
        is_float.then(|| messages::FLOAT_FOR_HALF.at(value, &words))
    }

    /// `T::zero()` and `T::one()`, which a type parameter has by a trait of `num_traits`.
    pub(super) fn number_by_name(&self, call: &ExprCall) -> Option<syn::Error> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let (of, function) = valid::last_two(&path.path)?;
        let mut parameters = self.kernel.parameters.iter();
        let of_number = parameters.find(|parameter| parameter.name == *of)?;
        let (instead, bound) = match function.to_string().as_str() {
            "zero" => (format!("{of}::default()"), "Num + Default"),
            "one" => (format!("{of}::from(1u8)"), "Num + From<u8>"),
            _ => return None,
        };
        let words: [&dyn Display; 4] = [of, function, &instead, &bound];
        let is_missing = of_number.asked == Asked::Number && call.args.is_empty();
        is_missing.then(|| messages::NUMBER_BY_NAME.at(path, &words))
    }

    /// `i as T` of a type parameter.
    pub(super) fn cast_to_parameter(&self, cast: &ExprCast) -> Option<syn::Error> {
        let Type::Path(ty) = &*cast.ty else {
            return None;
        };
        let name = ty.path.get_ident()?;
        let mut parameters = self.kernel.parameters.iter();
        parameters.find(|parameter| parameter.name == *name)?;
        let value = unparenthesized(&cast.expr);
        let (made, from) = match self.type_of_operand(value) {
            Some(ty) if ["u8", "i8", "u16", "i16"].contains(&ty.as_str()) => {
                (valid::source(value), ty)
            }
            _ => (
                format!("{} as u16", valid::as_receiver(value)),
                "u16".to_owned(),
            ),
        };
        let words: [&dyn Display; 3] = [name, &made, &from];
        Some(messages::CAST_TO_PARAMETER.at(&cast.ty, &words))
    }
}

/// Whether an expression is made of integers that are written there, with a type: rustc then says whether it overflows.
pub(super) fn is_of_literals(binary: &ExprBinary) -> bool {
    if !calculates(binary) || !is_written(&binary.left) || !is_written(&binary.right) {
        return false;
    }
    let is_shift = matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_));
    has_a_type(&binary.left) || !is_shift && has_a_type(&binary.right)
}

fn is_written(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Binary(binary) => {
            calculates(binary) && is_written(&binary.left) && is_written(&binary.right)
        }
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_written(&unary.expr),
        expr => is_limit(expr),
    }
}

/// Whether what is written has a type by itself.
fn has_a_type(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Lit(literal) => {
            matches!(&literal.lit, Lit::Int(number) if !number.suffix().is_empty())
        }
        Expr::Binary(binary) => has_a_type(&binary.left) || has_a_type(&binary.right),
        Expr::Unary(unary) => has_a_type(&unary.expr),
        expr => is_limit(expr),
    }
}

/// `u32::MAX`, and not that of a `usize`, which has another size on the host.
fn is_limit(expr: &Expr) -> bool {
    let Expr::Path(path) = expr else {
        return false;
    };
    let Some((of, limit)) = valid::last_two(&path.path) else {
        return false;
    };
    let types = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];
    valid::is_one_of(of, &types) && valid::is_one_of(limit, &["MAX", "MIN", "BITS"])
}
