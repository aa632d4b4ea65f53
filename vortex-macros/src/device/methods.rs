//! `#[device]` in front of an `impl` block or a `trait`: each function in it becomes one over staged types.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Block, GenericParam, Generics, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, ItemTrait, Path,
    ReceiverKind, TraitItem, TraitItemFn, TypeParamBound, Visibility,
};

use super::expand::Declaration;
use super::signature::Signature;
use super::{expand, operator};
use crate::attr::Arguments;
use crate::generics::{copied, gather_bounds};
use crate::native::Side;
use crate::runtime::Runtime;
use crate::valid::{self, Complaints};
use crate::{body, messages, spans};

/// What the block stands for, if it is one.
pub(super) fn block(arguments: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let item = syn::parse2::<Item>(item.clone()).ok()?;
    if !matches!(item, Item::Impl(_) | Item::Trait(_)) {
        return None;
    }
    let mut complaints = Complaints::of_a_block();
    let arguments = Arguments::of_function(arguments.clone(), &mut complaints);
    let v = Runtime::new(arguments.krate);
    let on_the_host = arguments.host.and_then(|host| {
        let twin = operator::twin(&item, &host, &v, &mut complaints);
        twin.map_err(|error| complaints.push(error)).ok()
    });
    let tokens = match item {
        Item::Impl(block) => implementation(block, &v, &mut complaints),
        Item::Trait(block) => declaration(block, &v, &mut complaints),
        _ => return None,
    };
    let errors = complaints.into_error().map(syn::Error::into_compile_error);
    Some(quote!(#errors #on_the_host #tokens))
}

fn implementation(mut block: ItemImpl, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
    // What the host computes is what kernels have.
    if valid::implements_default(&block) {
        return quote!(#block);
    }
    let mut named = of_device_types(&mut block.generics, "Element", v);
    named.extend(block.trait_.as_ref().map(|(path, _)| path.clone()));
    let imports = operator::imports(&named);
    let refused = valid::host_trait(&block);
    let refused = refused.map_or_else(|| operator::implementation(&mut block, v), Err);
    if let Err(error) = refused {
        complaints.push(error);
        return imports;
    }
    let place = DeclaredIn {
        is_trait: block.trait_.is_some(),
        has_types: block.generics.type_params().next().is_some(),
    };
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
        *item = ImplItem::Verbatim(method(attrs, vis, sig, block, place, v, complaints));
    }
    quote!(#imports #block)
}

fn declaration(mut block: ItemTrait, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
    let imports = operator::imports(&of_device_types(&mut block.generics, "DeviceType", v));
    // A colon of the user's stays where it is.
    block.colon_token.get_or_insert_default();
    let bound = v.item("DeviceType", block.ident.span());
    block.supertraits.push(TypeParamBound::Verbatim(bound));
    let place = DeclaredIn {
        is_trait: true,
        has_types: true,
    };
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
        let tokens = match default {
            Some(block) => {
                let vis = Visibility::Inherited;
                method(attrs, vis, sig, block, place, v, complaints)
            }
            None => {
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
                let (signature, frame) = Signature::read(function, v, complaints);
                Declaration {
                    frame: &frame,
                    signature: &signature,
                    twin: None,
                    is_free: false,
                    v,
                }
                .required()
            }
        };
        *item = TraitItem::Verbatim(tokens);
    }
    quote!(#imports #block)
}

/// Where a function is declared.
#[derive(Clone, Copy)]
struct DeclaredIn {
    /// It is a trait, or an implementation of one.
    is_trait: bool,
    /// It has type parameters.
    has_types: bool,
}

/// The language finds its own methods by their names first. Of a struct, those of the user are found after these.
fn names(function: &ItemFn, place: DeclaredIn, complaints: &mut Complaints) {
    let Some(receiver) = function.sig.receiver() else {
        return;
    };
    let changes = matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)));
    let name = &function.sig.ident;
    let taken = changes || place.is_trait || valid::is_swizzle(name);
    if valid::is_of_the_language(name) && taken {
        complaints.push(messages::METHOD_NAME.at(name, &[name]));
    }
}

fn method(
    attrs: Vec<syn::Attribute>,
    vis: Visibility,
    sig: syn::Signature,
    block: Block,
    place: DeclaredIn,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    let block = match syn::parse2(without_self(block.into_token_stream())) {
        Ok(block) => block,
        Err(error) => {
            complaints.push(error);
            return TokenStream::new();
        }
    };
    let mut function = ItemFn {
        attrs,
        modifiers: Default::default(),
        vis,
        sig,
        block: Box::new(block),
    };
    Side::Device.choose(&mut function.block);
    let mut own = Complaints::of_a_block();
    names(&function, place, complaints);
    let arity = function.sig.inputs.len();
    let has_receiver = function.sig.receiver().is_some();
    let (signature, mut frame) = Signature::read(function, v, &mut own);
    frame.has_types |= place.has_types;
    let signature_is_sound = own.is_empty();
    let inputs = signature.inputs_of_body();
    let body = body::rewrite_function(&frame, &inputs, signature.output.as_ref(), v, &mut own);
    let of = Declaration {
        frame: &frame,
        signature: &signature,
        twin: None,
        is_free: false,
        v,
    };
    let Some(error) = own.into_error() else {
        return of.function(&body);
    };
    if signature_is_sound {
        let error = error.into_compile_error();
        return of.stub(&body, &error);
    }
    complaints.push(error);
    // Without the right signature an implementation of a trait would be another mistake for rustc.
    match place.is_trait {
        false => expand::any_call(&frame, arity, has_receiver),
        true => TokenStream::new(),
    }
}

/// The parameters of a block stand for device types. Gives the traits of operators that were their bounds.
fn of_device_types(generics: &mut Generics, bound: &str, v: &Runtime) -> Vec<Path> {
    gather_bounds(generics);
    let operators = operator::in_bounds(generics, v);
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            let at = spans::of_bound(param);
            let bound = v.item(bound, at);
            param.bounds.push(TypeParamBound::Verbatim(bound));
            param.bounds.push(copied(at));
        }
    }
    operators
}

/// `self` under the name that it has in a rewritten body. In paths (`self::f`) it is the module.
fn without_self(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        let is_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        out.push(match token {
            TokenTree::Ident(name) if name == "self" && !is_path => {
                TokenTree::Ident(expand::this(name.span()))
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_self(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            token => token,
        });
    }
    out.into_iter().collect()
}
