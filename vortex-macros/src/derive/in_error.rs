//! What stands in for a type with mistakes, so that they are not reported again wherever it is used.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{DeriveInput, parse_quote_spanned};

use crate::runtime::Runtime;

/// Implementations by which it is a device type, and in kernels a type in error, of whose uses rustc says nothing.
///
/// `errors` are statements.
pub(super) fn implementations(
    input: &DeriveInput,
    errors: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = Span::mixed_site();
    let root = v.root(span);
    let name = &input.ident;
    let text = name.to_string();
    let mut generics = input.generics.clone();
    // Where a type in error is said to be all this, rustc takes every type to be it.
    generics
        .make_where_clause()
        .predicates
        .push(parse_quote_spanned! {span=>
            __InError: ::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync + 'static
        });
    let (declared, given, clause) = generics.split_for_impl();
    let never = quote_spanned!(span=> ::core::unreachable!());
    quote_spanned! {span=>
        // An array whose length is in error, which has been said: so nothing is said of what it has not either.
        type __InError = <[(); { #errors 0 }] as ::core::iter::Iterator>::Item;

        #[diagnostic::do_not_recommend]
        impl #declared #root::ValueType for #name #given #clause {
            type Itself = __InError;

            fn into_value(self) -> __InError {
                #never
            }
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::DeviceType for #name #given #clause {
            type Repr = __InError;
            type Fields<__K: #root::Kind> = __InError;

            const LEAVES: ::core::primitive::u32 = 0;

            fn leaves(_: ::core::primitive::u32, _: &mut ::std::vec::Vec<#root::Leaf>) {}

            fn values(_: &__InError, _: &mut ::std::vec::Vec<#root::Value>) {}

            fn build(_: &mut #root::Words) -> __InError {
                #never
            }

            fn fields(_: &__InError) -> &__InError {
                #never
            }

            fn parts<__K: #root::Kind>(_: &mut __K::Whole) -> __InError {
                #never
            }

            fn placeholder() -> Self {
                #never
            }

            fn lift(self, _: &mut dyn #root::Lift) {}
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::Struct for #name #given #clause {
            type Value = __InError;

            const FIELDS: &'static [(&'static ::core::primitive::str, ::core::primitive::u32)] = &[];

            fn value(_: #root::Words) -> __InError {
                #never
            }
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::Element for #name #given #clause {
            fn from_bytes(_: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                #never
            }

            fn to_bytes(&self, _: &mut [::core::primitive::u8]) {}
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::InMemory for #name #given #clause {
            type This = __InError;

            const SPELLING: #root::Spelling = #root::Spelling {
                name: #text,
                slice: #text,
                slice_mut: #text,
                ptr: #text,
                ptr_mut: #text,
                local: #text,
            };
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::ByValue for #name #given #clause {
            type This = __InError;
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::Comptime for #name #given #clause {
            type This = __InError;

            fn word(self) -> ::core::primitive::u64 {
                #never
            }

            fn of_word(_: ::core::primitive::u64) -> Self {
                #never
            }

            fn text(_: ::core::primitive::u64) -> ::std::string::String {
                #never
            }
        }
    }
}
