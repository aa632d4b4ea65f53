//! `x ^ 2` of a float, which is meant as a power.

use syn::{BinOp, Expr, ExprBinary, ExprLit, Lit};

use super::{Rewriter, unparenthesized};
use crate::valid;

impl Rewriter<'_> {
    /// What is meant by `a * x ^ 2 + b`, if that is a power, as of a float. Mathematics takes the power first, and Rust
    /// `^` last.
    pub(super) fn with_powers(&self, binary: &ExprBinary) -> Option<String> {
        let mut operands = Vec::new();
        let mut operators = Vec::new();
        in_their_order(&binary.left, &mut operands, &mut operators);
        operators.push(binary.op);
        in_their_order(&binary.right, &mut operands, &mut operators);
        let mut text = String::new();
        let mut at = 0;
        while let Some(operand) = operands.get(at) {
            let is_base = matches!(operators.get(at), Some(BinOp::BitXor(_)));
            match is_base {
                true => text += &self.power(operand, operands.get(at + 1)?)?,
                false => text += &valid::source(operand),
            }
            at += 1 + usize::from(is_base);
            if let Some(operator) = operators.get(at - 1) {
                text += &format!(" {} ", valid::source(operator));
            }
        }
        Some(text)
    }

    /// What is meant by `x ^ 2`, if that is a power, as of a float.
    fn power(&self, base: &Expr, exponent: &Expr) -> Option<String> {
        let is_float = self.float_of(base).is_some();
        let (base, text) = (valid::as_receiver(base), valid::source(exponent));
        Some(match unparenthesized(exponent) {
            Expr::Lit(ExprLit {
                lit: Lit::Float(literal),
                ..
            }) => match (literal.base10_digits().strip_suffix(".0"), is_float) {
                (Some(whole), true) => format!("{base}.powi({whole})"),
                (Some(whole), false) => format!("{base}.pow({whole})"),
                (None, true) => format!("{base}.powf({text})"),
                (None, false) => format!("({base} as f32).powf({text})"),
            },
            _ if !is_float => return None,
            exponent if self.float_of(exponent).is_some() => format!("{base}.powf({text})"),
            exponent if self.is_size(exponent) => {
                format!("{base}.powi({} as i32)", valid::as_receiver(exponent))
            }
            _ => format!("{base}.powi({text})"),
        })
    }
}

/// Operands and the operators between them, as they are written.
fn in_their_order<'e>(expr: &'e Expr, operands: &mut Vec<&'e Expr>, operators: &mut Vec<BinOp>) {
    match expr {
        Expr::Binary(binary) => {
            in_their_order(&binary.left, operands, operators);
            operators.push(binary.op);
            in_their_order(&binary.right, operands, operators);
        }
        expr => operands.push(expr),
    }
}
