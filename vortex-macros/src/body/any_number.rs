//! Values of a type parameter that may be any number: literals are none, and functions of floats need another.

use std::fmt::Display;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, Lit, Pat, Type};

use super::expr::literal_of;
use super::iterator::{elements_of, is_name};
use super::scope::Declared;
use super::typed::{calculates, is_literal};
use super::{Rewriter, unparenthesized};
use crate::generics::{Asked, Parameter};
use crate::signature::ParamKind;
use crate::{messages, valid};

impl Rewriter<'_> {
    /// The type parameter for numbers that what is calculated is of.
    fn any_number(&self, expr: &Expr) -> Option<&Ident> {
        match unparenthesized(expr) {
            Expr::Binary(binary) if calculates(binary) => self
                .any_number(&binary.left)
                .or_else(|| self.any_number(&binary.right)),
            Expr::Unary(unary) => self.any_number(&unary.expr),
            operand => {
                let parameter = self.type_parameter_of(operand)?;
                (parameter.asked == Asked::Number).then_some(&parameter.name)
            }
        }
    }

    /// `(a + b) / 2` of what can be any number.
    pub(super) fn literal_of_any_number(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let (left, right) = (&*binary.left, &*binary.right);
        if matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_)) {
            return None;
        }
        self.literal_for_any_number(left, right)
    }

    /// `let best: T = 0.0;`.
    pub(super) fn literal_for_parameter(&self, ty: &Type, value: &Expr) -> Option<syn::Error> {
        let (literal, parameter) = (self.written(value)?, self.parameter(ty)?);
        Some(refused_literal(literal, &parameter.name))
    }

    /// `return 0.0` from a function that results in `Lane<T>`.
    pub(super) fn literal_for_output(
        &self,
        output: &TokenStream,
        value: &Expr,
    ) -> Option<syn::Error> {
        let names = output.clone().into_iter().filter_map(|token| match token {
            TokenTree::Ident(name) => Some(name),
            _ => None,
        });
        let of_lane: Vec<_> = names.skip_while(|name| name != "Lane").skip(1).collect();
        let [name] = &of_lane[..] else {
            return None;
        };
        let (literal, parameter) = (self.written(value)?, self.parameter_called(name)?);
        Some(refused_literal(literal, &parameter.name))
    }

    /// `x[i] = 0` of elements whose type no bound makes a number.
    pub(super) fn literal_of_any_type(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let (literal, parameter) = (self.written(value)?, self.type_parameter_of(target)?);
        let is_any = matches!(parameter.asked, Asked::Nothing | Asked::NoArithmetic);
        is_any.then(|| refused_literal(literal, &parameter.name))
    }

    /// `out[i] = 0.0` of elements of such a type, and `last = x[i]` where `last` begins as a literal.
    pub(super) fn literal_for_any_number(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let one_of_them = |literal, other| Some((self.written(literal)?, self.any_number(other)?));
        let (literal, parameter) =
            one_of_them(value, target).or_else(|| one_of_them(target, value))?;
        Some(refused_literal(literal, parameter))
    }

    /// `T::from(0)`, where nothing says of which type the `0` is.
    pub(super) fn made_of_literal(&self, call: &ExprCall) -> Option<syn::Error> {
        let (Expr::Path(path), Some(value)) = (&*call.func, call.args.first()) else {
            return None;
        };
        let (of, function) = valid::last_two(&path.path)?;
        let parameter = self.parameter_called(of)?;
        let literal = literal_of(unparenthesized(value))?;
        let has_suffix = match literal {
            Lit::Int(number) => !number.suffix().is_empty(),
            Lit::Float(number) => !number.suffix().is_empty(),
            _ => true,
        };
        let is_open = function == "from" && parameter.asked == Asked::Number && !has_suffix;
        is_open.then(|| refused_literal(value, &parameter.name))
    }

    /// The literal that an expression is, or that a local has as its first value and its type from.
    fn written<'e>(&'e self, expr: &'e Expr) -> Option<&'e Expr> {
        let is_number = |expr: &Expr| matches!(literal_of(expr), Some(Lit::Int(_) | Lit::Float(_)));
        let expr = unparenthesized(expr);
        if is_number(expr) {
            return Some(expr);
        }
        self.facts.literals.get(&self.local(expr)?.id)
    }

    /// Notes a local that is a literal, as it is declared next.
    pub(super) fn note_literal(&mut self, pat: &Pat, value: &Expr) {
        if matches!(pat, Pat::Ident(_)) && is_literal(value) {
            let literal = unparenthesized(value).clone();
            self.facts.literals.insert(self.scope.next_id(), literal);
        }
    }

    /// Notes a local of such a type, as it is declared next.
    pub(super) fn note_parameter(&mut self, pat: &Pat, ty: &Type) {
        if matches!(pat, Pat::Ident(_))
            && let Some(parameter) = self.parameter(ty)
        {
            let name = parameter.name.clone();
            self.facts.of_parameters.insert(self.scope.next_id(), name);
        }
    }

    /// Notes the variable of a loop over elements of such a type, as it is declared next.
    pub(super) fn note_element(&mut self, pat: &Pat, iterated: &Expr) {
        if is_name(pat)
            && let Some(parameter) = self.type_parameter(elements_of(iterated), true)
        {
            let name = parameter.name.clone();
            self.facts.of_parameters.insert(self.scope.next_id(), name);
        }
    }

    /// `(a + b).sqrt()` of what can be any number.
    pub(super) fn float_method_of_any(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let is_of_floats = valid::is_of_floats(&call.method);
        let parameter = self.any_number(&call.receiver).filter(|_| is_of_floats)?;
        let words: [&dyn Display; 2] = [&call.method, parameter];
        Some(messages::FLOAT_METHOD_OF_ANY.at(&call.method, &words))
    }

    /// The type parameter that an operand is of: a parameter of the kernel, or an element of one.
    pub(super) fn type_parameter_of(&self, operand: &Expr) -> Option<&Parameter> {
        match unparenthesized(operand) {
            Expr::Index(index) => self.type_parameter(&index.expr, true),
            operand => self.type_parameter(operand, false),
        }
    }

    fn type_parameter(&self, name: &Expr, is_element: bool) -> Option<&Parameter> {
        let local = self.local(name)?;
        if let Some(name) = self.facts.of_parameters.get(&local.id)
            && !is_element
        {
            return self.parameter_called(name);
        }
        let ty = match local.declared {
            Declared::Param(number) => match &self.kernel.params[number].kind {
                ParamKind::Slice { elem, .. } if is_element => elem,
                ParamKind::Scalar(ty) | ParamKind::Value(ty) if !is_element => ty,
                _ => return None,
            },
            Declared::Argument => {
                let mut typed = self.kernel.typed.iter();
                let (_, ty) = typed.find(|(name, _)| *name == local.name)?;
                match ty {
                    Type::Reference(reference) if is_element => match &*reference.elem {
                        Type::Slice(slice) => &slice.elem,
                        _ => return None,
                    },
                    ty if !is_element => ty,
                    _ => return None,
                }
            }
            _ => return None,
        };
        self.parameter(ty)
    }

    /// The type parameter that a type is.
    fn parameter(&self, ty: &Type) -> Option<&Parameter> {
        match ty {
            Type::Path(path) => self.parameter_called(path.path.get_ident()?),
            _ => None,
        }
    }

    fn parameter_called(&self, name: &Ident) -> Option<&Parameter> {
        let mut parameters = self.kernel.parameters.iter();
        parameters.find(|parameter| parameter.name == *name)
    }
}

/// What is said of a literal where a value of a type parameter is wanted.
fn refused_literal(literal: &Expr, parameter: &Ident) -> syn::Error {
    let number = valid::source(literal);
    let whole = number.strip_suffix(".0").unwrap_or(&number);
    let message = match whole.parse::<u8>() {
        Ok(0) => messages::ZERO_OF_ANY,
        Ok(_) => messages::LITERAL_OF_ANY,
        Err(_) => messages::LARGE_LITERAL_OF_ANY,
    };
    let words: [&dyn Display; 3] = [&number, parameter, &whole];
    message.at(literal, &words)
}
