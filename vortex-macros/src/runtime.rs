//! Names of the runtime: generated code reaches it through one path.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Path;

/// Where generated code finds `__private`.
pub(crate) struct Runtime {
    krate: Option<Path>,
}

impl Runtime {
    /// `::vortex`, unless the user says otherwise.
    pub(crate) fn new(krate: Option<Path>) -> Self {
        Self { krate }
    }

    /// The path of an item of `__private`, located at `span`. A path given by the user keeps its
    /// own hygiene: it may come from another macro than the code does.
    pub(crate) fn item(&self, name: &str, span: Span) -> TokenStream {
        let names = name.split("::").map(|name| Ident::new(name, span));
        let root = self.root(span);
        quote_spanned!(span=> #root #(::#names)*)
    }

    /// The path of `__private` itself.
    pub(crate) fn root(&self, span: Span) -> TokenStream {
        match &self.krate {
            None => quote_spanned!(span=> ::vortex::__private),
            Some(path) => {
                let path: TokenStream = path
                    .to_token_stream()
                    .into_iter()
                    .map(|mut token: TokenTree| {
                        token.set_span(token.span().located_at(span));
                        token
                    })
                    .collect();
                quote_spanned!(span=> #path::__private)
            }
        }
    }
}
