//! The values of attributes, as written.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse::ParseStream;
use syn::{
    Expr, ExprArray, ExprLit, ExprUnary, Lit, LitBool, LitStr, Token, Type, UnOp, parenthesized,
};

use super::table::{Declared, Takes};
use crate::messages;
use crate::runtime::Runtime;
use crate::spans;

/// What `checks` is given for no bounds checks.
const UNCHECKED: &str = "none";

/// An attribute that was given.
pub(crate) struct Given {
    pub(crate) name: Ident,
    pub(crate) value: Value,
}

/// What it was given. Numbers are expressions: constants may have names.
pub(crate) enum Value {
    Size {
        all: Expr,
        axes: Vec<Expr>,
    },
    Number(Expr),
    Flag(LitBool),
    Type(Type),
    /// `"full"` or `"none"`.
    Checks(LitStr),
    /// All that there is: `checks`.
    Denied(Ident),
    Integers(ExprArray),
}

impl Given {
    /// Reads what follows the name.
    pub(crate) fn parse(
        name: Ident,
        declared: &Declared,
        input: ParseStream<'_>,
    ) -> syn::Result<Self> {
        let value = if declared.takes == Takes::Denied {
            Value::denied(&name, declared, input)?
        } else if input.peek(Token![=]) {
            let equals: Token![=] = input.parse()?;
            if input.is_empty() || input.peek(Token![,]) {
                return Err(messages::ATTRIBUTE_VALUE.at(equals, &[&name, &declared.example]));
            }
            Value::parse(&name, declared, input)?
        } else if declared.takes == Takes::Flag {
            Value::Flag(LitBool::new(true, name.span()))
        } else {
            return Err(messages::ATTRIBUTE_VALUE.at(&name, &[&name, &declared.example]));
        };
        Ok(Self { name, value })
    }

    /// `name: Some(value)`, in a struct of constants.
    pub(crate) fn field(&self, v: &Runtime) -> TokenStream {
        let span = Span::mixed_site();
        let name = &self.name;
        let v = v.root(span);
        let value = match &self.value {
            Value::Size { axes, .. } => quote_spanned!(span=> #v::size([#(#axes),*])),
            Value::Number(number) => number.to_token_stream(),
            Value::Flag(flag) => flag.to_token_stream(),
            Value::Type(ty) => {
                let span = spans::first(ty);
                quote_spanned!(span=> <#ty as #v::Hinted>::HINT)
            }
            Value::Checks(text) if text.value() == UNCHECKED => {
                quote_spanned!(span=> #v::Checks::None)
            }
            Value::Checks(_) => quote_spanned!(span=> #v::Checks::Full),
            Value::Denied(_) => quote_spanned!(span=> #v::Denied::Checks),
            Value::Integers(list) => quote_spanned!(span=> #v::Integers::of(&#list)),
        };
        quote_spanned!(span=> #name: ::core::option::Option::Some(#value))
    }
}

impl Value {
    /// `(checks)`.
    fn denied(name: &Ident, declared: &Declared, input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            return Err(messages::ATTRIBUTE_VALUE.at(name, &[name, &declared.example]));
        }
        let inner;
        parenthesized!(inner in input);
        let rest: TokenStream = inner.parse()?;
        match syn::parse2::<Ident>(rest.clone()) {
            Ok(denied) if denied == "checks" => Ok(Self::Denied(denied)),
            _ if rest.is_empty() => {
                Err(messages::ATTRIBUTE_VALUE.at(name, &[name, &declared.example]))
            }
            _ => Err(messages::ATTRIBUTE_TYPE.at(&rest, &[name, &declared.example])),
        }
    }

    fn parse(name: &Ident, declared: &Declared, input: ParseStream<'_>) -> syn::Result<Self> {
        let wrong =
            |tokens: &dyn ToTokens| messages::ATTRIBUTE_TYPE.at(tokens, &[name, &declared.example]);
        match declared.takes {
            Takes::Size => {
                let all: Expr = input.parse()?;
                let axes: Vec<_> = match &all {
                    Expr::Tuple(tuple) => tuple.elems.iter().cloned().collect(),
                    other => vec![other.clone()],
                };
                if axes.is_empty() || axes.len() > 3 || axes.iter().any(is_no_number) {
                    return Err(wrong(&all));
                }
                Ok(Self::Size { all, axes })
            }
            Takes::Number => {
                let number: Expr = input.parse()?;
                if is_no_number(&number) {
                    return Err(wrong(&number));
                }
                Ok(Self::Number(number))
            }
            Takes::Flag => {
                let flag: Expr = input.parse()?;
                match &flag {
                    Expr::Lit(ExprLit {
                        lit: Lit::Bool(flag),
                        ..
                    }) => Ok(Self::Flag(flag.clone())),
                    _ => Err(wrong(&flag)),
                }
            }
            Takes::Type => {
                let text = input.peek(syn::Lit);
                if text {
                    let literal: Lit = input.parse()?;
                    return Err(wrong(&literal));
                }
                Ok(Self::Type(input.parse()?))
            }
            Takes::Checks => {
                let value: Expr = input.parse()?;
                match &value {
                    Expr::Lit(ExprLit {
                        lit: Lit::Str(text),
                        ..
                    }) if [UNCHECKED, "full"].contains(&&*text.value()) => {
                        Ok(Self::Checks(text.clone()))
                    }
                    _ => Err(wrong(&value)),
                }
            }
            // Read before, as no `=` comes before it.
            Takes::Denied => Err(wrong(name)),
            Takes::Integers => match input.parse()? {
                Expr::Array(list) if !list.elems.iter().any(is_no_signed_number) => {
                    Ok(Self::Integers(list))
                }
                other => Err(wrong(&other)),
            },
        }
    }

    /// The numbers of a size, 1 in the axes that are not given, as far as they are literals.
    pub(crate) fn literal_size(&self) -> Option<[u64; 3]> {
        let Self::Size { axes, .. } = self else {
            return None;
        };
        let mut size = [1; 3];
        for (place, axis) in size.iter_mut().zip(axes) {
            *place = literal(axis)?;
        }
        Some(size)
    }

    /// The numbers of a list.
    pub(crate) fn listed(&self) -> Option<usize> {
        match self {
            Self::Integers(list) => Some(list.elems.len()),
            _ => None,
        }
    }

    /// Whether it is what `checks` is given for no bounds checks.
    pub(crate) fn is_unchecked(&self) -> bool {
        matches!(self, Self::Checks(text) if text.value() == UNCHECKED)
    }

    /// A number, if it is a literal.
    pub(crate) fn literal_number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => literal(number),
            _ => None,
        }
    }
}

impl ToTokens for Value {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Size { all: value, .. } | Self::Number(value) => value.to_tokens(tokens),
            Self::Flag(flag) => flag.to_tokens(tokens),
            Self::Type(ty) => ty.to_tokens(tokens),
            Self::Checks(text) => text.to_tokens(tokens),
            Self::Denied(name) => name.to_tokens(tokens),
            Self::Integers(list) => list.to_tokens(tokens),
        }
    }
}

/// Whether an expression certainly is no number; names and arithmetic may be.
pub(crate) fn is_no_number(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => !matches!(literal.lit, Lit::Int(_)),
        Expr::Group(group) => is_no_number(&group.expr),
        Expr::Paren(paren) => is_no_number(&paren.expr),
        Expr::Path(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Block(_) | Expr::Const(_) => false,
        Expr::Call(_) | Expr::Field(_) | Expr::Index(_) | Expr::MethodCall(_) => false,
        _ => true,
    }
}

/// The same where numbers may be below 0.
fn is_no_signed_number(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => is_no_number(expr),
        other => is_no_number(other),
    }
}

/// The number that an expression is, if it is a literal.
pub(crate) fn literal(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => number.base10_parse().ok(),
        Expr::Group(group) => literal(&group.expr),
        Expr::Paren(paren) => literal(&paren.expr),
        _ => None,
    }
}
