//! From tokens to tokens.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

use crate::attr::Arguments;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::valid::Complaints;
use crate::{body, bundle, expand, fallback, valid};

/// What `#[kernel(arguments)] item` stands for.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = valid::not_a_function(item.clone())
                .unwrap_or(error)
                .into_compile_error();
            // The item again, so that whatever uses it is not in error too.
            return quote!(#error #item);
        }
    };
    if let Some(error) = valid::receiver(&function.sig) {
        let error = error.into_compile_error();
        let stub = fallback::method(function);
        return quote!(#error #stub);
    }
    let mut complaints = Complaints::default();
    let arguments = Arguments::parse(arguments, &mut complaints);
    let runtime = Runtime::new(arguments.krate);
    let arity = function.sig.inputs.len();
    let kernel = Kernel::read(function, &mut complaints);
    let signature_is_sound = complaints.is_empty();
    let body = body::rewrite(&kernel, &runtime, &mut complaints);
    match complaints.into_error() {
        None => bundle::close(&expand::kernel(&kernel, &body.tokens, &runtime), &runtime),
        Some(error) => {
            let error = error.into_compile_error();
            let stub = fallback::stub(&kernel, signature_is_sound, arity, &body.called, &runtime);
            let stub = bundle::close(&stub, &runtime);
            quote!(#error #stub)
        }
    }
}
