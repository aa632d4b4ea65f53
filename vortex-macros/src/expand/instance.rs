//! What generic kernels become: an argument struct and an implementation of `Kernel` for each instance.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::{args_name, argument_list, field_type, metadata, mixed, offset_checks, type_name};
use crate::attr::Arguments;
use crate::generics;
use crate::runtime::Runtime;
use crate::signature::{Kernel, ParamKind};
use crate::spans;

/// The implementation of `Kernel` for each instance of a generic kernel. With the metadata of an instance it is
/// asserted that the argument struct is as that says.
pub(super) fn implementation(
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
    let (declared, given, clause) = kernel.generics.split_for_impl();
    let list = argument_list(kernel, runtime);
    let args = quote_spanned!(span=> <Self>::ARGUMENTS);
    let meta = metadata(kernel, arguments, &args, runtime);
    let nothing = spans::parens(TokenStream::new(), kernel.end);
    let declaration = argument_struct(kernel, runtime);
    let args = args_name(kernel);
    let checks = offset_checks(kernel, &quote_spanned!(span=> #args #given));
    quote_spanned! {span=>
        #declaration

        #(#conditions)*
        impl #declared #ty #given #clause {
            const ARGUMENTS: &'static [#v::ArgMeta] = &#v::arguments(#list);
        }

        #(#conditions)*
        impl #declared #v::Kernel for #ty #given #clause {
            type Args = #args #given;

            const META: #v::KernelMeta = {
                let meta = #meta;
                if meta.is_by_value() {
                    #(#checks)*
                    ::core::assert!(::core::mem::size_of::<#args #given>() == meta.size);
                }
                meta
            };

            fn name() -> &'static ::core::primitive::str {
                #v::instance_name::<Self>()
            }

            #[allow(unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
            #(#lints)*
            fn stage #nothing { #body }
        }
    }
}

/// The argument struct of the instances of a generic kernel. How much lies between its fields depends on the types,
/// so that is left to rustc, which lays out fields aligned to 4 at most as the device does; and it is no plain data.
fn argument_struct(kernel: &Kernel, v: &Runtime) -> TokenStream {
    let span = mixed();
    let args = args_name(kernel);
    let Kernel { vis, name, .. } = kernel;
    let conditions = &kernel.attributes.conditions;
    let (declared, _, clause) = kernel.generics.split_for_impl();
    let summary = format!("The arguments of [`{name}`](fn@{name}), as the device reads them.");
    let fields = kernel.arguments().map(|(_, param)| {
        let (name, ty) = (&param.name, field_type(param, v));
        let ty = match &param.kind {
            ParamKind::Value(_) => {
                let value = param.scalar(v);
                let v = v.root(span);
                quote_spanned!(span=> <#value as #v::Argument>::Slot)
            }
            _ => ty,
        };
        let doc = format!("The argument `{}`.", param.plain_name());
        quote_spanned!(span=> #[doc = #doc] pub #name: #ty,)
    });
    let phantom = generics::phantom(&kernel.generics);
    quote_spanned! {span=>
        #(#conditions)*
        #[doc = #summary]
        #[repr(C, packed(4))]
        #[allow(non_camel_case_types, non_snake_case, dead_code)]
        #vis struct #args #declared #clause {
            #(#fields)*
            #[doc(hidden)]
            _end: ([::core::primitive::u32; 0], #phantom),
        }
    }
}
