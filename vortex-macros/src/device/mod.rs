//! Device functions: what `#[device]` makes of a function.
//!
//! `fn f(a: f32) -> f32 { .. }` becomes `fn f(a: Lane<f32>) -> Lane<f32>`, which records its body
//! where it is called.

mod block;
mod declaration;
mod expand;
mod index;
mod key;
mod methods;
mod operator;
mod refused;
pub(crate) mod signature;
mod taken;
mod twin;

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ItemFn;

use crate::attr::Arguments;
use crate::native::Side;
use crate::runtime::Runtime;
use crate::valid::Complaints;
use crate::{body, fallback, messages, valid};
use declaration::{Declaration, Twin};
use signature::Signature;

/// What `#[device(arguments)] item` stands for.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            if let Some(tokens) = methods::block(&arguments, &item) {
                return tokens;
            }
            if let Some(readable) = fallback::without_unread(&item)
                && let Some(tokens) = methods::block(&arguments, &readable)
            {
                return tokens;
            }
            if let Some((function, called)) = fallback::without_body(&item) {
                return without_body(arguments, function, &called, &error);
            }
            if let Some(function) = fallback::with_missing_types(&item) {
                let mut told = Complaints::default();
                let v = Runtime::new(Arguments::of_function(arguments, &mut told).krate);
                let (signature, frame) = Signature::read(function, &v, &mut told);
                return expand::any_call(&frame, &signature, &v);
            }
            let error = valid::not_a_device_function(item.clone())
                .unwrap_or(error)
                .into_compile_error();
            let arguments = Arguments::of_function(arguments, &mut Complaints::default());
            let item = refused::with_attributes(item, arguments.krate);
            return quote!(#error #item);
        }
    };
    let mut complaints = Complaints::default();
    let arguments = Arguments::of_function(arguments, &mut complaints);
    let v = Runtime::new(arguments.krate);
    let twin = arguments.host.as_ref().map(|_| {
        valid::on_the_host(&function, &mut complaints);
        Twin::of(&function, &v, &mut complaints)
    });
    Side::Device.choose(&mut function.block);
    declared(function, twin, &HashSet::new(), &v, complaints)
}

/// What a function in the body of another, or of a kernel, stands for, next to these items.
pub(crate) fn nested(function: ItemFn, items: &HashSet<String>, v: &Runtime) -> TokenStream {
    declared(function, None, items, v, Complaints::default())
}

fn declared(
    mut function: ItemFn,
    twin: Option<Twin>,
    items: &HashSet<String>,
    v: &Runtime,
    mut complaints: Complaints,
) -> TokenStream {
    if let Some(receiver) = function.sig.receiver() {
        let error = messages::DEVICE_METHOD
            .at(receiver, &[])
            .into_compile_error();
        let stub = match twin {
            None => methods::alone(function, v),
            Some(_) => fallback::method(function),
        };
        return quote!(#error #stub);
    }
    // What is wrong with these leaves the signature what it is.
    let mut of_others = Complaints::default();
    valid::numbers_among_types(&mut function.sig.generics, &mut of_others);
    let name = &function.sig.ident;
    if valid::is_name_of_an_id(name) {
        of_others.push(messages::FUNCTION_NAME.at(name, &[name]));
    }
    let (mut signature, frame) = Signature::read(function, v, &mut complaints);
    let signature_is_sound = complaints.is_empty();
    let body = body::rewrite_function(
        &frame,
        &signature.inputs_of_body(),
        signature.output.as_ref(),
        items,
        nested,
        v,
        &mut complaints,
    );
    if signature_is_sound && complaints.gives_a_value {
        signature.gives_a_value(&frame.body, v);
    }
    let of = |twin| Declaration {
        frame: &frame,
        signature: &signature,
        twin,
        is_free: true,
        staged: None,
        v,
    };
    complaints.add(of_others);
    let error = match signature.gives_a_reference.clone() {
        Some(error) if signature_is_sound => Some(error),
        _ => complaints.into_error(),
    };
    match error {
        None => of(twin.as_ref()).function(&body),
        Some(error) => {
            let error = error.into_compile_error();
            let twin = twin.map(|twin| twin.in_error(None));
            if signature_is_sound {
                return of(twin.as_ref()).stub(&body, &error);
            }
            let stub = expand::any_call(&frame, &signature, v);
            quote!(#error #stub)
        }
    }
}

/// A function whose body rustc cannot parse, and says so, as it has parsed it before.
fn without_body(
    arguments: TokenStream,
    function: ItemFn,
    called: &[Ident],
    error: &syn::Error,
) -> TokenStream {
    if function.sig.receiver().is_some() {
        return fallback::method(function);
    }
    let mut complaints = Complaints::default();
    let arguments = Arguments::of_function(arguments, &mut complaints);
    let v = Runtime::new(arguments.krate);
    let unread = error.to_string();
    let twin = arguments.host.is_some();
    let twin = twin.then(|| Twin::of(&function, &v, &mut complaints).in_error(Some(&unread)));
    let (signature, frame) = Signature::read(function, &v, &mut complaints);
    let in_use = fallback::in_use(called);
    let never = fallback::never(&frame.name.to_string(), Some(&unread));
    let body = quote!(#in_use #never);
    match complaints.into_error() {
        None => Declaration {
            frame: &frame,
            signature: &signature,
            twin: twin.as_ref(),
            is_free: true,
            staged: None,
            v: &v,
        }
        .unread(&body),
        Some(error) => {
            let error = error.into_compile_error();
            let stub = expand::any_call(&frame, &signature, &v);
            quote!(#error #stub)
        }
    }
}

/// What `self` is called in a rewritten body: a name of the user's hygiene, so that expressions may begin with it.
pub(super) fn this(span: Span) -> Ident {
    Ident::new(crate::messages::SELF, span)
}
