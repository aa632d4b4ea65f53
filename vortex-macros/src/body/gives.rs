//! What functions of the user give, by their staged types.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{PathArguments, Type};

/// What a function results in, as far as `?` goes by it.
#[derive(Clone, Copy)]
pub(super) enum Gives {
    Option,
    Result,
    /// A closure that does not say what it is.
    Unsaid,
    Neither,
}

/// The types in an option or a result, as they are staged.
#[derive(Clone)]
pub(super) struct Held {
    value: TokenStream,
    error: Option<TokenStream>,
}

impl Held {
    /// By the staged type of the whole.
    pub(super) fn of(output: &TokenStream) -> Option<Self> {
        let Ok(Type::Path(path)) = syn::parse2(output.clone()) else {
            return None;
        };
        let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
            return None;
        };
        let mut types = arguments.args.iter().map(ToTokens::to_token_stream);
        Some(Self {
            value: types.next()?,
            error: types.next(),
        })
    }

    /// What this variant holds.
    pub(super) fn by(&self, variant: &str) -> Option<&TokenStream> {
        match variant {
            "Err" => self.error.as_ref(),
            _ => Some(&self.value),
        }
    }
}

impl Gives {
    /// By a staged type.
    pub(super) fn of(output: &TokenStream) -> Self {
        let is_name =
            |token: &TokenTree| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == '<');
        let name = output.clone().into_iter().take_while(is_name).last();
        match name {
            Some(TokenTree::Ident(name)) if name == "Opt" => Self::Option,
            Some(TokenTree::Ident(name)) if name == "Res" => Self::Result,
            _ => Self::Neither,
        }
    }
}
