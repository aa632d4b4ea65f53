//! The function that a device function becomes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Pat;
use syn::ext::IdentExt as _;

use super::operator;
use super::signature::{Receiver, Signature};
use super::twin::Twin;
use crate::body::FunctionBody;
use crate::body::scope::Declared;
use crate::expand::location;
use crate::runtime::Runtime;
use crate::signature::Kernel;

/// A device function, but for what it does.
pub(super) struct Declaration<'a> {
    pub(super) frame: &'a Kernel,
    pub(super) signature: &'a Signature,
    /// What it is on the host, if it is anything there.
    pub(super) twin: Option<&'a Twin>,
    pub(super) v: &'a Runtime,
}

impl Declaration<'_> {
    /// The function over staged types.
    pub(super) fn function(&self, body: &FunctionBody) -> TokenStream {
        let (frame, signature, v) = (self.frame, self.signature, self.v);
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
        let call = quote_spanned!(span=> #callee(#name, (#declared), || #result { #tokens }));
        let inner = quote_spanned!(span=> #imports #taken #(#known)* #call #nothing);
        self.with_body(body, &inner)
    }

    /// The same with these errors as its body. Where they are, generic functions that it would have called are no
    /// further ones.
    pub(super) fn stub(&self, body: &FunctionBody, errors: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let called = &body.called;
        let inner = quote_spanned! {span=>
            #errors
            #(let _ = #called;)*
            ::core::unreachable!()
        };
        let function = self.with_body(body, &inner);
        match self.twin {
            // The attribute would be that of the first item alone.
            Some(_) => function,
            None => quote_spanned!(span=> #[allow(unused_variables, unused_mut)] #function),
        }
    }

    /// The same for a function whose body could not be read.
    pub(super) fn unread(&self, body: &TokenStream) -> TokenStream {
        let params =
            (0..self.signature.inputs.len()).map(|index| format_ident!("_argument{index}"));
        let params: Vec<_> = params.map(|name| quote!(#name)).collect();
        self.declared(&params, body)
    }

    /// A function of a trait that its implementations have to have.
    pub(super) fn required(&self) -> TokenStream {
        let params =
            (0..self.signature.inputs.len()).map(|index| format_ident!("_argument{index}"));
        let params: Vec<_> = params.map(|name| quote!(#name)).collect();
        let head = self.head(&params);
        quote_spanned!(Span::mixed_site()=> #head;)
    }

    fn with_body(&self, body: &FunctionBody, inner: &TokenStream) -> TokenStream {
        let receivers = usize::from(self.signature.receiver.is_some());
        self.declared(&body.params[receivers..], inner)
    }

    fn declared(&self, params: &[TokenStream], inner: &TokenStream) -> TokenStream {
        if let Some(twin) = self.twin {
            return twin.tokens(self, params, inner);
        }
        let head = self.head(params);
        quote_spanned!(Span::mixed_site()=> #head { #inner })
    }

    /// All of a function but its body.
    fn head(&self, params: &[TokenStream]) -> TokenStream {
        let Kernel {
            attributes,
            vis,
            unsafety,
            name,
            ..
        } = self.frame;
        let (conditions, docs) = (&attributes.conditions, &attributes.docs);
        let (lints, others) = (&attributes.lints, &attributes.others);
        let (generics, _, clause) = self.signature.generics.split_for_impl();
        let receiver = self.signature.receiver.as_ref().map(Receiver::declared);
        let types = self.signature.inputs.iter().map(|input| &input.ty);
        let output = self.output();
        quote_spanned! {Span::mixed_site()=>
            #(#conditions)*
            #(#docs)*
            #[allow(unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
            #(#lints)*
            #(#others)*
            #[track_caller]
            #vis #unsafety fn #name #generics(#receiver #(#params: #types),*) -> #output #clause
        }
    }

    /// What the function results in. If it gives nothing, that is a type of ours: so that one of the host, which
    /// gives `()`, can be told from it.
    pub(super) fn output(&self) -> TokenStream {
        let output = self.signature.output.clone();
        output.unwrap_or_else(|| self.v.item("Nothing", Span::mixed_site()))
    }
}

/// What `self` is called in a rewritten body: a name of the user's hygiene, so that expressions may begin with it.
pub(super) fn this(span: Span) -> Ident {
    Ident::new(crate::messages::SELF, span)
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
