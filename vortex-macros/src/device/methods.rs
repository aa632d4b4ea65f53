//! `#[device]` in front of an `impl` block or a `trait`: each function in it becomes one over staged types.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Block, FnArg, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, ItemTrait, Pat, Path, ReceiverKind,
    Token, TraitItem, TraitItemFn, Type, TypeParamBound, Visibility,
};

use super::block::{first_self, of_device_types, of_implementation, without_self};
use super::declaration::Declaration;
use super::key::Key;
use super::signature::Signature;
use super::taken::Taken;
use super::{expand, index, nested, operator, refused};
use crate::attr::Arguments;
use crate::generics::copied;
use crate::native::{self, Side};
use crate::operators;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::twins::staged_name;
use crate::types::bare;
use crate::valid::{self, Complaints};
use crate::{body, messages};

/// What the block stands for, if it is one.
pub(super) fn block(arguments: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let item = syn::parse2::<Item>(item.clone()).ok()?;
    if !matches!(item, Item::Impl(_) | Item::Trait(_)) {
        return None;
    }
    let mut complaints = Complaints::of_a_block();
    let arguments = Arguments::of_function(arguments.clone(), &mut complaints);
    let v = Runtime::new(arguments.krate);
    let has_twins = arguments.host.is_some();
    let tokens = match item {
        Item::Impl(block) => implementation(block, has_twins, &v, &mut complaints),
        Item::Trait(block) => declaration(block, has_twins, &v, &mut complaints),
        _ => return None,
    };
    let errors = complaints.into_error().map(syn::Error::into_compile_error);
    Some(quote!(#errors #tokens))
}

fn implementation(
    mut block: ItemImpl,
    has_twins: bool,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    // What the host computes is what kernels have.
    if valid::implements_default(&block) {
        return quote!(#block);
    }
    if let Type::Slice(slice) = bare(&block.self_ty) {
        let text = valid::source(slice);
        complaints.push(messages::SLICE_METHODS.at(slice, &[&text]));
        return refused::stand_in(&block, v);
    }
    if let Some(tokens) = index::implementation(&block, has_twins, v, complaints) {
        return tokens;
    }
    let is_operator = operator::is_operator(&block, v);
    let of_operator = (has_twins && is_operator).then(|| operator::twin(&block, v, complaints));
    let has_twins = has_twins && !is_operator;
    let written = block.clone();
    let mut named = of_implementation(&mut block, v);
    let refused = valid::host_trait(&block);
    // Any other stays where the user names it.
    let is_replaced = |path: &&Path| refused.is_some() || operators::ours(path, v).is_some();
    let of_trait = block.trait_.as_ref().map(|(path, _)| path);
    named.extend(of_trait.filter(is_replaced).cloned());
    let imports = operators::imports(&named);
    let refused = refused.map_or_else(|| operator::implementation(&mut block, v), Err);
    if let Err(error) = refused {
        complaints.push(error);
        let stand_in = refused::stand_in(&written, v);
        return quote!(#imports #stand_in);
    }
    let conversion = operator::conversion(&block, has_twins, v);
    let conversion = conversion.unwrap_or_else(|error| {
        complaints.push(error);
        TokenStream::new()
    });
    let imports = quote!(#imports #conversion);
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(&function.sig),
        _ => None,
    });
    let methods = methods_of(functions);
    let place = DeclaredIn {
        is_trait: block.trait_.is_some(),
        has_types: block.generics.type_params().next().is_some(),
        has_twins,
        methods: &methods,
    };
    let mut key = Key::of(&block.self_ty, &block.generics);
    let mut staged = Vec::new();
    let (mut unsound, mut taken) = (Vec::new(), Vec::new());
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else {
            continue;
        };
        let ImplItemFn {
            attrs,
            vis,
            sig,
            block,
            ..
        } = function.clone();
        let method = method(attrs, vis, sig.clone(), block, place, v, complaints);
        if has_twins {
            if let (Some((signature, frame)), false) = (&method.read, place.is_trait) {
                key.add(&sig, signature, frame, v, complaints);
            }
            if !method.is_sound {
                unsound.push(sig.ident);
            }
            taken.extend(method.taken);
            staged.push(ImplItem::Verbatim(method.tokens));
        } else {
            *item = ImplItem::Verbatim(method.tokens);
            taken.extend(method.taken);
        }
    }
    let taken = taken.iter().map(|taken| taken.tokens(&key, &block, v));
    let imports = quote!(#imports #(#taken)*);
    if !has_twins {
        return quote!(#of_operator #imports #block);
    }
    let mut host = written;
    for item in &mut host.items {
        if let ImplItem::Fn(function) = item {
            native::without_attributes(&mut function.sig);
            // Of a variant without its enum the staged form says enough.
            let allow = syn::parse_quote!(#[allow(bindings_with_variant_name)]);
            function.attrs.push(allow);
            if unsound.contains(&function.sig.ident) {
                function.block = unreachable(&mut function.attrs);
            }
        }
    }
    native::implementation(&mut host, v, complaints);
    if place.is_trait {
        host.generics = block.generics;
        host.items.extend(staged);
        return quote!(#imports #host);
    }
    let key = key.tokens();
    block.items = staged;
    quote!(#imports #[allow(dead_code)] #host #block #key)
}

fn declaration(
    mut block: ItemTrait,
    has_twins: bool,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    if has_twins && !block.generics.params.is_empty() {
        complaints.push(messages::HOST_GENERIC_TRAIT.at(&block.generics, &[]));
        return quote!(#block);
    }
    let own = block.items.iter().find_map(|item| match item {
        TraitItem::Type(ty) => Some(&ty.ident),
        _ => None,
    });
    if let Some(own) = own.filter(|_| has_twins) {
        complaints.push(messages::HOST_ASSOCIATED_TYPE.at(own, &[own]));
        return quote!(#block);
    }
    let imports = operators::imports(&of_device_types(&mut block.generics, "DeviceType", v));
    // A colon of the user's stays where it is.
    block.colon_token.get_or_insert_default();
    let bound = v.item("DeviceType", block.ident.span());
    block.supertraits.push(TypeParamBound::Verbatim(bound));
    let functions = block.items.iter().filter_map(|item| match item {
        TraitItem::Fn(function) => Some(&function.sig),
        _ => None,
    });
    let methods = methods_of(functions);
    let place = DeclaredIn {
        is_trait: true,
        has_types: true,
        has_twins,
        methods: &methods,
    };
    of_types(&mut block, v);
    let mut host = block.clone();
    let mut key = Key::of_trait(&block.ident);
    let mut staged = Vec::new();
    for item in &mut block.items {
        let TraitItem::Fn(function) = item else {
            continue;
        };
        let TraitItemFn {
            attrs,
            sig,
            default,
            ..
        } = function.clone();
        let method = match default {
            Some(block) => {
                let vis = Visibility::Inherited;
                method(attrs, vis, sig.clone(), block, place, v, complaints)
            }
            None => required(attrs, sig.clone(), place, v, complaints),
        };
        if let (true, Some((signature, frame))) = (has_twins, &method.read) {
            key.add(&sig, signature, frame, v, complaints);
        }
        match has_twins {
            true => staged.push(TraitItem::Verbatim(method.tokens)),
            false => *item = TraitItem::Verbatim(method.tokens),
        }
    }
    if !has_twins {
        return quote!(#imports #block);
    }
    for item in &mut host.items {
        if let TraitItem::Fn(function) = item {
            native::without_attributes(&mut function.sig);
        }
    }
    native::declaration(&mut host, v, complaints);
    host.items.extend(staged);
    let key = key.tokens();
    // Perhaps kernels alone call what it has.
    quote!(#imports #[allow(dead_code)] #host #key)
}

/// Types that a trait's implementations say are those that kernels compute with.
fn of_types(block: &mut ItemTrait, v: &Runtime) {
    for item in &mut block.items {
        if let TraitItem::Type(ty) = item {
            let at = ty.ident.span();
            let needed = v.item("DeviceType", at);
            ty.bounds.push(TypeParamBound::Verbatim(needed));
            ty.bounds.push(copied(at));
            ty.colon_token.get_or_insert(Token![:](at));
        }
    }
}

/// A function of a trait that its implementations have to have.
fn required(
    attrs: Vec<syn::Attribute>,
    sig: syn::Signature,
    place: DeclaredIn<'_>,
    v: &Runtime,
    complaints: &mut Complaints,
) -> Method {
    let block = Block {
        brace_token: syn::token::Brace(sig.paren_token.span.join()),
        stmts: Vec::new(),
    };
    let function = ItemFn {
        attrs,
        modifiers: Default::default(),
        vis: Visibility::Inherited,
        sig,
        block: Box::new(block),
    };
    names(&function, place, complaints);
    let before = complaints.len();
    let (signature, frame) = Signature::read(function, v, complaints);
    let staged = staged_name(&frame.name);
    let tokens = Declaration::in_block((&frame, &signature), place.has_twins.then_some(&staged), v)
        .required();
    let is_sound = complaints.len() == before;
    Method {
        tokens,
        is_sound,
        read: is_sound.then_some((signature, frame)),
        taken: None,
    }
}

/// The body of a function of the host whose staged form is in error.
fn unreachable(attrs: &mut Vec<syn::Attribute>) -> Block {
    attrs.push(syn::parse_quote!(#[allow(unused_variables, unused_mut)]));
    syn::parse_quote!({ ::core::unreachable!() })
}

/// A function of a block, as it is staged.
struct Method {
    tokens: TokenStream,
    /// Whether nothing is wrong with it.
    is_sound: bool,
    /// Its signature, if that is sound.
    read: Option<(Signature, Kernel)>,
    /// What stands in for it where its name is the language's.
    taken: Option<Taken>,
}

/// Where a function is declared.
#[derive(Clone, Copy)]
struct DeclaredIn<'a> {
    /// It is a trait, or an implementation of one.
    is_trait: bool,
    /// It has type parameters.
    has_types: bool,
    /// Its functions are the host's, too.
    has_twins: bool,
    /// Its functions with a `self`.
    methods: &'a [String],
}

/// The language finds its own methods by their names first. Of a struct, those of the user are found after these.
fn names(function: &ItemFn, place: DeclaredIn<'_>, complaints: &mut Complaints) -> bool {
    let Some(receiver) = function.sig.receiver() else {
        return false;
    };
    let changes = matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)));
    let name = &function.sig.ident;
    let taken = changes || place.is_trait || place.has_twins || valid::is_swizzle(name);
    let arguments = function.sig.inputs.len() - 1;
    let is_taken = valid::is_of_the_language_with(name, arguments) && taken
        || valid::is_of_the_language_alone(name, arguments);
    if is_taken {
        complaints.push(messages::METHOD_NAME.at(name, &[name]));
    }
    is_taken
}

fn method(
    attrs: Vec<syn::Attribute>,
    vis: Visibility,
    sig: syn::Signature,
    block: Block,
    place: DeclaredIn<'_>,
    v: &Runtime,
    complaints: &mut Complaints,
) -> Method {
    let unread = |tokens| Method {
        tokens,
        is_sound: false,
        read: None,
        taken: None,
    };
    let whole = ItemFn {
        attrs,
        modifiers: Default::default(),
        vis,
        sig,
        block: Box::new(block),
    };
    let mut own = Complaints::of_a_block();
    if place.has_twins {
        valid::on_the_host(&whole, &mut own);
    }
    let mut function = whole;
    let block = function.block.to_token_stream();
    let unknown_self = first_self(block.clone()).filter(|_| has_no_self(&function.sig));
    function.block = match syn::parse2(without_self(block)) {
        Ok(block) => Box::new(block),
        Err(error) => {
            complaints.push(error);
            return unread(TokenStream::new());
        }
    };
    Side::Device.choose(&mut function.block);
    if names(&function, place, complaints) && !place.is_trait {
        // Where it is called it is looked for among what a value has, which `&mut self` is not.
        let (signature, frame) = Signature::read(function, v, &mut Complaints::of_a_block());
        return Method {
            taken: Some(Taken::of(&signature, &frame, v)),
            ..unread(match place.has_twins {
                false => found_all_the_same(signature, &frame, v),
                true => TokenStream::new(),
            })
        };
    }
    // What is wrong with these leaves the signature what it is.
    let mut of_generics = Complaints::of_a_block();
    valid::numbers_among_types(&mut function.sig.generics, &mut of_generics);
    if let Some(unknown) = unknown_self {
        of_generics.push(messages::NO_SELF.at(unknown, &[&function.sig.ident]));
    }
    let has_receiver = function.sig.receiver().is_some();
    let (mut signature, mut frame) = Signature::read(function, v, &mut own);
    frame.has_types |= place.has_types;
    frame.is_of_a_block = true;
    // On the host, rustc says that there is no such function.
    if has_receiver && !place.has_twins {
        frame.methods = place.methods.to_vec();
    }
    let signature_is_sound = own.is_empty();
    own.add(of_generics);
    let returned = signature.gives_a_reference.clone();
    let inputs = signature.inputs_of_body();
    let output = signature.output.as_ref();
    let body = body::rewrite_function(
        &frame,
        &inputs,
        output,
        &HashSet::new(),
        nested,
        v,
        &mut own,
    );
    if signature_is_sound && own.gives_a_value && !place.is_trait && !place.has_twins {
        signature.gives_a_value(&frame.body, v);
    }
    let staged = staged_name(&frame.name);
    let of = Declaration::in_block((&frame, &signature), place.has_twins.then_some(&staged), v);
    // What the body gives is no further mistake.
    let error = match returned.filter(|_| signature_is_sound) {
        Some(error) => Some(error),
        None => own.into_error(),
    };
    let Some(error) = error else {
        return Method {
            tokens: of.function(&body),
            is_sound: true,
            read: Some((signature, frame)),
            taken: None,
        };
    };
    if signature_is_sound {
        let error = error.into_compile_error();
        return Method {
            tokens: of.stub(&body, &error),
            is_sound: false,
            read: Some((signature, frame)),
            taken: None,
        };
    }
    complaints.push(error);
    // Without the right signature an implementation of a trait would be another mistake for rustc.
    unread(match place.is_trait || place.has_twins {
        false => expand::any_call(&frame, &signature, v),
        true => TokenStream::new(),
    })
}

/// The names of those functions that are called as methods.
fn methods_of<'a>(functions: impl Iterator<Item = &'a syn::Signature>) -> Vec<String> {
    let methods = functions.filter(|sig| sig.receiver().is_some());
    methods.map(|sig| sig.ident.to_string()).collect()
}

/// Whether there is no `self`, also none under the name that it has here as a parameter of an operator.
fn has_no_self(sig: &syn::Signature) -> bool {
    let mut inputs = sig.inputs.iter();
    inputs.all(|input| match input {
        FnArg::Receiver(_) => false,
        FnArg::Typed(input) => {
            !matches!(&*input.pat, Pat::Ident(pat) if pat.ident == messages::SELF)
        }
    })
}

/// What stands in for a method whose block does not have the attribute.
pub(super) fn alone(function: ItemFn, v: &Runtime) -> TokenStream {
    let mut complaints = Complaints::of_a_block();
    let (signature, frame) = Signature::read(function, v, &mut complaints);
    if !complaints.is_empty() {
        return TokenStream::new();
    }
    let never = quote_spanned!(Span::mixed_site()=> ::core::unreachable!());
    let declaration = Declaration::in_block((&frame, &signature), None, v);
    declaration.unread(&never)
}

/// What stands in for a method that has another's name: it takes anything.
fn found_all_the_same(signature: Signature, frame: &Kernel, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let (name, vis) = (&frame.name, &frame.vis);
    let output = signature.output.unwrap_or_else(|| v.item("Nothing", span));
    let params = (0..signature.inputs.len()).map(|number| format_ident!("_argument{number}"));
    quote_spanned! {span=>
        #[allow(dead_code)]
        #vis fn #name(&self #(, #params: impl ::core::marker::Sized)*) -> #output {
            ::core::unreachable!()
        }
    }
}
