//! What a struct gets.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{DataStruct, DeriveInput, Field, Fields, Index, Type};

use super::{Params, compared_by_hand, representations, spelled};
use crate::runtime::Runtime;
use crate::valid::Complaints;
use crate::{messages, spans, types, valid};

pub(super) fn structure(
    input: &DeriveInput,
    data: &DataStruct,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let generics = Params::of(&input.generics, v);
    let Params {
        declared, given, ..
    } = &generics;
    let this = quote!(#name #given);
    if representations(&input.attrs)
        .iter()
        .any(|name| name == "packed")
    {
        complaints.push(messages::PACKED.at(name, &[name]));
    }
    if data.fields.is_empty() {
        complaints.push(messages::EMPTY_STRUCT.at(name, &[name]));
        return TokenStream::new();
    }
    let fields = data.fields.iter();
    let checked: Vec<_> = fields.map(|field| checked(&field.ty, complaints)).collect();
    let in_error = !complaints.is_empty();
    // What refers to the host's memory can stand for nothing.
    let refers = |field: &Field| matches!(field.ty, Type::Ptr(_) | Type::Reference(_));
    if in_error && data.fields.iter().any(refers) {
        return TokenStream::new();
    }
    let span = Span::mixed_site();
    let root = v.root(span);
    let fields_name = format_ident!("{}Fields", name, span = span.located_at(name.span()));
    let members: Vec<_> = data.fields.members().collect();
    let types: Vec<_> = checked.iter().collect();
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
    let asked = match in_error || !generics.is_empty() {
        true => Vec::new(),
        false => asked(&types),
    };
    let (checks, sound) = match in_error {
        true => (TokenStream::new(), TokenStream::new()),
        false => requirements(name, &generics, (&types, &asked), v),
    };
    let place = blamed(name, &asked);
    let then = |ty: TokenStream| after(&asked, ty, place, v);
    let itself = then(quote_spanned!(span=> Self));
    // At the same place, so that it is the same error.
    let into_value = quote_spanned! {span=>
        fn into_value(self) -> Self::Itself {
            self
        }
    };
    let into_value = spans::located_at(into_value, place);
    // What is no value silently is so by this type instead.
    let without = TokenStream::new();
    let value_sound = match generics.is_empty() {
        true => &without,
        false => &sound,
    };
    let never = quote_spanned!(span=> ::core::unreachable!());
    let offset = |member| match in_error {
        true => quote_spanned!(span=> 0),
        false => quote_spanned!(span=> ::core::mem::offset_of!(#this, #member)),
    };
    let offsets: Vec<_> = members.iter().map(offset).collect();
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
    let compared = match in_error {
        true => TokenStream::new(),
        false => compared_by_hand(&generics, &types, v),
    };
    let placeholder =
        quote_spanned!(span=> #name { #(#members: #root::DeviceType::placeholder(),)* });
    let lift = quote_spanned!(span=> #(#root::DeviceType::lift(self.#members, out);)*);
    let from_bytes = quote_spanned! {span=>
        ::core::option::Option::Some(#name {
            #(#members: {
                let start = ::core::mem::offset_of!(#this, #members);
                let end = start + ::core::mem::size_of::<#types>();
                #root::Element::from_bytes(bytes.get(start..end)?)?
            },)*
        })
    };
    let to_bytes = quote_spanned! {span=>
        #(
            let start = ::core::mem::offset_of!(#this, #members);
            let end = start + ::core::mem::size_of::<#types>();
            #root::Element::to_bytes(&self.#members, &mut bytes[start..end]);
        )*
    };
    let [placeholder, lift, from_bytes, to_bytes] =
        [placeholder, lift, from_bytes, to_bytes].map(|body| match in_error {
            true => never.clone(),
            false => body,
        });
    quote_spanned! {span=>
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
        impl #declared #root::ValueType for #this #value_sound {
            type Itself = #itself;

            #into_value
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
                #placeholder
            }

            #[allow(unused_variables)]
            fn lift(self, out: &mut dyn #root::Lift) {
                #lift
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

        const _: () = {
            #checks
        };

        #[diagnostic::do_not_recommend]
        impl #declared #root::Element for #this #sound {
            #[allow(unused_variables)]
            fn from_bytes(bytes: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                #from_bytes
            }

            #[allow(unused_variables)]
            fn to_bytes(&self, bytes: &mut [::core::primitive::u8]) {
                #to_bytes
            }
        }
    }
    .into_iter()
    .chain(spelled(name, &generics, v, then))
    .collect()
}

/// The type of a field, or one in its place if it has been complained of.
fn checked(ty: &Type, complaints: &mut Complaints) -> Type {
    let before = complaints.len();
    valid::field_type(ty, complaints);
    let is_size = matches!(valid::source(ty).as_str(), "usize" | "isize");
    match complaints.len() == before || is_size {
        true => ty.clone(),
        false => stand_in(ty),
    }
}

/// What stands for a field of a type that has been complained of, so that uses of it are right: an array for a list.
fn stand_in(ty: &Type) -> Type {
    match ty {
        Type::Path(path) if let Some(elem) = types::argument_of("Vec", path) => {
            let elem = checked(elem, &mut Complaints::default());
            syn::parse_quote!([#elem; 1])
        }
        _ => syn::parse_quote!(::core::primitive::f32),
    }
}

/// Code that is in error, once, where a struct is not `Copy` (it has all else: nothing there asks for it), and of a
/// generic one where a type of a field cannot lie in memory; and a clause for all else, so that it is silently not
/// there where one cannot.
fn requirements(
    name: &Ident,
    generics: &Params,
    (types, asked): (&[&Type], &[&Type]),
    v: &Runtime,
) -> (TokenStream, TokenStream) {
    let span = Span::mixed_site();
    let root = v.root(span);
    let mut distinct: Vec<&Type> = Vec::new();
    for ty in types {
        if !distinct.contains(ty) {
            distinct.push(ty);
        }
    }
    let copied = check_copy(name, generics, v);
    let checks = match generics.is_empty() {
        true => quote_spanned!(span=> const _: () = #copied),
        false => {
            let fields = distinct.iter().map(|ty| {
                let span = span.located_at(spans::first(ty));
                let root = v.root(span);
                quote_spanned!(span=> #root::check_field::<#ty>();)
            });
            let (declared, of_copies) = (&generics.declared, &generics.copied);
            quote_spanned! {span.located_at(name.span())=>
                #[allow(dead_code, clippy::multiple_bound_locations)]
                const fn check #declared () #of_copies {
                    #copied
                    #(#fields)*
                }
            }
        }
    };
    let sound = quote_spanned! {span=>
        where
            #(for<'any> #distinct: #root::Element,)*
            #(for<'any> #asked: #root::InMemory<Then<#name> = #name>,)*
    };
    (checks, sound)
}

/// The types of fields, or of elements of theirs, of which rustc has to say whether they can lie in memory.
fn asked<'a>(types: &[&'a Type]) -> Vec<&'a Type> {
    let mut asked: Vec<&Type> = Vec::new();
    for ty in types {
        let ty = element(ty);
        if !valid::is_known_scalar(ty) && !asked.contains(&ty) {
            asked.push(ty);
        }
    }
    asked
}

/// A type, in error at this place if one of those cannot lie in memory.
fn after(asked: &[&Type], ty: TokenStream, place: Span, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site().located_at(place);
    let root = v.root(span);
    let ty = spans::located_at(ty, place);
    asked.iter().rfold(ty, |ty, asked| {
        let asked = spans::located_at(asked.to_token_stream(), place);
        quote_spanned!(span=> <#asked as #root::InMemory>::Then<#ty>)
    })
}

/// Where that is: rustc reports the whole, so only one type can be reported where it is written.
fn blamed(name: &Ident, asked: &[&Type]) -> Span {
    match asked {
        [only] => spans::first(only),
        _ => name.span(),
    }
}

/// What an array is of.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => element(&array.elem),
        ty => ty,
    }
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
