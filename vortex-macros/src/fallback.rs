//! What stands in for a kernel with mistakes, so that they are not reported again wherever it is used.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{ExprPath, Item, ItemFn};

use crate::expand;
use crate::runtime::Runtime;
use crate::signature::Kernel;

/// A host call and a type of the right names. If the signature is among what is wrong, the host
/// call takes as many arguments, of whatever types. `called` keeps the user's imports in use; generic
/// functions among them are no further errors if `errors` stand in the same body.
pub(crate) fn stub(
    kernel: &Kernel,
    signature_is_sound: bool,
    arity: usize,
    called: &[ExprPath],
    errors: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = Span::mixed_site();
    let runtime = v;
    let marker = expand::marker(kernel, v);
    let ty = expand::type_name(kernel);
    let v = v.root(span);
    let body = quote_spanned!(span=> ::core::unreachable!());
    let host = if signature_is_sound {
        let types: Vec<_> = kernel
            .params
            .iter()
            .map(|param| expand::host_type(param, runtime))
            .collect();
        let silent = quote_spanned!(span=> #[allow(unused_variables)]);
        let function = expand::host_function(kernel, &types, &v, &body);
        quote!(#silent #function)
    } else {
        let conditions = &kernel.attributes.conditions;
        let (vis, unsafety, name) = (&kernel.vis, &kernel.unsafety, &kernel.name);
        let params = (0..arity).map(|index| format_ident!("_argument{}", index, span = span));
        let (declared, given, clause) = kernel.generics.split_for_impl();
        quote_spanned! {span=>
            #(#conditions)*
            #vis #unsafety fn #name #declared (#(#params: impl ::core::marker::Sized),*)
                -> #v::Launch<'static, #ty #given>
            #clause
            {
                #body
            }
        }
    };
    let conditions = &kernel.attributes.conditions;
    let name = kernel.name.to_string();
    let (declared, given, clause) = kernel.generics.split_for_impl();
    quote_spanned! {span=>
        #host
        #marker
        #(#conditions)*
        impl #declared #v::Kernel for #ty #given #clause {
            type Args = [::core::primitive::u8; 0];
            const META: #v::KernelMeta =
                #v::KernelMeta::new(#name, ::core::module_path!(), ::core::file!(), 0, 0, &[]);
            fn stage() {
                #errors
                #(let _ = #called;)*
                #body
            }
        }
    }
}

/// A method of the same signature, which is no kernel.
pub(crate) fn method(mut method: ItemFn) -> TokenStream {
    method.block = syn::parse_quote!({ ::core::unreachable!() });
    quote!(#[allow(unused_variables)] #method)
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
