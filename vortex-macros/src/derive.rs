//! `#[derive(DeviceType)]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataEnum, DataStruct, DeriveInput, Field, Fields, FieldsNamed, GenericParam,
    Generics, Index, Path, Token, Type,
};

use crate::expand::unseen;
use crate::generics::gather_bounds;
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
    for lifetime in input.generics.lifetimes() {
        complaints.push(messages::BORROWING_TYPE.at(lifetime, &[&input.ident]));
    }
    if let Some(error) = complaints.take_error() {
        return error.into_compile_error();
    }
    let v = Runtime::new(krate(&input.attrs, &mut complaints));
    let (mut layout, mut others) = (Complaints::default(), complaints);
    let tokens = match &input.data {
        Data::Struct(data) => {
            if !representations(&input.attrs).iter().any(|name| name == "C") {
                layout.push(messages::NO_REPR_C.at(&input.ident, &[&input.ident]));
            }
            structure(&input, data, &v, &mut others)
        }
        Data::Enum(data) => enumeration(&input, data, &v, &mut others),
        Data::Union(data) => {
            others.push(messages::UNION.at(data.union_token, &[&input.ident]));
            TokenStream::new()
        }
    };
    // In error it is a device type all the same, so that its uses are not mistakes too.
    let tokens = unseen(&tokens);
    let errors = [layout, others]
        .into_iter()
        .filter_map(Complaints::into_error);
    let errors = errors.map(syn::Error::into_compile_error);
    quote!(#(#errors)* #tokens)
}

/// The parameters of a struct, with what lying in device memory asks of them.
struct Params {
    /// `<T: Element, const N: usize>`.
    declared: TokenStream,
    /// `<T, N>`.
    given: TokenStream,
    /// `<T: InMemory, const N: usize>`: bounds of which rustc complains only once.
    named: TokenStream,
    /// What the parameters are then, and what is asked of that.
    resolved: TokenStream,
    clause: TokenStream,
    /// The declared and the given ones without their brackets.
    bare: (TokenStream, TokenStream),
    /// What is written between the brackets, and the opening one.
    spelled: Vec<TokenStream>,
}

impl Params {
    fn of(generics: &Generics, v: &Runtime) -> Self {
        let span = Span::mixed_site();
        let root = v.root(span);
        let mut generics = generics.clone();
        gather_bounds(&mut generics);
        let mut declared = Vec::new();
        let mut given = Vec::new();
        let mut spelled = Vec::new();
        let (mut named, mut resolved, mut clause) = (Vec::new(), Vec::new(), Vec::new());
        for param in &generics.params {
            let between = if given.is_empty() { "<" } else { ", " };
            spelled.push(quote_spanned!(span=> #root::Part::Text(#between)));
            match param {
                GenericParam::Type(param) => {
                    let (name, bounds) = (&param.ident, &param.bounds);
                    let bounds: Vec<_> = bounds.iter().collect();
                    declared.push(quote_spanned!(span=> #name: #(#bounds +)* #root::Element));
                    given.push(quote!(#name));
                    named.push(quote_spanned!(span=> #name: #(#bounds +)* #root::InMemory));
                    let this = quote_spanned!(span=> <#name as #root::InMemory>::This);
                    clause.push(quote_spanned!(span=> #this: #(#bounds +)*));
                    resolved.push(this);
                    spelled.push(quote_spanned! {span=>
                        #root::Part::Text(<#name as #root::InMemory>::SPELLING.name)
                    });
                }
                GenericParam::Const(param) => {
                    let (name, ty) = (&param.ident, &param.ty);
                    declared.push(quote_spanned!(span=> const #name: #ty));
                    named.push(quote_spanned!(span=> const #name: #ty));
                    given.push(quote!(#name));
                    resolved.push(quote!(#name));
                    spelled.push(quote_spanned! {span=>
                        #root::Part::Number(#name as ::core::primitive::i128)
                    });
                }
                GenericParam::Lifetime(_) => {}
            }
        }
        let bare = (quote!(#(#declared),*), quote!(#(#given),*));
        let (declared, given) = match given.is_empty() {
            true => (TokenStream::new(), TokenStream::new()),
            false => {
                let (declared, given) = &bare;
                (quote!(<#declared>), quote!(<#given>))
            }
        };
        Self {
            declared,
            given,
            named: quote!(<#(#named),*>),
            resolved: quote!(<#(#resolved),*>),
            clause: quote!(where #(#clause,)*),
            bare,
            spelled,
        }
    }

    fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The declared ones and one more.
    fn with(&self, last: TokenStream) -> TokenStream {
        let declared = &self.bare.0;
        match self.is_empty() {
            true => quote!(<#last>),
            false => quote!(<#declared, #last>),
        }
    }

    /// The given ones and one more.
    fn given_with(&self, last: TokenStream) -> TokenStream {
        let given = &self.bare.1;
        match self.is_empty() {
            true => quote!(<#last>),
            false => quote!(<#given, #last>),
        }
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
    let (checks, sound) = match in_error {
        true => (TokenStream::new(), TokenStream::new()),
        false => requirements(name, &generics, &types, v),
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

            fn placeholder() -> Self {
                #placeholder
            }

            #[allow(unused_variables)]
            fn lift(self, out: &mut dyn #root::Lift) {
                #lift
            }
        }

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
    .chain(spelled(name, &generics, v, &sound))
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

/// The type of a field, or one in its place if it has been complained of.
fn checked(ty: &Type, complaints: &mut Complaints) -> Type {
    let before = complaints.len();
    valid::field_type(ty, complaints);
    let is_size = matches!(valid::source(ty).as_str(), "usize" | "isize");
    match complaints.len() == before || is_size {
        true => ty.clone(),
        false => syn::parse_quote!(::core::primitive::f32),
    }
}

/// Code that is in error, once, where a type of a field cannot lie in memory or the struct is not `Copy`; and a
/// clause for all else, so that it is silently not there in these cases.
fn requirements(
    name: &Ident,
    generics: &Params,
    types: &[&Type],
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
    let fields = distinct.iter().map(|ty| {
        let span = span.located_at(crate::spans::first(ty));
        let root = v.root(span);
        match generics.is_empty() {
            true => quote_spanned!(span=> const _: () = #root::check_field::<#ty>();),
            false => quote_spanned!(span=> #root::check_field::<#ty>();),
        }
    });
    let at_name = span.located_at(name.span());
    let Params {
        declared, given, ..
    } = generics;
    let this = quote!(#name #given);
    let this_at_name = crate::spans::located_at(this.clone(), name.span());
    let checks = match generics.is_empty() {
        true => quote_spanned! {at_name=> const _: () = #root::check_copy::<#name>(); #(#fields)* },
        false => quote_spanned! {at_name=>
            #[allow(dead_code)]
            const fn check #declared () {
                #root::check_copy::<#this_at_name>();
                #(#fields)*
            }
        },
    };
    let sound = quote_spanned! {span=>
        where
            for<'any> #this: ::core::marker::Copy,
            #(for<'any> #distinct: #root::Element,)*
    };
    (checks, sound)
}

/// How the type is written in a signature.
fn spelled(name: &Ident, generics: &Params, v: &Runtime, sound: &TokenStream) -> TokenStream {
    let span = Span::mixed_site();
    let root = v.root(span);
    let text = name.to_string();
    if !generics.is_empty() {
        let Params {
            named,
            clause,
            given,
            spelled,
            ..
        } = generics;
        let this = &generics.resolved;
        // Of what is not `Copy` the check of that tells.
        let clause = quote_spanned!(span=> #clause for<'any> #name #this: ::core::marker::Copy,);
        return quote_spanned! {span=>
            #[diagnostic::do_not_recommend]
            impl #named #root::InMemory for #name #given #clause {
                type This = #name #this;
                const SPELLING: #root::Spelling = #root::Spelled::<Self>::SPELLING;
            }

            #[diagnostic::do_not_recommend]
            impl #named #root::ByValue for #name #given #clause {
                type This = #name #this;
            }

            impl #named #root::Parts for #name #given #clause {
                const PARTS: &'static [#root::Part] =
                    &[#root::Part::Text(#text), #(#spelled,)* #root::Part::Text(">")];
            }
        };
    }
    let [slice, slice_mut, ptr, ptr_mut, local] = [
        format!("&[{name}]"),
        format!("&mut [{name}]"),
        format!("*const {name}"),
        format!("*mut {name}"),
        format!("&mut Local<[{name}]>"),
    ];
    quote_spanned! {span=>
        #[diagnostic::do_not_recommend]
            impl #root::ByValue for #name #sound {
            type This = Self;
        }

        #[diagnostic::do_not_recommend]
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
    let generics = Params::of(&Generics::default(), v);
    let (checks, sound) = requirements(name, &generics, &[], v);
    let casts = ["i8", "i16", "i32", "u8", "u16", "u32", "usize", "isize"].map(|to| {
        let to = Ident::new(to, span);
        quote_spanned! {span=>
            #[diagnostic::do_not_recommend]
            impl #root::CastTo<::core::primitive::#to> for #name #sound {
                fn cast_to(
                    value: #root::Lane<Self>,
                    at: &'static ::core::panic::Location<'static>,
                ) -> #root::Lane<::core::primitive::#to> {
                    #root::convert(value, at)
                }
            }
        }
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

            fn lift(self, out: &mut dyn #root::Lift) {
                #root::DeviceType::lift(self as #integer, out);
            }
        }

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

        impl #root::Comptime for #name #sound {
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
    .chain(spelled(name, &generics, v, &sound))
    .collect()
}
