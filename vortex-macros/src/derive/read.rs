//! A type as its tokens have it, also one that is only half typed: rustc has parsed it before, and reports that.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{DeriveInput, Field, Token, Variant};

/// What can be read of a type.
pub(super) struct Read {
    pub(super) input: DeriveInput,
    /// Whether that is all of it, as rustc has it, too.
    pub(super) is_whole: bool,
}

impl Read {
    pub(super) fn of(item: TokenStream) -> syn::Result<Self> {
        match syn::parse2(item.clone()) {
            Ok(input) => Ok(Self {
                input,
                is_whole: true,
            }),
            Err(_) => Self::in_parts(item),
        }
    }

    fn in_parts(item: TokenStream) -> syn::Result<Self> {
        let mut tokens: Vec<TokenTree> = item.into_iter().collect();
        let is_enum = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if name == "enum");
        let is_enum = tokens.iter().any(is_enum);
        let mut is_whole = true;
        if let Some(TokenTree::Group(body)) = tokens.iter_mut().rev().find(is_body) {
            let (delimiter, span) = (body.delimiter(), body.span());
            let parts = |input: ParseStream<'_>| match delimiter {
                _ if is_enum => parts(input, Variant::parse),
                Delimiter::Brace => parts(input, Field::parse_named),
                _ => parts(input, Field::parse_unnamed),
            };
            let (read, ends) = parts.parse2(body.stream())?;
            *body = Group::new(delimiter, read);
            body.set_span(span);
            is_whole = ends;
        }
        let input = syn::parse2(tokens.into_iter().collect())?;
        Ok(Self { input, is_whole })
    }

    /// A statement that is in error without a word of rustc's: it says nothing of fields of a struct that it could not
    /// read.
    pub(super) fn error(&self) -> TokenStream {
        let name = &self.input.ident;
        quote_spanned!(Span::mixed_site()=> let _ = #name { __this_could_not_be_read: () };)
    }
}

/// Whether these are the braces around fields or variants, or the parentheses.
fn is_body(token: &&mut TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() != Delimiter::Bracket)
}

/// What can be read in front of the first part that cannot be, where rustc stops, too, and whether there is none. What
/// stands between the parts is no comma where rustc has complained of that.
fn parts<T: ToTokens>(
    input: ParseStream<'_>,
    part: impl Fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<(TokenStream, bool)> {
    let mut read = TokenStream::new();
    while !input.is_empty() {
        input.parse::<Option<Token![let]>>()?;
        let ahead = input.fork();
        let Ok(part) = part(&ahead) else {
            input.parse::<TokenStream>()?;
            return Ok((read, false));
        };
        input.advance_to(&ahead);
        read.extend(quote!(#part,));
        if input.parse::<Option<Token![,]>>()?.is_none() {
            input.parse::<Option<Token![;]>>()?;
        }
    }
    Ok((read, true))
}
