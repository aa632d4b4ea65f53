//! What a struct gets.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{DataStruct, DeriveInput, Fields, Index, Type};

use super::field_types::{FieldTypes, is_of_markers};
use super::{Params, compared_by_hand, spelled};
use crate::runtime::Runtime;
use crate::spans;

pub(super) fn structure(input: &DeriveInput, data: &DataStruct, v: &Runtime) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let generics = Params::of(&input.generics, |param| is_of_markers(param, data), v);
    let Params {
        declared, given, ..
    } = &generics;
    let this = quote!(#name #given);
    let span = Span::mixed_site();
    let root = v.root(span);
    let fields_name = format_ident!("{}Fields", name, span = span.located_at(name.span()));
    let members: Vec<_> = data.fields.members().collect();
    let fields = FieldTypes::of(data, &input.generics, v);
    let FieldTypes {
        named: types,
        declared: names,
        ..
    } = &fields;
    let viss: Vec<_> = data.fields.iter().map(|field| &field.vis).collect();
    let texts: Vec<_> = data
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| match &field.ident {
            Some(name) => name.to_string(),
            None => Index::from(index).index.to_string(),
        })
        .collect();
    let (checks, sound) = requirements(name, &generics, &fields.dependent, v);
    let offsets: Vec<_> = members
        .iter()
        .map(|member| quote_spanned!(span=> ::core::mem::offset_of!(#this, #member)))
        .collect();
    let summary = format!("The fields of a [`{name}`] in a kernel: of a value or of a place.");
    let with_kind = generics.with(quote_spanned!(span=> __K: #root::Kind));
    let of_kind = generics.given_with(quote_spanned!(span=> __K));
    let of_lanes = generics.given_with(quote_spanned!(span=> #root::Lanes));
    let of = quote_spanned!(span=> <__K as #root::Kind>::Of);
    let declaration = match &data.fields {
        Fields::Named(_) => {
            quote_spanned!(span=> #sound { #(#[allow(missing_docs)] #viss #members: #of<#types>,)* })
        }
        _ => quote_spanned!(span=> (#(#viss #of<#types>,)*) #sound;),
    };
    let compared = compared_by_hand(&generics, types, v);
    quote_spanned! {span=>
        #names

        #[doc = #summary]
        #[allow(dead_code)]
        #vis struct #fields_name #with_kind #declaration

        impl #with_kind ::core::marker::Copy for #fields_name #of_kind #sound {}

        #[allow(clippy::expl_impl_clone_on_copy)]
        impl #with_kind ::core::clone::Clone for #fields_name #of_kind #sound {
            fn clone(&self) -> Self {
                *self
            }
        }

        // Methods whose names the language has too are found here, after the language's own.
        impl #declared ::core::ops::Deref for #fields_name #of_lanes #sound {
            type Target = #this;

            fn deref(&self) -> &#this {
                #root::method_of_fields::<#this>(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::ValueType for #this #sound {
            type Itself = Self;

            fn into_value(self) -> Self {
                self
            }
        }

        impl #declared #root::DeviceType for #this #sound {
            type Repr = #fields_name #of_lanes;
            type Fields<__K: #root::Kind> = #fields_name #of_kind;

            const IN_MEMORY: ::core::primitive::bool = false #(|| <#types as #root::DeviceType>::IN_MEMORY)*;
            const HOLDS_POINTERS: ::core::primitive::bool =
                false #(|| <#types as #root::DeviceType>::HOLDS_POINTERS)*;
            const LEAVES: ::core::primitive::u32 = 0 #(+ <#types as #root::DeviceType>::LEAVES)*;

            fn leaves(offset: ::core::primitive::u32, out: &mut ::std::vec::Vec<#root::Leaf>) {
                #(<#types as #root::DeviceType>::leaves(
                    offset + #offsets as ::core::primitive::u32,
                    out,
                );)*
            }

            fn values(fields: &Self::Repr, out: &mut ::std::vec::Vec<#root::Value>) {
                #(#root::Staged::values(fields.#members, out);)*
            }

            fn build(words: &mut #root::Words) -> Self::Repr {
                <Self as #root::DeviceType>::parts::<#root::Lanes>(words)
            }

            fn fields(fields: &Self::Repr) -> &Self::Repr {
                fields
            }

            fn parts<__K: #root::Kind>(whole: &mut __K::Whole) -> #fields_name #of_kind {
                #fields_name {
                    #(#members: __K::field(whole, #offsets),)*
                }
            }

            fn shape() -> #root::Shape {
                #root::Shape::of_struct::<Self>(&[
                    #((#texts, #offsets, <#types as #root::DeviceType>::shape),)*
                ])
            }

            #compared

            fn placeholder() -> Self {
                #name { #(#members: <#types as #root::DeviceType>::placeholder(),)* }
            }

            fn lift(self, out: &mut dyn #root::Lift) {
                #(<#types as #root::DeviceType>::lift(self.#members, out);)*
            }
        }

        #[diagnostic::do_not_recommend]
        impl #declared #root::Struct for #this #sound {
            type Value = #root::Lane<Self>;

            const FIELDS: &'static [(&'static ::core::primitive::str, ::core::primitive::u32)] =
                &[#((#texts, <#types as #root::DeviceType>::LEAVES)),*];

            fn value(mut words: #root::Words) -> #root::Lane<Self> {
                #root::Lane::build(&mut words)
            }
        }

        #checks

        #[diagnostic::do_not_recommend]
        impl #declared #root::Element for #this #sound {
            fn from_bytes(bytes: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(#name {
                    #(#members: {
                        let start = ::core::mem::offset_of!(#this, #members);
                        let end = start + ::core::mem::size_of::<#types>();
                        <#types as #root::Element>::from_bytes(bytes.get(start..end)?)?
                    },)*
                })
            }

            fn to_bytes(&self, bytes: &mut [::core::primitive::u8]) {
                #(
                    let start = ::core::mem::offset_of!(#this, #members);
                    let end = start + ::core::mem::size_of::<#types>();
                    <#types as #root::Element>::to_bytes(&self.#members, &mut bytes[start..end]);
                )*
            }
        }
    }
    .into_iter()
    .chain(spelled(name, &generics, v))
    .collect()
}

/// Code that is in error, once, where a struct is not `Copy` (it has all else: nothing there asks for it), and of a
/// generic one where a type of a field cannot lie in memory; and a clause for all else, so that it is silently not
/// there where one cannot.
fn requirements(
    name: &Ident,
    generics: &Params,
    dependent: &[&Type],
    v: &Runtime,
) -> (TokenStream, TokenStream) {
    let span = Span::mixed_site();
    let root = v.root(span);
    let copied = check_copy(name, generics, v);
    if generics.is_empty() {
        return (quote_spanned!(span=> const _: () = #copied), quote!());
    }
    let fields = dependent.iter().map(|ty| {
        let span = span.located_at(spans::first(ty));
        let root = v.root(span);
        quote_spanned!(span=> let _ = <#ty as #root::InMemory>::CHECKED;)
    });
    let (declared, of_copies) = (&generics.declared, &generics.copied);
    let checks = quote_spanned! {span.located_at(name.span())=>
        #[allow(dead_code, clippy::multiple_bound_locations)]
        const fn check #declared () #of_copies {
            #copied
            #(#fields)*
        }
    };
    let sound = quote_spanned!(span=> where #(for<'any> #dependent: #root::Element,)*);
    (checks, sound)
}

/// In error where a type is not `Copy`.
pub(super) fn check_copy(name: &Ident, generics: &Params, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site().located_at(name.span());
    let root = v.root(span);
    let this = quote!(#name);
    let this = match generics.is_empty() {
        true => this,
        false => {
            let given = &generics.given;
            spans::located_at(quote!(#this #given), name.span())
        }
    };
    quote_spanned!(span=> <#this as #root::IsCopy>::CHECKED;)
}
