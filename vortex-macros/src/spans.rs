//! Spans of the user's tokens.
//!
//! rustc takes the span of a call from its first token to its closing parenthesis, and only if
//! both have the same hygiene; hence these two helpers and not `Spanned::span`, which on stable
//! Rust is the first token only.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, TypeParam};

/// The span where `tokens` begin.
pub(crate) fn first(tokens: &impl ToTokens) -> Span {
    edge(
        tokens.to_token_stream(),
        |stream| stream.into_iter().next(),
        Group::span_open,
    )
}

/// The span where `tokens` end.
pub(crate) fn last(tokens: &impl ToTokens) -> Span {
    edge(
        tokens.to_token_stream(),
        |stream| stream.into_iter().last(),
        Group::span_close,
    )
}

/// Where a bound of ours on a type parameter stands: rustc proposes others next to the user's last one, if it can tell.
pub(crate) fn of_bound(param: &TypeParam) -> Span {
    let span = param.ident.span();
    match param.bounds.is_empty() {
        true => span,
        false => Span::mixed_site().located_at(span),
    }
}

/// The first tokens of an item, up to its name: enough to point at.
pub(crate) fn head(item: &Item) -> TokenStream {
    let tokens = item.to_token_stream().into_iter();
    let mut tokens =
        tokens.skip_while(|token| matches!(token, TokenTree::Punct(_) | TokenTree::Group(_)));
    let first = tokens.next().into_iter();
    first
        .chain(
            tokens
                .take_while(|token| matches!(token, TokenTree::Ident(_)))
                .take(1),
        )
        .collect()
}

fn edge(
    tokens: TokenStream,
    pick: impl Fn(TokenStream) -> Option<TokenTree> + Copy,
    delimiter: impl Fn(&Group) -> Span + Copy,
) -> Span {
    match pick(tokens) {
        // Invisible delimiters surround what a `macro_rules!` was given; the span is inside.
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            edge(group.stream(), pick, delimiter)
        }
        Some(TokenTree::Group(group)) => delimiter(&group),
        Some(token) => token.span(),
        None => Span::call_site(),
    }
}

/// Whether `after` stands in a later line than `before`; unknown outside of the compiler.
pub(crate) fn is_in_a_later_line(after: Span, before: Span) -> bool {
    proc_macro::is_available() && before.unwrap().line() < after.unwrap().line()
}

/// The same tokens, each as if it stood at `span`.
pub(crate) fn located_at(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |mut token: TokenTree| {
        token.set_span(token.span().located_at(span));
        token
    };
    tokens.into_iter().map(at).collect()
}

/// `inner` between delimiters that both have the given span.
pub(crate) fn delimited(delimiter: Delimiter, inner: TokenStream, span: Span) -> TokenStream {
    let mut group = Group::new(delimiter, inner);
    group.set_span(span);
    TokenTree::Group(group).into()
}

/// `(inner)`.
pub(crate) fn parens(inner: TokenStream, span: Span) -> TokenStream {
    delimited(Delimiter::Parenthesis, inner, span)
}

/// `[inner]`.
pub(crate) fn brackets(inner: TokenStream, span: Span) -> TokenStream {
    delimited(Delimiter::Bracket, inner, span)
}

/// `{ inner }`.
pub(crate) fn braces(inner: TokenStream, span: Span) -> TokenStream {
    delimited(Delimiter::Brace, inner, span)
}
