//! Attributes and derives by names that they are often given. rustc would say that there is none, and then tell of each
//! use of what the attribute makes.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::{messages, spans};

/// The complaint about an attribute, and what the one that is meant makes of the item.
pub(crate) fn attribute(
    written: &str,
    meant: &str,
    item: &TokenStream,
    expanded: &TokenStream,
) -> TokenStream {
    let error = messages::MISSPELT_ATTRIBUTE.at_span(place(item), &[&written, &meant]);
    let error = error.into_compile_error();
    quote!(#error #expanded)
}

/// The same of a derive.
pub(crate) fn derive(written: &str, item: &TokenStream, expanded: &TokenStream) -> TokenStream {
    let error = messages::MISSPELT_DERIVE.at_span(place(item), &[&written]);
    let error = error.into_compile_error();
    quote!(#error #expanded)
}

/// Where the attribute stands, as something that the user wrote: else rustc tells of the macro, too.
fn place(item: &TokenStream) -> Span {
    spans::first(item).located_at(Span::call_site())
}
