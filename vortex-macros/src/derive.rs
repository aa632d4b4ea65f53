//! `#[derive(DeviceType)]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Data, DataEnum, DataStruct, DeriveInput, Fields, Index, Path};

use crate::runtime::Runtime;
use crate::valid::Complaints;
use crate::{messages, valid};

/// The integer types an enum can be stored as.
const DISCRIMINANTS: &[&str] = &["u8", "i8", "u16", "i16", "u32", "i32"];

/// The implementations for a struct or a C-like enum.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut complaints = Complaints::default();
    if !input.generics.params.is_empty() {
        complaints.push(messages::GENERIC_TYPE.at(&input.generics, &[&input.ident]));
    }
    let v = Runtime::new(krate(&input.attrs, &mut complaints));
    let tokens = match &input.data {
        Data::Struct(data) => structure(&input, data, &v, &mut complaints),
        Data::Enum(data) => enumeration(&input, data, &v, &mut complaints),
        Data::Union(data) => {
            complaints.push(messages::UNION.at(data.union_token, &[&input.ident]));
            TokenStream::new()
        }
    };
    match complaints.into_error() {
        None => tokens,
        Some(error) => error.into_compile_error(),
    }
}

/// `#[vortex(crate = path)]`.
fn krate(attributes: &[Attribute], complaints: &mut Complaints) -> Option<Path> {
    let mut krate = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("vortex")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("only `crate = path` can stand here"));
            }
            krate = Some(meta.value()?.call(Path::parse_mod_style)?);
            Ok(())
        });
        if let Err(error) = parsed {
            complaints.push(error);
        }
    }
    krate
}

/// The names in `#[repr(..)]`.
fn representations(attributes: &[Attribute]) -> Vec<String> {
    let mut names = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("repr")) {
        // What rustc cannot read it complains of itself.
        let _ = attribute.parse_nested_meta(|meta| {
            if let Some(name) = meta.path.get_ident() {
                names.push(name.to_string());
            }
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    names
}

fn structure(
    input: &DeriveInput,
    data: &DataStruct,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let representations = representations(&input.attrs);
    if !representations.iter().any(|name| name == "C") {
        complaints.push(messages::NO_REPR_C.at(name, &[name]));
    }
    if representations.iter().any(|name| name == "packed") {
        complaints.push(messages::PACKED.at(name, &[name]));
    }
    if data.fields.is_empty() {
        complaints.push(messages::EMPTY_STRUCT.at(name, &[name]));
    }
    for field in &data.fields {
        valid::field_type(&field.ty, complaints);
    }
    let span = Span::mixed_site();
    let root = v.root(span);
    let fields_name = format_ident!("{}Fields", name, span = span.located_at(name.span()));
    let members: Vec<_> = data.fields.members().collect();
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
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
    let (checks, sound) = requirements(name, &types, v);
    let summary = format!("The fields of a [`{name}`] in a kernel: of a value or of a place.");
    let generic = quote_spanned!(span=> <K: #root::Kind>);
    let of = quote_spanned!(span=> <K as #root::Kind>::Of);
    let declaration = match &data.fields {
        Fields::Named(_) => {
            quote_spanned!(span=> #sound { #(#[allow(missing_docs)] #viss #members: #of<#types>,)* })
        }
        _ => quote_spanned!(span=> (#(#viss #of<#types>,)*) #sound;),
    };
    quote_spanned! {span=>
        #[doc = #summary]
        #[allow(dead_code)]
        #vis struct #fields_name #generic #declaration

        impl #generic ::core::marker::Copy for #fields_name<K> #sound {}

        impl #generic ::core::clone::Clone for #fields_name<K> #sound {
            fn clone(&self) -> Self {
                *self
            }
        }

        // Methods whose names the language has too are found here, after the language's own.
        impl ::core::ops::Deref for #fields_name<#root::Lanes> #sound {
            type Target = #name;

            fn deref(&self) -> &#name {
                #root::method_of_fields::<#name>(self)
            }
        }

        impl #root::DeviceType for #name #sound {
            type Repr = #fields_name<#root::Lanes>;
            type Fields<K: #root::Kind> = #fields_name<K>;

            const IN_MEMORY: ::core::primitive::bool = false #(|| <#types as #root::DeviceType>::IN_MEMORY)*;
            const LEAVES: ::core::primitive::u32 = 0 #(+ <#types as #root::DeviceType>::LEAVES)*;

            fn leaves(offset: ::core::primitive::u32, out: &mut ::std::vec::Vec<#root::Leaf>) {
                #(<#types as #root::DeviceType>::leaves(
                    offset + ::core::mem::offset_of!(#name, #members) as ::core::primitive::u32,
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

            fn parts<K: #root::Kind>(whole: &mut K::Whole) -> #fields_name<K> {
                #fields_name {
                    #(#members: K::field(whole, ::core::mem::offset_of!(#name, #members)),)*
                }
            }

            fn placeholder() -> Self {
                #name { #(#members: #root::DeviceType::placeholder(),)* }
            }

            fn lift(
                self,
                at: &'static ::core::panic::Location<'static>,
                out: &mut ::std::vec::Vec<#root::Value>,
            ) {
                #(#root::DeviceType::lift(self.#members, at, out);)*
            }
        }

        impl #root::Struct for #name #sound {
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

        impl #root::Element for #name #sound {
            fn from_bytes(bytes: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(#name {
                    #(#members: {
                        let start = ::core::mem::offset_of!(#name, #members);
                        let end = start + ::core::mem::size_of::<#types>();
                        #root::Element::from_bytes(bytes.get(start..end)?)?
                    },)*
                })
            }

            fn to_bytes(&self, bytes: &mut [::core::primitive::u8]) {
                #(
                    let start = ::core::mem::offset_of!(#name, #members);
                    let end = start + ::core::mem::size_of::<#types>();
                    #root::Element::to_bytes(&self.#members, &mut bytes[start..end]);
                )*
            }
        }
    }
    .into_iter()
    .chain(spelled(name, v, &sound))
    .collect()
}

/// Code that is in error, once, where a type of a field cannot lie in memory or the struct is not `Copy`; and a
/// clause for all else, so that it is silently not there in these cases.
fn requirements(name: &Ident, types: &[&syn::Type], v: &Runtime) -> (TokenStream, TokenStream) {
    let span = Span::mixed_site();
    let root = v.root(span);
    let mut distinct: Vec<&syn::Type> = Vec::new();
    for ty in types {
        if !distinct.contains(ty) {
            distinct.push(ty);
        }
    }
    let fields = distinct.iter().map(|ty| {
        let span = span.located_at(crate::spans::first(ty));
        let root = v.root(span);
        quote_spanned!(span=> const _: () = #root::check_field::<#ty>();)
    });
    let at_name = span.located_at(name.span());
    let copy = quote_spanned!(at_name=> const _: () = #root::check_copy::<#name>(););
    let checks = quote!(#copy #(#fields)*);
    let sound = quote_spanned! {span=>
        where
            for<'any> #name: ::core::marker::Copy,
            #(for<'any> #distinct: #root::Element,)*
    };
    (checks, sound)
}

/// How the type is written in a signature.
fn spelled(name: &Ident, v: &Runtime, sound: &TokenStream) -> TokenStream {
    let span = Span::mixed_site();
    let root = v.root(span);
    let text = name.to_string();
    let [slice, slice_mut, ptr, ptr_mut, local] = [
        format!("&[{name}]"),
        format!("&mut [{name}]"),
        format!("*const {name}"),
        format!("*mut {name}"),
        format!("&mut Local<[{name}]>"),
    ];
    quote_spanned! {span=>
        impl #root::InMemory for #name #sound {
            type This = Self;
            const SPELLING: #root::Spelling = #root::Spelling {
                name: #text,
                slice: #slice,
                slice_mut: #slice_mut,
                ptr: #ptr,
                ptr_mut: #ptr_mut,
                local: #local,
            };
        }
    }
}

fn enumeration(
    input: &DeriveInput,
    data: &DataEnum,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    let name = &input.ident;
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            complaints.push(messages::VARIANT_WITH_FIELDS.at(variant, &[&variant.ident]));
        }
    }
    let Some(first) = data.variants.first() else {
        complaints.push(messages::EMPTY_ENUM.at(name, &[name]));
        return TokenStream::new();
    };
    let representations = representations(&input.attrs);
    let known = |name: &&String| DISCRIMINANTS.contains(&name.as_str());
    let Some(integer) = representations.iter().find(known) else {
        complaints.push(messages::NO_REPR_INTEGER.at(name, &[name]));
        return TokenStream::new();
    };
    let span = Span::mixed_site();
    let root = v.root(span);
    let integer = Ident::new(integer, span);
    let integer = quote_spanned!(span=> ::core::primitive::#integer);
    let first = &first.ident;
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let (checks, sound) = requirements(name, &[], v);
    let casts = ["i8", "i16", "i32", "u8", "u16", "u32", "usize", "isize"].map(|to| {
        let to = Ident::new(to, span);
        quote_spanned!(span=> impl #root::CastTo<::core::primitive::#to> for #name #sound {})
    });
    quote_spanned! {span=>
        impl #root::DeviceType for #name #sound {
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

            fn placeholder() -> Self {
                #name::#first
            }

            fn lift(
                self,
                at: &'static ::core::panic::Location<'static>,
                out: &mut ::std::vec::Vec<#root::Value>,
            ) {
                #root::DeviceType::lift(self as #integer, at, out);
            }
        }

        // As on the host: `==` is for those that derive it.
        impl #root::Compare for #name #sound for<'any> #name: ::core::cmp::PartialEq {}

        #(#casts)*

        const _: () = {
            #checks
        };

        impl #root::Element for #name #sound {
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
                #root::Element::to_bytes(&(*self as #integer), bytes);
            }
        }
    }
    .into_iter()
    .chain(spelled(name, v, &sound))
    .collect()
}
