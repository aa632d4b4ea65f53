//! The function that a device function becomes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Pat;
use syn::ext::IdentExt as _;

use super::operator;
use super::signature::{Receiver, Signature};
use crate::body::FunctionBody;
use crate::body::scope::Declared;
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
    let taken = signature.receiver.as_ref().map(|receiver| {
        let (name, value) = (this(receiver.span), receiver.taken(v));
        quote!(let #name = #value;)
    });
    let known = signature
        .inputs
        .iter()
        .filter_map(|input| match &input.pat {
            Pat::Ident(pat) if input.declared == Declared::Comptime => {
                let (name, text) = (&pat.ident, pat.ident.unraw().to_string());
                let function = v.item("known", span);
                Some(quote_spanned!(span=> let #name = #function(#text, #name);))
            }
            _ => None,
        });
    let nothing = output.is_none().then(|| {
        let nothing = v.item("Nothing", span);
        quote_spanned!(span=> ; #nothing {})
    });
    let imports = operator::imports(&signature.operators);
    let inner = quote_spanned!(span=> #imports #taken #(#known)* #callee(#name, (#declared), || #result { #tokens }) #nothing);
    with_body(frame, signature, body, &inner, v)
}

/// A function of a trait that its implementations have to have.
pub(super) fn required(frame: &Kernel, signature: &Signature, v: &Runtime) -> TokenStream {
    let params = (0..signature.inputs.len()).map(|index| format_ident!("_argument{index}"));
    let params: Vec<_> = params.map(|name| quote!(#name)).collect();
    let head = head(frame, signature, &params, v);
    quote_spanned!(Span::mixed_site()=> #head;)
}

/// What `self` is called in a rewritten body: a name of the user's hygiene, so that expressions may begin with it.
pub(super) fn this(span: Span) -> Ident {
    Ident::new(crate::messages::SELF, span)
}

/// The same with these errors as its body. Where they are, generic functions that it would have called are no further ones.
pub(super) fn stub(
    frame: &Kernel,
    signature: &Signature,
    body: &FunctionBody,
    errors: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = Span::mixed_site();
    let called = &body.called;
    let inner = quote_spanned! {span=>
        #errors
        #(let _ = #called;)*
        ::core::unreachable!()
    };
    let function = with_body(frame, signature, body, &inner, v);
    quote_spanned!(span=> #[allow(unused_variables, unused_mut)] #function)
}

/// The same for a function whose body could not be read.
pub(super) fn unread(
    frame: &Kernel,
    signature: &Signature,
    body: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let params = (0..signature.inputs.len()).map(|index| format_ident!("_argument{index}"));
    let params: Vec<_> = params.map(|name| quote!(#name)).collect();
    let head = head(frame, signature, &params, v);
    quote_spanned!(Span::mixed_site()=> #head { #body })
}

fn with_body(
    frame: &Kernel,
    signature: &Signature,
    body: &FunctionBody,
    inner: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = Span::mixed_site();
    let receivers = usize::from(signature.receiver.is_some());
    let head = head(frame, signature, &body.params[receivers..], v);
    quote_spanned!(span=> #head { #inner })
}

/// All of a function but its body. What a function results in that gives nothing is a type of ours: so that one of the host,
/// which gives `()`, can be told from it.
fn head(frame: &Kernel, signature: &Signature, params: &[TokenStream], v: &Runtime) -> TokenStream {
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
    let receiver = signature.receiver.as_ref().map(Receiver::declared);
    let types = signature.inputs.iter().map(|input| &input.ty);
    let nothing = v.item("Nothing", span);
    let output = signature.output.as_ref().unwrap_or(&nothing);
    quote_spanned! {span=>
        #(#conditions)*
        #(#docs)*
        #[allow(unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
        #(#lints)*
        #(#others)*
        #[track_caller]
        #vis #unsafety fn #name #generics(#receiver #(#params: #types),*) -> #output #clause
    }
}

/// Stands in for a function whose signature is in error: takes as many arguments, gives anything.
pub(super) fn any_call(frame: &Kernel, arity: usize, has_receiver: bool) -> TokenStream {
    let span = Span::mixed_site();
    let conditions = &frame.attributes.conditions;
    let (vis, unsafety, name) = (&frame.vis, &frame.unsafety, &frame.name);
    let params = usize::from(has_receiver)..arity;
    let params = params.map(|index| format_ident!("_argument{}", index, span = span));
    let receiver = has_receiver.then(|| quote_spanned!(span=> &self,));
    quote_spanned! {span=>
        #(#conditions)*
        #[allow(dead_code)]
        #vis #unsafety fn #name<Anything>(#receiver #(#params: impl ::core::marker::Sized),*) -> Anything {
            ::core::unreachable!()
        }
    }
}
