//! `#[device(host)]`: a device function that is a function of the host, too.
//!
//! The name is the host's, where rustc sees the function as it is written. Kernels call an `enum` of that name, which
//! has the staged function: see `lang::twin` in `vortex-kernel`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::{Block, Expr, Generics, ItemFn};

use super::declaration::{Declaration, Twin};
use crate::fallback;
use crate::generics;
use crate::native;
use crate::runtime::Runtime;
use crate::valid::{self, Complaints};

impl Twin {
    /// The function as it is written, without what only the device understands.
    pub(super) fn of(function: &ItemFn, v: &Runtime, complaints: &mut Complaints) -> Self {
        let mut function = function.clone();
        native::function(&mut function, v, complaints);
        Self { function }
    }

    /// The same for a body with mistakes, which have been reported.
    pub(super) fn in_error(self, unread: Option<&str>) -> Self {
        let mut function = self.function;
        let never = fallback::never(&function.sig.ident.to_string(), unread);
        let brace_token = function.block.brace_token;
        let statement = syn::Stmt::Expr(Expr::Verbatim(never), None);
        function.block = Box::new(Block {
            brace_token,
            stmts: vec![statement],
        });
        function
            .attrs
            .push(syn::parse_quote!(#[allow(unused_variables, unused_mut)]));
        Self { function }
    }

    /// The function of the host, and the `enum` with the staged one.
    pub(super) fn tokens(
        &self,
        of: &Declaration<'_>,
        params: &[TokenStream],
        inner: &TokenStream,
    ) -> TokenStream {
        let span = Span::mixed_site();
        let mut host = self.function.clone();
        // What is `const` calls no methods of traits.
        if is_concrete(of) && host.sig.constness.is_none() {
            let name = name(of);
            native::with_soundness(&mut host, &quote_spanned!(span=> <#name>::SOUNDNESS), of.v);
        }
        let (enumeration, staged, callable) =
            (enumeration(of), staged(of, params, inner), callable(of));
        quote_spanned! {span=>
            // Of a variant without its enum the staged form says enough.
            #[allow(dead_code, bindings_with_variant_name)]
            #host
            #enumeration
            #staged
            #callable
        }
    }
}

/// The name, as that of a type. It is not subject to the lints on names.
fn name(of: &Declaration<'_>) -> Ident {
    let mut name = of.frame.name.clone();
    name.set_span(Span::mixed_site().located_at(name.span()));
    name
}

/// `enum lerp { lerp }`, with the parameters of the function.
fn enumeration(of: &Declaration<'_>) -> TokenStream {
    let span = Span::mixed_site();
    let (conditions, vis) = (&of.frame.attributes.conditions, &of.frame.vis);
    let (name, params) = (name(of), generics::without_bounds(&of.signature.generics));
    let types: Vec<_> = of.signature.generics.type_params().collect();
    let types = types.iter().map(|param| &param.ident);
    let uses = quote_spanned!(span=> ::core::marker::PhantomData<fn() -> (#(#types,)*)>);
    let v = of.v.root(span);
    let (declared, given, _) = params.split_for_impl();
    quote_spanned! {span=>
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, clippy::all, clippy::pedantic, clippy::nursery)]
        #vis enum #name #declared {
            #name,
            _Parameters(::core::convert::Infallible, #uses),
        }

        #(#conditions)*
        impl #declared #v::Twin for #name #given {}

        #(#conditions)*
        impl #declared ::core::marker::Copy for #name #given {}

        #(#conditions)*
        #[allow(clippy::expl_impl_clone_on_copy)]
        impl #declared ::core::clone::Clone for #name #given {
            fn clone(&self) -> Self {
                *self
            }
        }
    }
}

/// The function that records the body.
fn staged(of: &Declaration<'_>, params: &[TokenStream], inner: &TokenStream) -> TokenStream {
    let span = Span::mixed_site();
    let attributes = &of.frame.attributes;
    let (conditions, lints) = (&attributes.conditions, &attributes.lints);
    let (vis, unsafety, name) = (&of.frame.vis, &of.frame.unsafety, name(of));
    let (declared, given, clause) = of.signature.generics.split_for_impl();
    let types = of.signature.inputs.iter().map(|input| &input.ty);
    let types: Vec<_> = types.collect();
    let output = of.output();
    let attributes = quote_spanned! {span=>
        #[allow(unused, clippy::all, clippy::pedantic, clippy::nursery)]
        #(#lints)*
        #[track_caller]
    };
    let items = match is_concrete(of) {
        false => quote_spanned! {span=>
            #attributes
            #vis #unsafety fn staged(#(#params: #types),*) -> #output { #inner }
        },
        true => {
            let arguments =
                (0..types.len()).map(|index| format_ident!("argument{}", index, span = span));
            let arguments: Vec<_> = arguments.collect();
            let v = of.v.root(span);
            quote_spanned! {span=>
                #[allow(dead_code)]
                const SOUNDNESS: ::core::primitive::usize =
                    #v::staged_soundly(|(#(#arguments,)*)| Self::recorded(#(#arguments),*));

                #attributes
                fn recorded(#(#params: #types),*) -> (#output, impl ::core::marker::Sized) {
                    ({ #inner }, ())
                }

                #[allow(clippy::all, clippy::pedantic, clippy::nursery)]
                #[track_caller]
                #vis fn staged(#(#arguments: #types),*) -> #output {
                    Self::recorded(#(#arguments),*).0
                }
            }
        }
    };
    quote_spanned! {span=>
        #(#conditions)*
        impl #declared #name #given #clause {
            #items
        }
    }
}

/// Whether the types of a function's arguments and result have names. Then its form of the host is silent where the
/// staged one is in error: see `Sound` in `vortex-kernel`.
fn is_concrete(of: &Declaration<'_>) -> bool {
    let inputs = of.signature.inputs.iter().map(|input| &input.ty);
    let has_a_name = |ty: &TokenStream| !valid::mentions(ty, "impl");
    of.frame.unsafety.is_none()
        && of.signature.generics.params.is_empty()
        && inputs.chain(&of.signature.output).all(has_a_name)
}

/// That kernels can call the `enum`'s variant, and hand it to other functions.
fn callable(of: &Declaration<'_>) -> TokenStream {
    let span = Span::mixed_site();
    let conditions = &of.frame.attributes.conditions;
    let (name, unsafety, output) = (name(of), &of.frame.unsafety, of.output());
    let mut generics = of.signature.generics.clone();
    let inputs = of.signature.inputs.iter().enumerate();
    let types: Vec<_> = inputs
        .map(|(index, input)| named(&input.ty, index, &mut generics))
        .collect();
    let arguments: Vec<_> = (0..types.len())
        .map(|index| format_ident!("argument{}", index, span = span))
        .collect();
    let v = of.v.root(span);
    let (declared, _, clause) = generics.split_for_impl();
    let (_, given, _) = of.signature.generics.split_for_impl();
    let handed = unsafety.is_none().then(|| {
        quote_spanned! {span=>
            #(#conditions)*
            #[diagnostic::do_not_recommend]
            impl #declared #v::Handed<(#(#types,)*)> for #name #given #clause {
                type Function = fn(#(#types),*) -> <#output as #v::Returned>::Result;

                fn handed(self) -> Self::Function {
                    |#(#arguments),*| #v::Returned::result(<#name #given>::staged(#(#arguments),*))
                }
            }
        }
    });
    quote_spanned! {span=>
        #(#conditions)*
        #[diagnostic::do_not_recommend]
        impl #declared #v::Callable<(#(#types,)*)> for #name #given #clause {
            type Function = #unsafety fn(#(#types),*) -> #output;

            fn function(self) -> Self::Function {
                <#name #given>::staged
            }
        }
        #handed
    }
}

/// The type of a parameter by a name: `impl Fn(A) -> B` becomes a parameter of its own.
fn named(ty: &TokenStream, index: usize, generics: &mut Generics) -> TokenStream {
    let mut tokens = ty.clone().into_iter();
    match tokens.next() {
        Some(TokenTree::Ident(first)) if first == "impl" => {
            let bounds: TokenStream = tokens.collect();
            let name = format_ident!("_Argument{}", index, span = Span::mixed_site());
            generics.params.push(syn::parse_quote!(#name: #bounds));
            quote!(#name)
        }
        _ => ty.clone(),
    }
}
