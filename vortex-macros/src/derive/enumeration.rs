//! What a C-like enum gets.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::punctuated::Punctuated;
use syn::{
    DataEnum, DataStruct, DeriveInput, Field, Fields, FieldsNamed, FieldsUnnamed, Generics, Token,
};

use super::structure::{check_copy, structure};
use super::{Params, compared_by_hand, representations, spelled};
use crate::messages;
use crate::runtime::Runtime;
use crate::valid::Complaints;

/// The integer types an enum can be stored as.
const DISCRIMINANTS: &[&str] = &["u8", "i8", "u16", "i16", "u32", "i32"];

pub(super) fn enumeration(
    input: &DeriveInput,
    data: &DataEnum,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    let name = &input.ident;
    if input.generics.type_params().next().is_some()
        || input.generics.const_params().next().is_some()
    {
        complaints.push(messages::GENERIC_ENUM.at(&input.generics, &[name]));
        return TokenStream::new();
    }
    let mut variants = data.variants.iter();
    if let Some(variant) = variants.find(|variant| !matches!(variant.fields, Fields::Unit)) {
        complaints.push(messages::VARIANT_WITH_FIELDS.at(variant, &[&variant.ident]));
        return structure(input, &all_fields(data), v, complaints);
    }
    let Some(first) = data.variants.first() else {
        complaints.push(messages::EMPTY_ENUM.at(name, &[name]));
        return TokenStream::new();
    };
    let representations = representations(&input.attrs);
    let known = |name: &&String| DISCRIMINANTS.contains(&name.as_str());
    let integer = representations.iter().find(known).map(String::as_str);
    let integer = integer.unwrap_or_else(|| {
        complaints.push(messages::NO_REPR_INTEGER.at(name, &[name]));
        // What stands in for it is as large as the enum is now.
        match representations.is_empty() {
            true => "u8",
            false => "u32",
        }
    });
    let span = Span::mixed_site();
    let root = v.root(span);
    let integer = Ident::new(integer, span);
    let integer = quote_spanned!(span=> ::core::primitive::#integer);
    let first = &first.ident;
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let generics = Params::of(&Generics::default(), v);
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
    .chain(spelled(name, &generics, v, |ty| ty))
    .collect()
}

/// A struct with the fields of all variants, to stand in for an enum in error: what patterns name is there.
fn all_fields(data: &DataEnum) -> DataStruct {
    let mut fields: Punctuated<Field, Token![,]> = Punctuated::new();
    let of_variants = data.variants.iter().flat_map(|variant| &variant.fields);
    for field in of_variants.filter(|field| field.ident.is_some()) {
        if fields.iter().all(|known| known.ident != field.ident) {
            fields.push(field.clone());
        }
    }
    if let Some(unnamed) = longest_tuple(data).filter(|_| fields.is_empty()) {
        return DataStruct {
            struct_token: Token![struct](data.enum_token.span),
            fields: Fields::Unnamed(unnamed.clone()),
            semi_token: None,
        };
    }
    if fields.is_empty() {
        fields.push(syn::parse_quote!(_nothing: ::core::primitive::u32));
    }
    DataStruct {
        struct_token: Token![struct](data.enum_token.span),
        fields: Fields::Named(FieldsNamed {
            brace_token: data.brace_token,
            named: fields,
        }),
        semi_token: None,
    }
}

/// The fields of the variant that has the most without names.
fn longest_tuple(data: &DataEnum) -> Option<&FieldsUnnamed> {
    let tuples = data
        .variants
        .iter()
        .filter_map(|variant| match &variant.fields {
            Fields::Unnamed(fields) => Some(fields),
            Fields::Named(_) | Fields::Unit => None,
        });
    tuples.max_by_key(|fields| fields.unnamed.len())
}
