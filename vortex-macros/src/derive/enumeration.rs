//! What a C-like enum gets.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{DataEnum, DeriveInput};

use super::structure::check_copy;
use super::{Params, compared_by_hand, representations, spelled};
use crate::runtime::Runtime;

/// The integer types an enum can be stored as.
const DISCRIMINANTS: &[&str] = &["u8", "i8", "u16", "i16", "u32", "i32"];

/// Of an enum with variants, which say nothing but their names, and with a representation.
pub(super) fn enumeration(input: &DeriveInput, data: &DataEnum, v: &Runtime) -> TokenStream {
    let name = &input.ident;
    let integer = discriminant(&representations(&input.attrs));
    let span = Span::mixed_site();
    let root = v.root(span);
    let integer = integer.map(|integer| Ident::new(integer, span));
    let integer = quote_spanned!(span=> ::core::primitive::#integer);
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let first = variants.first();
    let generics = Params::none(v);
    let copied = check_copy(name, &generics, v);
    let compared = compared_by_hand(&generics, &[], v);
    let casts = ["i8", "i16", "i32", "u8", "u16", "u32", "usize", "isize"].map(|to| {
        let to = Ident::new(to, span);
        quote_spanned! {span=>
            #[diagnostic::do_not_recommend]
            impl #root::CastTo<::core::primitive::#to> for #name {
                #[track_caller]
                fn cast(value: #root::Lane<Self>) -> #root::Lane<::core::primitive::#to> {
                    #root::convert(value, ::core::panic::Location::caller())
                }
            }
        }
    });
    quote_spanned! {span=>
        #[diagnostic::do_not_recommend]
        impl #root::ValueType for #name {
            type Itself = Self;

            fn into_value(self) -> Self {
                self
            }
        }

        impl #root::DeviceType for #name {
            type Repr = #root::Word;
            type Fields<K: #root::Kind> = ();

            const LEAVES: ::core::primitive::u32 = 1;

            fn leaves(offset: ::core::primitive::u32, out: &mut ::std::vec::Vec<#root::Leaf>) {
                <#integer as #root::DeviceType>::leaves(offset, out);
            }

            fn values(word: &#root::Word, out: &mut ::std::vec::Vec<#root::Value>) {
                <#integer as #root::DeviceType>::values(word, out);
            }

            fn build(words: &mut #root::Words) -> #root::Word {
                <#integer as #root::DeviceType>::build(words)
            }

            fn fields(_: &#root::Word) -> &() {
                &()
            }

            fn parts<K: #root::Kind>(_: &mut K::Whole) {}

            fn shape() -> #root::Shape {
                #root::Shape::of_enum::<Self>(&[
                    #((::core::stringify!(#variants), #name::#variants as #integer as ::core::primitive::i64),)*
                ])
            }

            #compared

            fn placeholder() -> Self {
                #name::#first
            }

            fn lift(self, out: &mut dyn #root::Lift) {
                #root::DeviceType::lift(self as #integer, out);
            }
        }

        #(#casts)*

        #[diagnostic::do_not_recommend]
        impl #root::Element for #name {
            fn from_bytes(bytes: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                let number: #integer = #root::Element::from_bytes(bytes)?;
                #(
                    if number == #name::#variants as #integer {
                        return ::core::option::Option::Some(#name::#variants);
                    }
                )*
                ::core::option::Option::None
            }

            fn to_bytes(&self, bytes: &mut [::core::primitive::u8]) {
                let number = match self {
                    #(#name::#variants => #name::#variants as #integer,)*
                };
                #root::Element::to_bytes(&number, bytes);
            }
        }

        const _: () = #copied

        impl #root::Comptime for #name where for<'any> #name: ::core::marker::Copy {
            type This = Self;

            fn word(self) -> ::core::primitive::u64 {
                self as #integer as ::core::primitive::u64
            }

            fn of_word(word: ::core::primitive::u64) -> Self {
                #(
                    if word == #root::Comptime::word(#name::#variants) {
                        return #name::#variants;
                    }
                )*
                #name::#first
            }

            fn text(word: ::core::primitive::u64) -> ::std::string::String {
                let text = match <Self as #root::Comptime>::of_word(word) {
                    #(#name::#variants => ::core::stringify!(#variants),)*
                };
                ::std::string::String::from(text)
            }
        }
    }
    .into_iter()
    .chain(spelled(name, &generics, v))
    .collect()
}

/// The integer type that an enum with these representations is stored as.
pub(super) fn discriminant(representations: &[String]) -> Option<&'static str> {
    let named = |integer: &&&str| representations.iter().any(|name| name == **integer);
    DISCRIMINANTS.iter().find(named).copied()
}
