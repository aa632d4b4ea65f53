//! Calls with too many or too few arguments, and of what is no function, as far as that is known here: rustc would name
//! the types of the missing ones, which are not the user's.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Expr, ExprCall, ExprClosure, ExprMethodCall, GenericArgument, Lit, Pat, PathArguments, Type,
};

use super::expr::literal_of;
use super::local_facts::{Closure, Typed};
use super::misfit::names_of_parts;
use super::scope::Declared;
use super::typed::type_of_literal;
use super::{Rewriter, unparenthesized};
use crate::signature::ParamKind;
use crate::{messages, valid};

impl Rewriter<'_> {
    /// `sum::<n>(x)` of a local.
    pub(super) fn value_for_constant(&self, call: &ExprCall) -> Option<syn::Error> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let PathArguments::AngleBracketed(generics) = &path.path.segments.last()?.arguments else {
            return None;
        };
        generics.args.iter().find_map(|argument| {
            let GenericArgument::Type(Type::Path(ty)) = argument else {
                return None;
            };
            let name = ty.path.get_ident()?;
            // Types have names of their own.
            let local = (self.scope.find(name)).filter(|_| !valid::is_scalar(&name.to_string()))?;
            Some(messages::CONST_ARGUMENT.at(name, &[&local.name]))
        })
    }

    /// Notes a local that is a closure, as it is declared next: what its parameters are declared as.
    pub(super) fn note_closure(&mut self, pat: &Pat, closure: &ExprClosure) {
        if let Pat::Ident(_) = pat {
            let typed = closure.inputs.iter();
            let typed = typed.map(|input| match input {
                Pat::Type(typed) => match &*typed.ty {
                    Type::Path(_) => Typed::Value,
                    Type::Reference(reference) if matches!(*reference.elem, Type::Slice(_)) => {
                        Typed::Slice
                    }
                    _ => Typed::Otherwise,
                },
                Pat::Ident(_) => Typed::Open,
                _ => Typed::Otherwise,
            });
            let parameters = closure.inputs.iter().map(|input| match input {
                Pat::Type(typed) => {
                    format!(
                        "{}: {}",
                        valid::source(&typed.pat),
                        valid::source(&typed.ty)
                    )
                }
                input => valid::source(input),
            });
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            let closure = Closure {
                typed: typed.collect(),
                parameters,
            };
            self.facts.closures.insert(self.scope.next_id(), closure);
        }
    }

    /// What is wrong with the number of arguments of a call.
    pub(super) fn count_of_call(&self, call: &ExprCall) -> Option<syn::Error> {
        let Some(local) = self.local(&call.func) else {
            // As in other languages. A function of the user's by such a name takes something else.
            if let Some(takes) = valid::components(&call.func)
                && takes != call.args.len()
                && call.args.iter().any(is_of_a_vector)
                && !self.is_ones_own(call)
            {
                let name = valid::source(&call.func);
                if let (1, Some(value)) = (call.args.len(), call.args.first()) {
                    let ty = name.replacen('v', "V", 1);
                    let words: [&dyn Display; 4] = [&name, &takes, &ty, &valid::source(value)];
                    return Some(messages::ONE_COMPONENT.at(call, &words));
                }
                let given = call.args.len();
                if let Some(instead) = components_written(call, takes) {
                    let words: [&dyn Display; 4] = [&name, &takes, &given, &instead];
                    return Some(messages::COMPONENTS.at(call, &words));
                }
                return Some(wrong_count((&name, &""), takes, given, call));
            }
            if let (Some(ty), false) = (array_for_local_memory(call), self.is_ones_own(call)) {
                return Some(messages::LOCAL_OF_VALUE.at(&call.args, &[&ty]));
            }
            let is_number = |first: &&Expr| matches!(first, Expr::Lit(_)) && call.args.len() == 1;
            let dimension = call.args.first().filter(is_number)?;
            if self.is_ones_own(call) {
                return None;
            }
            let function = valid::source(&call.func);
            if valid::gives_numbers(&call.func) {
                let words: [&dyn Display; 2] = [&function, &names_of_parts(&function)];
                return Some(messages::NO_ARGUMENT_OF_ALL.at(dimension, &words));
            }
            let is_first = valid::has_more_dimensions(&call.func);
            return is_first.then(|| messages::NO_ARGUMENT.at(dimension, &[&function]));
        };
        let closure = self.facts.closures.get(&local.id)?;
        let (takes, declared) = (closure.typed.len(), format!(", `|{}|`", closure.parameters));
        let is_wrong = takes != call.args.len();
        is_wrong.then(|| wrong_count((&local.name, &declared), takes, call.args.len(), call))
    }

    /// An argument of a closure whose parameter has a type.
    pub(super) fn passed_to_closure(
        &mut self,
        call: &ExprCall,
        index: usize,
        value: TokenStream,
    ) -> TokenStream {
        let argument = &call.args[index];
        match self.parameter_of_closure(call, index) {
            Some(Typed::Value) => self.wanted_value(argument, value),
            Some(Typed::Known) if self.is_value(argument) => self.wanted_value(argument, value),
            Some(Typed::Open) if self.is_value(argument) => {
                self.parameter_is_known(call, index);
                value
            }
            _ => value,
        }
    }

    fn parameter_is_known(&mut self, call: &ExprCall, index: usize) {
        let closure = self.local(&call.func).map(|local| local.id);
        let closure = closure.and_then(|id| self.facts.closures.get_mut(&id));
        if let Some(typed) = closure.and_then(|closure| closure.typed.get_mut(index)) {
            *typed = Typed::Known;
        }
    }

    /// Whether a call is one of a closure whose parameter is a slice.
    pub(super) fn takes_a_slice(&self, call: &ExprCall, index: usize) -> bool {
        self.parameter_of_closure(call, index) == Some(Typed::Slice)
    }

    fn parameter_of_closure(&self, call: &ExprCall, index: usize) -> Option<Typed> {
        let local = self.local(&call.func)?;
        let closure = self.facts.closures.get(&local.id)?;
        closure.typed.get(index).copied()
    }

    /// What is wrong with the number of arguments of a method of an iterator.
    pub(super) fn count_of_iterator(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        valid::arguments_of_an_iterator(call, self.zero_of_items(&call.receiver))
    }

    /// What is wrong with the number of arguments of a method of a tensor or a slice.
    pub(super) fn count_of_method(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let given = call.args.len();
        let miscounted = |takes: usize| {
            let is_wrong = takes != given;
            is_wrong.then(|| wrong_count((&call.method, &""), takes, given, &call.method))
        };
        if self.is_number(&call.receiver)
            && let Some(takes) = valid::arguments_of_a_number(&call.method)
            && let Some(error) = miscounted(takes)
        {
            return Some(error);
        }
        if self.is_optional(&call.receiver)
            && let Some(takes) = valid::arguments_of_an_option(&call.method)
            && let Some(error) = miscounted(takes)
        {
            return Some(error);
        }
        let Declared::Param(index) = self.local(&call.receiver)?.declared else {
            return None;
        };
        if let ParamKind::Slice { .. } = &self.kernel.params[index].kind {
            return miscounted(valid::arguments_of_a_slice(&call.method)?);
        }
        if let ParamKind::Texture { texel, axes, .. } = &self.kernel.params[index].kind {
            return of_texture(call, texel, &axes.to_string());
        }
        let ParamKind::Tensor { .. } = &self.kernel.params[index].kind else {
            return None;
        };
        let (takes, words) = match call.method.to_string().as_str() {
            "read" => (2, "row, col"),
            "write" => (3, "row, col, value"),
            _ => return None,
        };
        let words: [&dyn Display; 2] = [&call.method, &words];
        (call.args.len() != takes).then(|| messages::TENSOR_ARGUMENTS.at(&call.method, &words))
    }
}

/// `image.read(x)`, and `image.depth()` of two axes.
fn of_texture(call: &ExprMethodCall, texel: &Type, axes: &str) -> Option<syn::Error> {
    let image = valid::source(&call.receiver);
    let (number, read, sampled) = match axes {
        "2" => ("two", "x, y", "u, v"),
        "3" => ("three", "x, y, z", "u, v, w"),
        _ => return None,
    };
    let (takes, words) = match call.method.to_string().as_str() {
        "depth" if axes == "2" => {
            let words: [&dyn Display; 2] = [&image, &valid::source(texel)];
            return Some(messages::TEXTURE_DEPTH.at(&call.method, &words));
        }
        "read" => (0, read.to_owned()),
        "sample" => (0, sampled.to_owned()),
        "write" => (1, format!("{read}, texel")),
        _ => return None,
    };
    let takes = takes + read.split(", ").count();
    let words: [&dyn Display; 4] = [&image, &number, &call.method, &words];
    (call.args.len() != takes).then(|| messages::TEXTURE_ARGUMENTS.at(&call.method, &words))
}

/// `vec4(v.x, v.y, 0.0, 1.0)` for `vec4(v, 0.0, 1.0)`.
fn components_written(call: &ExprCall, takes: usize) -> Option<String> {
    let missing = takes.checked_sub(call.args.len())?;
    let letters = ["x", "y", "z"].get(..=missing)?;
    let mut names = (call.args.iter()).filter(|argument| matches!(argument, Expr::Path(_)));
    let (Some(name), None) = (names.next(), names.next()) else {
        return None;
    };
    let arguments = call.args.iter().map(|argument| match argument {
        _ if argument == name => {
            let name = valid::source(name);
            let parts = letters.iter().map(|letter| format!("{name}.{letter}"));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => valid::source(other),
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    Some(format!("{}({arguments})", valid::source(&call.func)))
}

/// What only a vector is made of: a literal with a point, and some components of another vector.
fn is_of_a_vector(argument: &Expr) -> bool {
    match unparenthesized(argument) {
        Expr::Lit(lit) => matches!(lit.lit, Lit::Float(_)),
        Expr::MethodCall(call) => valid::is_swizzle(&call.method),
        Expr::Binary(binary) => is_of_a_vector(&binary.left) || is_of_a_vector(&binary.right),
        Expr::Unary(unary) => is_of_a_vector(&unary.expr),
        _ => false,
    }
}

fn wrong_count(
    (name, declared): (&dyn Display, &dyn Display),
    takes: usize,
    given: usize,
    at: impl ToTokens,
) -> syn::Error {
    let number = |n| match n {
        0 => "no argument".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let given = match given {
        0 => "none is".to_owned(),
        1 => "1 is".to_owned(),
        n => format!("{n} are"),
    };
    let words: [&dyn Display; 4] = [name, &number(takes), &given, declared];
    messages::WRONG_COUNT.at(at, &words)
}

/// What the `[0.0f32; 64]` of `local([0.0f32; 64])` is.
fn array_for_local_memory(call: &ExprCall) -> Option<String> {
    let is_local = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("local"));
    let Some(Expr::Repeat(array)) = call.args.first().filter(|_| is_local) else {
        return None;
    };
    let elem = match literal_of(&array.expr) {
        Some(literal @ Lit::Int(_)) => type_of_literal(literal).unwrap_or("i32".to_owned()),
        literal => (literal.and_then(type_of_literal)).unwrap_or("f32".to_owned()),
    };
    Some(format!("[{elem}; {}]", valid::source(&array.len)))
}
