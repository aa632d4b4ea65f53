//! `#[derive(DeviceType)]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Data, GenericParam, Generics, Path, TypeParam};

mod enumeration;
mod field_types;
mod in_error;
mod mistakes;
mod read;
mod structure;

use crate::expand::unseen;
use crate::generics::gather_bounds;
use crate::runtime::Runtime;
use crate::valid::Complaints;
use read::Read;

/// The implementations for a struct or a C-like enum.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    match Read::of(item) {
        Ok(read) => unseen(&implementations(&read)),
        Err(error) => error.into_compile_error(),
    }
}

fn implementations(read: &Read) -> TokenStream {
    let input = &read.input;
    let mut complaints = Complaints::default();
    let v = Runtime::new(krate(&input.attrs, &mut complaints));
    let errors = match &input.data {
        Data::Struct(_) | Data::Union(_) if !read.is_whole => Some(read.error()),
        // rustc says nothing of variants that it could not read.
        Data::Enum(data) if !read.is_whole && data.variants.is_empty() => return quote!(),
        _ => {
            mistakes::find(input, &mut complaints);
            complaints.into_error().map(syn::Error::into_compile_error)
        }
    };
    match &input.data {
        Data::Struct(data) if errors.is_none() => structure::structure(input, data, &v),
        Data::Enum(data) if errors.is_none() => enumeration::enumeration(input, data, &v),
        _ => in_error::implementations(input, &errors.into_token_stream(), &v),
    }
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
    /// `where T: Copy`.
    copied: TokenStream,
    /// The declared and the given ones without their brackets.
    bare: (TokenStream, TokenStream),
    /// What is written between the brackets, and the opening one.
    spelled: Vec<TokenStream>,
}

impl Params {
    /// None, as of an enum.
    fn none(v: &Runtime) -> Self {
        Self::of(&Generics::default(), |_| false, v)
    }

    /// Of those that are part of markers alone nothing is asked but what these need.
    fn of(generics: &Generics, is_of_markers: impl Fn(&TypeParam) -> bool, v: &Runtime) -> Self {
        let span = Span::mixed_site();
        let root = v.root(span);
        let mut generics = generics.clone();
        gather_bounds(&mut generics);
        let mut declared = Vec::new();
        let mut given = Vec::new();
        let mut spelled = Vec::new();
        let (mut named, mut resolved, mut clause) = (Vec::new(), Vec::new(), Vec::new());
        let types = generics.type_params().map(|param| &param.ident);
        let copied = quote_spanned!(span=> where #(#types: ::core::marker::Copy,)*);
        for param in &generics.params {
            let between = if given.is_empty() { "<" } else { ", " };
            spelled.push(quote_spanned!(span=> #root::Part::Text(#between)));
            match param {
                GenericParam::Type(param) if is_of_markers(param) => {
                    let (name, bounds) = (&param.ident, &param.bounds);
                    let bounds: Vec<_> = bounds.iter().collect();
                    let marked = quote_spanned! {span=>
                        #name: #(#bounds +)* ::core::marker::Send + ::core::marker::Sync + 'static
                    };
                    declared.push(marked.clone());
                    named.push(marked);
                    given.push(quote!(#name));
                    resolved.push(quote!(#name));
                    spelled.push(quote_spanned!(span=> #root::Part::Text("_")));
                }
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
            copied,
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

/// How the type is written in a signature.
fn spelled(name: &Ident, generics: &Params, v: &Runtime) -> TokenStream {
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
        impl #root::ByValue for #name {
            type This = Self;
        }

        #[diagnostic::do_not_recommend]
        impl #root::InMemory for #name {
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

/// How it is found out whether the type's comparisons are derived: by what it has itself, or, where that depends on
/// type parameters, by what its fields have.
fn compared_by_hand(generics: &Params, fields: &[TokenStream], v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let root = v.root(span);
    let body = match generics.is_empty() {
        true => quote_spanned! {span=>
                #[allow(unused_imports)]
                use #root::NotCompared as _;
                let of_host = #root::Compared::<Self>::TYPE;
                #root::Comparisons::<Self> {
                    from_bytes: <Self as #root::Element>::from_bytes,
                    equality: of_host.equality(),
                    partial_order: of_host.partial_order(),
                    order: of_host.order(),
                }
                .by_hand(asked)
        },
        false => quote_spanned! {span=>
                ::core::option::Option::None
                #(.or_else(|| <#fields as #root::DeviceType>::compared_by_hand(asked)))*
        },
    };
    quote_spanned! {span=>
        fn compared_by_hand(asked: #root::Comparison) -> ::core::option::Option<#root::ByHand> {
            #body
        }
    }
}
