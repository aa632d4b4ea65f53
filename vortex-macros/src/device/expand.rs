//! The function that a device function becomes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::signature::Signature;
use crate::body::FunctionBody;
use crate::expand::location;
use crate::runtime::Runtime;
use crate::signature::Kernel;

/// The function over staged types.
pub(super) fn function(
    frame: &Kernel,
    signature: &Signature,
    body: &FunctionBody,
    v: &Runtime,
) -> TokenStream {
    let span = Span::mixed_site();
    let name = frame.name.unraw().to_string();
    let callee = v.item("function", span);
    let output = &signature.output;
    let result = output.as_ref().map(|ty| quote!(-> #ty));
    let tokens = &body.tokens;
    let declared = location(&frame.name);
    let inner = quote_spanned!(span=> #callee(#name, (#declared), || #result { #tokens }));
    with_body(frame, signature, body, &inner)
}

/// The same with these errors as its body. Where they are, generic functions that it would have called are no further ones.
pub(super) fn stub(
    frame: &Kernel,
    signature: &Signature,
    body: &FunctionBody,
    errors: &TokenStream,
) -> TokenStream {
    let span = Span::mixed_site();
    let called = &body.called;
    let inner = quote_spanned! {span=>
        #errors
        #(let _ = #called;)*
        ::core::unreachable!()
    };
    let function = with_body(frame, signature, body, &inner);
    quote_spanned!(span=> #[allow(unused_variables, unused_mut)] #function)
}

fn with_body(
    frame: &Kernel,
    signature: &Signature,
    body: &FunctionBody,
    inner: &TokenStream,
) -> TokenStream {
    let span = Span::mixed_site();
    let Kernel {
        attributes,
        vis,
        unsafety,
        name,
        ..
    } = frame;
    let (conditions, docs) = (&attributes.conditions, &attributes.docs);
    let (lints, others) = (&attributes.lints, &attributes.others);
    let (generics, _, clause) = signature.generics.split_for_impl();
    let params = &body.params;
    let types = signature.inputs.iter().map(|input| &input.ty);
    let output = signature.output.as_ref().map(|ty| quote!(-> #ty));
    quote_spanned! {span=>
        #(#conditions)*
        #(#docs)*
        #[allow(clippy::all, clippy::pedantic, clippy::nursery)]
        #(#lints)*
        #(#others)*
        #[track_caller]
        #vis #unsafety fn #name #generics(#(#params: #types),*) #output #clause {
            #inner
        }
    }
}

/// Stands in for a function whose signature is in error: takes as many arguments, gives anything.
pub(super) fn any_call(frame: &Kernel, arity: usize) -> TokenStream {
    let span = Span::mixed_site();
    let conditions = &frame.attributes.conditions;
    let (vis, unsafety, name) = (&frame.vis, &frame.unsafety, &frame.name);
    let params = (0..arity).map(|index| format_ident!("_argument{}", index, span = span));
    quote_spanned! {span=>
        #(#conditions)*
        #[allow(dead_code)]
        #vis #unsafety fn #name<Anything>(#(#params: impl ::core::marker::Sized),*) -> Anything {
            ::core::unreachable!()
        }
    }
}
