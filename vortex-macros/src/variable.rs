//! `#[global]` and `#[constant]`: variables of the program in device memory.
//!
//! `static COUNT: u32 = 0;` becomes a `static COUNT: Global<u32>`, which refers to what is known of it, and an entry
//! of the registry.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Item, ItemStatic, StaticMutability};

use crate::attr::Arguments;
use crate::expand::location;
use crate::runtime::Runtime;
use crate::valid::Complaints;
use crate::{kernel, messages, spans, valid};

/// Which of the attributes it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Global,
    Constant,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Constant => "constant",
        }
    }

    /// The type of the item.
    fn item(self) -> &'static str {
        match self {
            Self::Global => "Global",
            Self::Constant => "GlobalConstant",
        }
    }
}

/// What `#[global(arguments)] item` stands for, or `#[constant(..)]`.
pub(crate) fn expand(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let variable = match syn::parse2::<ItemStatic>(item.clone()) {
        Ok(variable) => variable,
        Err(error) => return not_a_static(kind, item, error),
    };
    let mut complaints = Complaints::default();
    valid::variable_type(&variable.ident, &variable.ty, &mut complaints);
    let has_a_type = complaints.is_empty();
    let arguments = Arguments::of_variable(arguments, &mut complaints);
    if let StaticMutability::Mut(token) = &variable.mutability {
        let message = match kind {
            Kind::Global => messages::MUTABLE_GLOBAL,
            Kind::Constant => messages::MUTABLE_CONSTANT,
        };
        complaints.push(message.at(token, &[]));
    }
    let v = Runtime::new(arguments.krate);
    let tokens = declared(kind, &variable, &v);
    match complaints.into_error() {
        None => tokens,
        Some(error) => {
            let error = error.into_compile_error();
            match has_a_type {
                true => quote!(#error #tokens),
                // There is nothing to declare.
                false => error,
            }
        }
    }
}

fn not_a_static(kind: Kind, item: TokenStream, error: syn::Error) -> TokenStream {
    let name = kind.name();
    let (error, item) = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Const(constant)) => {
            let error = messages::CONST_VARIABLE.at(constant.const_token, &[&name]);
            (error, item)
        }
        // As CUDA declares kernels: it is one, so that nothing else is in error.
        Ok(Item::Fn(function)) => {
            let error = messages::VARIABLE_FUNCTION.at(&function.sig.ident, &[&name]);
            (error, kernel::expand(TokenStream::new(), item))
        }
        Ok(other) => {
            let error = messages::NOT_A_STATIC.at(spans::head(&other), &[&name]);
            (error, item)
        }
        Err(_) => (error, item),
    };
    let error = error.into_compile_error();
    quote!(#error #item)
}

fn declared(kind: Kind, variable: &ItemStatic, v: &Runtime) -> TokenStream {
    let ItemStatic {
        attrs,
        vis,
        static_token,
        ident,
        ty,
        expr,
        ..
    } = variable;
    let span = Span::mixed_site();
    let text = ident.to_string();
    let root = v.root(span);
    let place = location(ident);
    let item = v.item(kind.item(), span);
    let constructor = Ident::new(kind.name(), span);
    let at_type = spans::first(ty);
    // rustc says at the type what is wrong with it, once.
    let contents = v.item("contents", at_type);
    let first = Ident::new("__VORTEX_FIRST", span);
    let contents = quote_spanned!(at_type=> #contents::<#ty>(&#first));
    quote_spanned! {span=>
        #(#attrs)*
        #vis #static_token #ident: #item<#ty> = {
            static __VORTEX_ITEM: #root::Static = {
                const #first: #ty = #expr;
                #root::Static::#constructor(#text, ::core::module_path!(), (#place), #contents)
            };
            #root::inventory::submit! { #root::GlobalEntry::new(&__VORTEX_ITEM) }
            #item::new(&__VORTEX_ITEM)
        };
    }
}
