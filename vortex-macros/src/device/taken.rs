//! What stands in for a method that has a name of the language's, so that no call of it is a second mistake.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ItemImpl;

use super::key::Key;
use super::signature::Signature;
use crate::runtime::Runtime;
use crate::signature::Kernel;

/// Such a method.
pub(super) struct Taken {
    name: Ident,
    arguments: usize,
    /// What it gives; of one with parameters of its own that is not known here.
    output: Option<TokenStream>,
}

impl Taken {
    /// Of this method.
    pub(super) fn of(signature: &Signature, frame: &Kernel, v: &Runtime) -> Self {
        let is_known = signature.generics.params.is_empty() && !signature.output_is_refused;
        let output = signature.output.clone();
        let output = output.unwrap_or_else(|| v.item("Nothing", Span::mixed_site()));
        Self {
            name: frame.name.clone(),
            arguments: signature.inputs.len(),
            output: is_known.then_some(output),
        }
    }

    /// A method of values of the block's type, by a trait that is found in the same module.
    pub(super) fn tokens(&self, key: &Key, block: &ItemImpl, v: &Runtime) -> TokenStream {
        let Some(output) = &self.output else {
            return TokenStream::new();
        };
        let span = Span::mixed_site();
        let (name, output) = (&self.name, key.elsewhere(output.clone()));
        let this = &block.self_ty;
        let words = this.to_token_stream().to_string();
        let words: String = words.chars().filter(|c| c.is_alphanumeric()).collect();
        let trait_ = format_ident!("Taken_{}_{}", words, name, span = span);
        let params: Vec<_> = (0..self.arguments)
            .map(|index| format_ident!("_argument{}", index, span = span))
            .collect();
        let (declared, _, clause) = block.generics.split_for_impl();
        let [lane, place, mutable] = ["Lane", "Place", "Mutable"].map(|name| v.item(name, span));
        let values = [
            quote_spanned!(span=> #lane<#this>),
            quote_spanned!(span=> #place<#this>),
            quote_spanned!(span=> #mutable<#lane<#this>>),
        ];
        let found = values.iter().map(|value| {
            quote_spanned! {span=>
                impl #declared #trait_ for #value #clause {
                    type Output = #output;

                    fn #name(self #(, #params: impl ::core::marker::Sized)*) -> Self::Output {
                        ::core::unreachable!()
                    }
                }
            }
        });
        quote_spanned! {span=>
            #[allow(non_camel_case_types, dead_code)]
            trait #trait_ {
                type Output;
                fn #name(self #(, #params: impl ::core::marker::Sized)*) -> Self::Output;
            }

            #(#found)*
        }
    }
}
