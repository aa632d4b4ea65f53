//! The items that a kernel becomes. No decisions here.
//!
//! Tokens that are not the user's have mixed-site hygiene: rustc's and clippy's lints take them for
//! what they are, code of a macro, and leave the user alone with them.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Expr, ExprLit, Lifetime, Lit, Meta, MetaNameValue, Type};

use crate::attr::{Arguments, Layout};
use crate::generics;
use crate::operators;
use crate::runtime::Runtime;
use crate::signature::{Kernel, Param, ParamKind};
use crate::{spans, staged};

mod instance;
mod tuned;

pub(crate) use tuned::{tuned, tuned_in_error};

/// The type, the host call, the metadata and the recorded body.
pub(crate) fn kernel(
    kernel: &Kernel,
    arguments: &Arguments,
    body: &TokenStream,
    has_host: bool,
    v: &Runtime,
) -> TokenStream {
    let mut marker = marker(kernel, v);
    if kernel.has_mutable_slice() {
        marker.extend(over_each(kernel, v));
    }
    let launcher = launcher(kernel, v);
    if kernel.is_generic() {
        let implementation = instance::implementation(kernel, arguments, body, v);
        let imports = operators::imports(&kernel.operators);
        return quote!(#imports #launcher #marker #implementation);
    }
    let recorded = has_host.then(|| recorded(kernel, body, v));
    let calls_it = recorded
        .is_some()
        .then(|| quote_spanned!(mixed()=> let _ = Self::recorded(());));
    let body = calls_it.as_ref().unwrap_or(body);
    let implementation = implementation(kernel, arguments, body, v);
    let implementation = quote!(#recorded #implementation);
    // There is nothing to compile yet.
    if kernel.has_comptime() {
        return quote!(#launcher #marker #implementation);
    }
    let registration = registration(kernel, v);
    let test = test(kernel, v);
    quote!(#launcher #marker #implementation #registration #test)
}

/// Items without a name, so that they collide with no name of the user's.
pub(crate) fn unseen(items: &TokenStream) -> TokenStream {
    quote_spanned! {mixed()=>
        const _: () = {
            #items
        };
    }
}

/// The type by which the kernel is looked up.
pub(crate) fn marker(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed();
    let v = v.root(span);
    let Kernel {
        attributes,
        vis,
        name,
        ..
    } = kernel;
    let (conditions, docs) = (&attributes.conditions, &attributes.docs);
    let ty = type_name(kernel);
    let (declared, given, clause) = kernel.generics.split_for_impl();
    // Whoever names the type has been asked for them by the function: once is enough for an error.
    let parameters = generics::without_bounds(&kernel.generics);
    let uses = kernel
        .is_generic()
        .then(|| generics::phantom(&kernel.generics))
        .map(|uses| quote_spanned!(span=> #[doc(hidden)] _Parameters(::core::convert::Infallible, #uses)));
    let summary = format!(
        "The kernel [`{name}`](fn@{name}), as a type: what it takes and how it is compiled."
    );
    quote_spanned! {span=>
        #(#conditions)*
        #[doc = #summary]
        #[doc = ""]
        #(#docs)*
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #ty #parameters { #uses }

        #(#conditions)*
        #[allow(dead_code)]
        impl #declared #ty #given #clause {
            /// Name, place and argument layout of the kernel.
            #vis const META: #v::KernelMeta = <Self as #v::Kernel>::META;
        }
    }
}

/// Lets the kernel be launched once for each element of its `&mut [T]`.
pub(crate) fn over_each(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed();
    let v = v.root(span);
    let conditions = &kernel.attributes.conditions;
    let ty = type_name(kernel);
    let parameters = generics::without_bounds(&kernel.generics);
    let (_, given, _) = kernel.generics.split_for_impl();
    quote_spanned! {span=>
        #(#conditions)*
        impl #parameters #v::OverEach for #ty #given {}
    }
}

/// The kernel's name, for the type: located at the user's, but not subject to the lints on names.
pub(crate) fn type_name(kernel: &Kernel) -> Ident {
    let mut name = kernel.name.clone();
    name.set_span(mixed().located_at(name.span()));
    name
}

/// Asserts of each field of the argument struct that it lies where `meta`, the metadata, has it.
fn offset_checks(kernel: &Kernel, args: &TokenStream) -> Vec<TokenStream> {
    let check = |(index, param): (usize, &Param)| {
        let name = &param.name;
        let number = Literal::usize_unsuffixed(index);
        quote_spanned! {mixed()=>
            ::core::assert!(::core::mem::offset_of!(#args, #name) == meta.args[#number].offset);
        }
    };
    kernel.arguments().map(check).collect()
}

/// The argument struct, what is asserted about it, and the implementation of `Kernel`.
fn implementation(
    kernel: &Kernel,
    arguments: &Arguments,
    body: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = mixed();
    let runtime = v;
    let v = v.root(span);
    let conditions = &kernel.attributes.conditions;
    let lints = &kernel.attributes.lints;
    let ty = type_name(kernel);
    let args = args_name(kernel);
    let fields = kernel
        .arguments()
        .map(|(index, param)| field(index, param, &ty, runtime));
    let checks = offset_checks(kernel, &quote!(#args));
    let list = argument_list(kernel, runtime);
    let list = quote_spanned! {span=>
        {
            const ARGS: &[#v::ArgMeta] = &#v::arguments(#list);
            ARGS
        }
    };
    let meta = metadata(kernel, arguments, &list, runtime);
    let summary = format!(
        "The arguments of [`{0}`](fn@{0}), as the device reads them.",
        kernel.name
    );
    // Here rustc says that a body has no value.
    let nothing = spans::parens(TokenStream::new(), kernel.end);
    quote_spanned! {span=>
        #(#conditions)*
        #v::argument_struct! {
            #[doc = #summary]
            pub struct #args { #(#fields)* }
        }

        #(#conditions)*
        const _: () = {
            let meta = <#ty as #v::Kernel>::META;
            #(#checks)*
            ::core::assert!(::core::mem::size_of::<#args>() == meta.size);
            ::core::assert!(::core::mem::align_of::<#args>() <= 4);
        };

        #(#conditions)*
        impl #v::Kernel for #ty {
            type Args = #args;

            const META: #v::KernelMeta = #meta;

            #[allow(unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
            #(#lints)*
            fn stage #nothing { #body }
        }
    }
}

/// The recorded body as a function of its own, by which the kernel's form of the host is silent where this one is in
/// error: see `Sound` in `vortex-kernel`.
fn recorded(kernel: &Kernel, body: &TokenStream, v: &Runtime) -> TokenStream {
    let span = mixed();
    let v = v.root(span);
    let (conditions, lints) = (&kernel.attributes.conditions, &kernel.attributes.lints);
    let ty = type_name(kernel);
    let nothing = spans::parens(TokenStream::new(), kernel.end);
    quote_spanned! {span=>
        #(#conditions)*
        impl #ty {
            #[allow(dead_code)]
            const SOUNDNESS: ::core::primitive::usize = #v::staged_soundly(Self::recorded);

            #[allow(unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
            #(#lints)*
            fn recorded((): ()) -> impl ::core::marker::Sized {
                let record = || -> #nothing { #body };
                record();
            }
        }
    }
}

/// The name of the argument struct: none that a user would choose.
fn args_name(kernel: &Kernel) -> Ident {
    format_ident!("Arguments_of_{}", kernel.name, span = mixed())
}

/// Puts the kernel into the registry of the program.
fn registration(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed();
    let v = v.root(span);
    let conditions = &kernel.attributes.conditions;
    let ty = type_name(kernel);
    quote_spanned! {span=>
        #(#conditions)*
        #v::inventory::submit! { #v::KernelEntry::of::<#ty>() }
    }
}

/// A field of the argument struct, and the padding after it unless its type, which is ours, is one of whole words: no
/// member is aligned more than they are.
fn field(index: usize, param: &Param, kernel: &Ident, v: &Runtime) -> TokenStream {
    let span = mixed();
    let ty = field_type(param, v);
    let v = v.root(span);
    let name = &param.name;
    let doc = format!("The argument `{}`.", param.plain_name());
    let padding = param.is_of_any_type().then(|| {
        let padding = format_ident!("_pad{}", index, span = span);
        let index = Literal::usize_unsuffixed(index);
        quote_spanned! {span=>
            #[doc(hidden)]
            pub #padding: [::core::primitive::u8; <#kernel as #v::Kernel>::META.padding_after(#index)],
        }
    });
    quote_spanned! {span=>
        #[doc = #doc]
        pub #name: #ty,
        #padding
    }
}

/// The type of a field: plain data.
fn field_type(param: &Param, v: &Runtime) -> TokenStream {
    let span = mixed();
    let scalar = param.scalar(v);
    let v = v.root(span);
    match &param.kind {
        ParamKind::Scalar(_) | ParamKind::Comptime(_) => {
            quote_spanned!(span=> <#scalar as #v::Scalar>::Arg)
        }
        ParamKind::Value(_) => quote_spanned! {span=>
            [::core::primitive::u8; #v::ArgType::value::<#scalar>().size]
        },
        ParamKind::Slice { .. } => quote_spanned!(span=> #v::SliceArg),
        ParamKind::Texture { .. } => quote_spanned!(span=> #v::TextureArg),
        ParamKind::Tensor { .. } => quote_spanned!(span=> #v::TensorArg),
        ParamKind::Pointer { .. } | ParamKind::Local(_) => {
            quote_spanned!(span=> ::core::primitive::u32)
        }
    }
}

/// The arguments of `META`, an array.
fn argument_list(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed();
    let runtime = v;
    let args = kernel.arguments().map(|(_, param)| {
        let name = param.plain_name();
        let function = match &param.kind {
            ParamKind::Scalar(_) | ParamKind::Comptime(_) => "scalar",
            ParamKind::Value(_) => "value",
            ParamKind::Slice { mutable: false, .. } => "slice",
            ParamKind::Slice { mutable: true, .. } => "slice_mut",
            ParamKind::Pointer { mutable: false, .. } => "ptr",
            ParamKind::Pointer { mutable: true, .. } => "ptr_mut",
            ParamKind::Local(_) => "local",
            ParamKind::Texture { mutable: false, .. } => "texture",
            ParamKind::Texture { mutable: true, .. } => "texture_mut",
            ParamKind::Tensor { mutable: false, .. } => "tensor",
            ParamKind::Tensor { mutable: true, .. } => "tensor_mut",
        };
        let ty = param.made_of(runtime);
        // Where rustc says what is wrong with a layout.
        let (at, layout) = match &param.kind {
            ParamKind::Tensor { layout, .. } => {
                let at = layout
                    .as_ref()
                    .map_or_else(|| param.type_span(), Layout::span);
                let layout = match layout.as_ref().map(|layout| layout.constant(runtime)) {
                    Some(layout) => quote_spanned!(span=> , ::core::option::Option::Some(#layout)),
                    None => quote_spanned!(span=> , ::core::option::Option::None),
                };
                (at, Some(layout))
            }
            _ => (span, None),
        };
        let function = format_ident!("{}", function, span = at);
        // All of it, or rustc blames the whole function.
        let v = runtime.root(at);
        quote_spanned!(at=> #v::ArgMeta::#function::<#ty>(#name #layout))
    });
    quote_spanned!(span=> [#(#args),*])
}

/// The value of `META`; `list` are its arguments, a slice.
fn metadata(
    kernel: &Kernel,
    arguments: &Arguments,
    list: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = mixed();
    let runtime = v;
    let v = v.root(span);
    let named = arguments
        .name
        .as_ref()
        .map(|name| quote_spanned!(span=> .named(#name)));
    let fields = arguments.given.iter().map(|given| given.field(runtime));
    let attributes = (!arguments.given.is_empty()).then(|| {
        quote_spanned! {span=>
            .with_attributes(#v::Attributes { #(#fields,)* ..#v::Attributes::NONE })
        }
    });
    let documented =
        documentation(&kernel.attributes.docs).map(|doc| quote_spanned!(span=> .documented(#doc)));
    let plain_name = syn::ext::IdentExt::unraw(&kernel.name).to_string();
    let place = location(&kernel.name);
    quote_spanned! {span=>
        #v::KernelMeta::new(#plain_name, ::core::module_path!(), #place, #list)
            #named
            #attributes
            #documented
    }
}

/// Where something is declared: at its name, and not at the attribute.
pub(crate) fn location(name: &syn::Ident) -> TokenStream {
    quote_spanned!(name.span()=> ::core::file!(), ::core::line!(), ::core::column!())
}

/// The text of documentation that is given as text, a line for each attribute.
fn documentation(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(MetaNameValue {
                value:
                    Expr::Lit(ExprLit {
                        lit: Lit::Str(line),
                        ..
                    }),
                ..
            }) => Some(line.value()),
            _ => None,
        })
        .map(|line| line.strip_prefix(' ').map(str::to_owned).unwrap_or(line))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The host call.
fn launcher(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed();
    let runtime = v;
    let v = v.root(span);
    let marker = type_name(kernel);
    let (_, of, _) = kernel.generics.split_for_impl();
    let of = of.as_turbofish();
    let known = kernel.params.iter().filter(|param| param.is_comptime());
    let known = known.map(|param| {
        let name = &param.name;
        quote_spanned!(span=> binder.comptime(#name);)
    });
    let bindings = kernel.arguments().map(|(index, param)| {
        let name = &param.name;
        let text = param.plain_name();
        let method = match &param.kind {
            ParamKind::Value(_) => {
                let index = Literal::usize_unsuffixed(index);
                let offset =
                    quote_spanned!(span=> <#marker #of as #v::Kernel>::META.args[#index].offset);
                let bytes = quote_spanned!(span=> &binder.value(#text, #offset, #name));
                return match kernel.is_generic() {
                    true => quote_spanned!(span=> args.put_bytes(#index, #bytes);),
                    false => quote_spanned!(span=> args.#name.copy_from_slice(#bytes);),
                };
            }
            ParamKind::Scalar(_) | ParamKind::Comptime(_) => "scalar",
            ParamKind::Slice { mutable: false, .. } => "slice",
            ParamKind::Slice { mutable: true, .. } => "slice_mut",
            ParamKind::Pointer { mutable: false, .. } => "ptr",
            ParamKind::Pointer { mutable: true, .. } => "ptr_mut",
            ParamKind::Local(_) => "local",
            ParamKind::Texture { mutable: false, .. } => "texture",
            ParamKind::Texture { mutable: true, .. } => "texture_mut",
            ParamKind::Tensor { mutable, .. } => {
                let number = Literal::usize_unsuffixed(index);
                let meta = quote_spanned!(span=> &<#marker #of as #v::Kernel>::META.args[#number]);
                let method = match mutable {
                    false => quote_spanned!(span=> tensor),
                    true => quote_spanned!(span=> tensor_mut),
                };
                let bound = quote_spanned!(span=> binder.#method(#meta, #name));
                return match kernel.is_generic() {
                    true => quote_spanned!(span=> args.put(#number, #bound);),
                    false => quote_spanned!(span=> args.#name = #bound;),
                };
            }
        };
        let method = format_ident!("{}", method, span = span);
        let element = matches!(param.kind, ParamKind::Local(_)).then(|| {
            let element = param.scalar(runtime);
            quote_spanned!(span=> ::<#element>)
        });
        if kernel.is_generic() {
            let index = Literal::usize_unsuffixed(index);
            return quote_spanned!(span=> args.put(#index, binder.#method #element (#text, #name)););
        }
        quote_spanned!(span=> args.#name = binder.#method #element (#text, #name);)
    });
    let bindings = known.chain(bindings);
    let ty = type_name(kernel);
    let (_, given, _) = kernel.generics.split_for_impl();
    let body = match kernel.is_generic() {
        true => quote_spanned! {span=>
            let mut binder = #v::Binder::new();
            let mut args = #v::EncodedArgs::of::<#ty #given>();
            #(#bindings)*
            #v::Launch::encoded(args, binder)
        },
        false => quote_spanned! {span=>
            let mut binder = #v::Binder::new();
            let mut args: <#ty as #v::Kernel>::Args = #v::bytemuck::Zeroable::zeroed();
            #(#bindings)*
            #v::Launch::new(args, binder)
        },
    };
    let params = kernel
        .params
        .iter()
        .map(|param| host_type(param, runtime))
        .collect::<Vec<_>>();
    host_function(kernel, &params, &v, &body)
}

/// `fn name(params) -> Launch { body }`, with the user's attributes.
pub(crate) fn host_function(
    kernel: &Kernel,
    types: &[TokenStream],
    v: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let span = mixed();
    let Kernel {
        attributes,
        vis,
        unsafety,
        name,
        params,
        ..
    } = kernel;
    let conditions = &attributes.conditions;
    let (docs, lints, others) = (&attributes.docs, &attributes.lints, &attributes.others);
    let declared = generics::declared(&kernel.generics);
    let (generics, lifetime) = match kernel.borrows() {
        true if kernel.is_generic() => (
            quote_spanned!(span=> <'launch, #declared>),
            quote_spanned!(span=> 'launch),
        ),
        true => (
            quote_spanned!(span=> <'launch>),
            quote_spanned!(span=> 'launch),
        ),
        false if kernel.is_generic() => (
            quote_spanned!(span=> <#declared>),
            quote_spanned!(span=> 'static),
        ),
        false => (TokenStream::new(), quote_spanned!(span=> 'static)),
    };
    let (_, given, clause) = kernel.generics.split_for_impl();
    let names = params.iter().map(|param| &param.name);
    let ty = type_name(kernel);
    quote_spanned! {span=>
        #(#conditions)*
        #(#docs)*
        #(#lints)*
        #(#others)*
        #vis #unsafety fn #name #generics(#(#names: #types),*) -> #v::Launch<#lifetime, #ty #given>
        #clause
        {
            #body
        }
    }
}

/// What the host passes.
pub(crate) fn host_type(param: &Param, v: &Runtime) -> TokenStream {
    // With the hygiene of the type, so that what is wrong with it is said once.
    let span = param.type_span();
    let ty = param.made_of(v);
    let runtime = v;
    let v = v.root(span);
    let lifetime = Lifetime::new("'launch", mixed());
    match &param.kind {
        ParamKind::Scalar(_) | ParamKind::Comptime(_) | ParamKind::Value(_) => ty,
        ParamKind::Slice { mutable, elem } => host_slice(*mutable, elem, runtime),
        ParamKind::Pointer { mutable: false, .. } => quote_spanned!(span=> #v::DevicePtr<#ty>),
        ParamKind::Pointer { mutable: true, .. } => quote_spanned!(span=> #v::DevicePtrMut<#ty>),
        ParamKind::Local(_) => quote_spanned!(span=> #v::LocalLen),
        ParamKind::Texture { mutable, path, .. } | ParamKind::Tensor { mutable, path, .. } => {
            let mutability = mutable.then(|| quote_spanned!(span=> mut));
            quote_spanned!(span=> &#lifetime #mutability #path<#ty>)
        }
    }
}

/// What the host passes for a slice of these elements.
pub(crate) fn host_slice(mutable: bool, elem: &Type, v: &Runtime) -> TokenStream {
    // With the hygiene of the type, so that what is wrong with it is said once.
    let span = spans::first(elem);
    let lifetime = Lifetime::new("'launch", mixed());
    // Not in the form of which rustc complains only once: here it would complain of that, too.
    let elem = staged::in_memory(elem, v);
    let v = v.root(span);
    match mutable {
        false => {
            quote_spanned!(span=> &#lifetime (impl #v::OnDevice<#elem> + ?::core::marker::Sized))
        }
        true => {
            quote_spanned!(span=> &#lifetime mut (impl #v::OnDeviceMut<#elem> + ?::core::marker::Sized))
        }
    }
}

/// So that errors that only recording and compiling find surface in `cargo test`.
///
/// In the body of a function a test is not run, and rustc says so unless an item *around* it is told
/// not to; only a module may stand around a test elsewhere; and a module in a function cannot name
/// the kernel. So the kernel comes to the test through a trait.
fn test(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed().located_at(kernel.name.span());
    let v = v.root(span);
    let conditions = &kernel.attributes.conditions;
    let ty = type_name(kernel);
    let module = format_ident!("vortex_kernel_{}", kernel.name, span = span);
    quote_spanned! {span=>
        #(#conditions)*
        #[cfg(test)]
        #[allow(unnameable_test_items)]
        mod #module {
            pub struct Subject;

            pub trait Check {
                fn check();
            }

            #[::core::prelude::v1::test]
            fn stages_and_lowers() {
                <Subject as Check>::check();
            }
        }

        #(#conditions)*
        #[cfg(test)]
        impl #module::Check for #module::Subject {
            fn check() {
                if let ::core::result::Result::Err(error) = #v::check_kernel::<#ty>() {
                    ::core::panic!("{error}");
                }
            }
        }
    }
}

fn mixed() -> Span {
    Span::mixed_site()
}
