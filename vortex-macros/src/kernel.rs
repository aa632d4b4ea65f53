//! From tokens to tokens.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemFn};

use crate::attr::Arguments;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::valid::Complaints;
use crate::{body, expand, fallback, messages};

/// What `#[kernel(arguments)] item` stands for.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = match syn::parse2::<Item>(item.clone()) {
                Ok(item) => messages::NOT_A_FUNCTION.at(fallback::head(&item), &[]),
                Err(_) => error,
            }
            .into_compile_error();
            // The item again, so that whatever uses it is not in error too.
            return quote!(#error #item);
        }
    };
    let mut complaints = Complaints::default();
    let arguments = Arguments::parse(arguments, &mut complaints);
    let runtime = Runtime::new(arguments.krate);
    let arity = function.sig.inputs.len();
    let kernel = Kernel::read(function, &mut complaints);
    let signature_is_sound = complaints.is_empty();
    let body = body::rewrite(&kernel, &runtime, &mut complaints);
    match complaints.into_error() {
        None => expand::kernel(&kernel, &body.tokens, &runtime),
        Some(error) => {
            let error = error.into_compile_error();
            let stub = fallback::stub(&kernel, signature_is_sound, arity, &body.called, &runtime);
            quote!(#error #stub)
        }
    }
}
