//! Struct and array literals.
//!
//! rustc gets to see the user's literal, in a closure: what stands for the fields has their types, so that
//! names, completeness and privacy are checked as always.

use std::fmt::Display;

use proc_macro2::{Delimiter, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprArray, ExprBinary, ExprCall, ExprPath, ExprRepeat, ExprStruct, Lit, Member};

use super::expr::literal_of;
use super::scope::Declared;
use super::typed::{compares, is_literal};
use super::{Rewriter, unparenthesized};
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// `P { a: x, ..base }`.
    pub(super) fn struct_literal(&mut self, literal: &ExprStruct) -> TokenStream {
        let fields: Vec<_> = literal
            .fields
            .iter()
            .map(|field| {
                let value = self.field(&member_name(&field.member), &field.expr);
                let member = &field.member;
                let span = spans::first(member);
                quote_spanned!(span=> #member: #value)
            })
            .collect();
        let rest = literal.rest.as_ref().map(|rest| {
            let value = self.argument(rest);
            let span = spans::first(&**rest);
            let value = self.call(
                "rest",
                span,
                quote_spanned!(span=> || #value),
                spans::last(&**rest),
            );
            let dots = literal.dot2_token;
            quote!(#dots #value)
        });
        let path = &literal.path;
        let fields = spans::braces(quote!(#(#fields,)* #rest), literal.brace_token.span.join());
        self.literal_of(
            quote!(#path #fields),
            spans::first(path),
            literal.brace_token.span.close(),
        )
    }

    /// `P(x, y)`.
    pub(super) fn tuple_struct(&mut self, call: &ExprCall, constructor: &ExprPath) -> TokenStream {
        let fields: Vec<_> = call
            .args
            .iter()
            .enumerate()
            .map(|(index, value)| self.field(&index.to_string(), value))
            .collect();
        let fields = spans::parens(quote!(#(#fields),*), call.paren_token.span.join());
        self.literal_of(
            quote!(#constructor #fields),
            spans::first(constructor),
            call.paren_token.span.close(),
        )
    }

    /// `[x, y]`.
    pub(super) fn array(&mut self, array: &ExprArray) -> TokenStream {
        if let Some(tuple) = array.elems.iter().find(|elem| valid::is_tuple(elem)) {
            return self.complain(messages::ARRAY_OF_TUPLES.at(tuple, &[]));
        }
        if let Some(option) = array.elems.iter().find(|elem| self.is_optional(elem)) {
            return self.complain(messages::ARRAY_OF_OPTIONS.at(option, &[]));
        }
        if let Some(error) = self.function_in_array(array) {
            return self.complain(error);
        }
        if let Some(error) = integer_among_floats(array) {
            return self.complain(error);
        }
        let span = array.bracket_token.span;
        // What the first is the others are, if it is known.
        let first = array.elems.first();
        let is_known = first.is_some_and(|first| self.is_value(first) && !is_literal(first));
        let elements: Vec<_> = (array.elems.iter().enumerate())
            .map(|(index, elem)| {
                let value = self.argument(elem);
                match is_known && index > 0 {
                    true => self.wanted_value(elem, value),
                    false => value,
                }
            })
            .collect();
        let elements = spans::delimited(Delimiter::Bracket, quote!(#(#elements),*), span.join());
        self.call("array", span.open(), elements, span.close())
    }

    /// `[f32::sin, f32::cos]`.
    fn function_in_array(&self, array: &ExprArray) -> Option<syn::Error> {
        let (function, called) = array.elems.iter().find_map(|elem| {
            let Expr::Path(path) = unparenthesized(elem) else {
                return None;
            };
            let called = match valid::method_of_number(path) {
                Some((_, method)) => format!("x.{method}()"),
                None => format!("{}(x)", valid::source(path)),
            };
            let is_one = self.local(elem).is_none() && valid::may_be_a_function(path);
            is_one.then_some((path, called))
        })?;
        let words: [&dyn Display; 2] = [&valid::source(function), &called];
        Some(messages::ARRAY_OF_FUNCTIONS.at(function, &words))
    }

    /// `[x; N]`.
    pub(super) fn repeated(&mut self, array: &ExprRepeat) -> TokenStream {
        if let Some(local) = self.local(&array.len) {
            let message = match local.declared {
                Declared::Comptime => messages::ARRAY_OF_KNOWN_LENGTH,
                _ => messages::ARRAY_LENGTH,
            };
            return self.complain(message.at(&array.len, &[&local.name]));
        }
        if valid::is_tuple(&array.expr) {
            return self.complain(messages::ARRAY_OF_TUPLES.at(&array.expr, &[]));
        }
        if self.is_optional(&array.expr) {
            return self.complain(messages::ARRAY_OF_OPTIONS.at(&array.expr, &[]));
        }
        let span = array.bracket_token.span;
        let element = self.argument(&array.expr);
        let len = spans::braces(array.len.to_token_stream(), spans::first(&*array.len));
        let function = self.v.item("repeat", span.open());
        let arguments = spans::parens(quote_spanned!(span.open()=> || #element), span.close());
        quote_spanned!(span.open()=> #function::<_, #len> #arguments)
    }

    /// `x[i] == b"a"` of bytes.
    pub(super) fn bytes_for_byte(&self, binary: &ExprBinary) -> Option<syn::Error> {
        let (left, right) = (
            unparenthesized(&binary.left),
            unparenthesized(&binary.right),
        );
        let (value, bytes) = match (literal_of(left), literal_of(right)) {
            (Some(Lit::ByteStr(bytes)), _) => (right, bytes),
            (_, Some(Lit::ByteStr(bytes))) => (left, bytes),
            _ => return None,
        };
        let is_byte = self.type_of_operand(value).is_some_and(|ty| ty == "u8");
        let instead = match &bytes.value()[..] {
            [byte] => format!("b'{}'", byte.escape_ascii()),
            _ => match value {
                Expr::Index(element) => {
                    let (slice, index) =
                        (valid::source(&element.expr), valid::source(&element.index));
                    format!("{slice}[{index}..].starts_with({})", valid::source(bytes))
                }
                _ => return None,
            },
        };
        let words: [&dyn Display; 3] = [&valid::source(bytes), &valid::source(value), &instead];
        (is_byte && compares(binary)).then(|| messages::BYTES_FOR_BYTE.at(bytes, &words))
    }

    /// `v[i] = (1.0, 2.0)`: no element is a tuple.
    pub(super) fn tuple_for_element(&self, target: &Expr, value: &Expr) -> Option<syn::Error> {
        let Expr::Tuple(tuple) = unparenthesized(value) else {
            return None;
        };
        let ty = self.type_of_operand(target)?;
        let parts = valid::source(&tuple.elems);
        let instead = match ty.split_once('<') {
            Some((vector @ ("Vec2" | "Vec3" | "Vec4"), _)) => {
                format!("`{}({parts})`", vector.to_lowercase())
            }
            _ if valid::is_scalar(&ty) => "one of its parts".to_owned(),
            _ => format!("`{ty} {{ .. }}`, with a name before each of them"),
        };
        let words: [&dyn Display; 3] = [&valid::source(target), &ty, &instead];
        Some(messages::TUPLE_FOR_ELEMENT.at(tuple, &words))
    }

    fn field(&mut self, name: &str, value: &Expr) -> TokenStream {
        if self.is_whole(unparenthesized(value)) {
            return self.complain(messages::SLICE_IN_STRUCT.at(value, &[&valid::source(value)]));
        }
        let (first, last) = (spans::first(value), spans::last(value));
        let staged = self.argument(value);
        let (function, arguments) = match valid::is_tuple(value) {
            true => ("tuple_field", quote_spanned!(first=> || #staged)),
            false => ("field", quote_spanned!(first=> #name, || #staged)),
        };
        self.call(function, first, arguments, last)
    }

    fn literal_of(&self, literal: TokenStream, first: Span, last: Span) -> TokenStream {
        self.call("literal", first, quote_spanned!(first=> || #literal), last)
    }
}

/// `[0.5, 1]`: literals of both kinds.
fn integer_among_floats(array: &ExprArray) -> Option<syn::Error> {
    let is_float = |elem: &Expr| matches!(literal_of(elem), Some(Lit::Float(_)));
    let is_integer = |elem: &Expr| matches!(literal_of(elem), Some(Lit::Int(number)) if number.suffix().is_empty());
    if !array.elems.iter().any(is_float) {
        return None;
    }
    let integer = array.elems.iter().find(|elem| is_integer(elem))?;
    Some(messages::INTEGER_AMONG_FLOATS.at(integer, &[&valid::source(integer)]))
}

fn member_name(member: &Member) -> String {
    match member {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
