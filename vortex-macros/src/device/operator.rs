//! `#[device] impl Add for Complex`: what an operator does to a type of the user's; and `T: Add<Output = T>`. `From` is
//! declared in the same way.
//!
//! A trait of [`std::ops`] takes values of the host. The block becomes one of our trait for the same operator, whose
//! function takes what kernels compute with; it has no `self`, which would be a value of the host, too.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{
    FnArg, GenericArgument, ImplItem, ItemImpl, PathArguments, ReceiverKind, ReturnType, Signature,
    Type, parse_quote_spanned,
};

use super::this;
use crate::messages;
use crate::native;
use crate::operators::ours;
use crate::runtime::Runtime;
use crate::twins::staged_name;
use crate::types::bare;
use crate::valid::{self, Complaints};

/// Makes the implementation of an operator one of our trait, if it is one.
pub(super) fn implementation(block: &mut ItemImpl, v: &Runtime) -> Result<(), syn::Error> {
    let is_of_std = valid::implements_std(block);
    let Some((path, _)) = block.trait_.as_mut().filter(|_| is_of_std) else {
        return Ok(());
    };
    let Some(ours) = ours(path, v) else {
        return Ok(());
    };
    let theirs = std::mem::replace(path, ours);
    if let Some(last) = theirs.segments.last().filter(|last| last.ident == "From") {
        let is_value = |ty: &Type| matches!(bare(ty), Type::Path(_) | Type::Array(_));
        if let Some(other) = types(&last.arguments).find(|ty| !is_value(ty)) {
            return Err(messages::FROM_OPERAND.at(other, &[&valid::source(other)]));
        }
    }
    if let Some(last) = theirs.segments.last() {
        let mut operands = [&*block.self_ty].into_iter().chain(types(&last.arguments));
        if let Some(reference) = operands.find(|ty| matches!(bare(ty), Type::Reference(_))) {
            return Err(messages::OPERATOR_OF_REFERENCE.at(reference, &[&last.ident]));
        }
    }
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            takes_value(&mut function.sig);
        }
    }
    Ok(())
}

/// Whether a block implements an operator.
pub(super) fn is_operator(block: &ItemImpl, v: &Runtime) -> bool {
    let of = block.trait_.as_ref();
    of.is_some_and(|(path, _)| ours(path, v).is_some())
}

/// What the host has of an operator with `host`: the block as it is written.
pub(super) fn twin(block: &ItemImpl, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
    let mut block = block.clone();
    native::implementation(&mut block, v, complaints);
    block.into_token_stream()
}

/// The types between angle brackets.
fn types(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let arguments = match arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}

/// What `Complex::from(x)` calls where `from` is a function of the type, and of no trait.
pub(super) fn conversion(
    block: &ItemImpl,
    has_twins: bool,
    v: &Runtime,
) -> Result<TokenStream, syn::Error> {
    let signature = block.items.iter().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == "from" => Some(&function.sig),
        _ => None,
    });
    let Some(signature) = signature.filter(|_| block.trait_.is_none()) else {
        return Ok(TokenStream::new());
    };
    let this = &block.self_ty;
    let is_this = |ty: &Type| {
        let text = valid::source(ty);
        text == "Self" || text == valid::source(this)
    };
    let inputs: Vec<_> = signature.inputs.iter().collect();
    let ([FnArg::Typed(input)], ReturnType::Type(_, output)) = (&inputs[..], &signature.output)
    else {
        return Err(messages::FROM_NAME.at(&signature.ident, &[]));
    };
    let is_value = matches!(bare(&input.ty), Type::Path(_) | Type::Array(_));
    if !is_value || !is_this(output) || !signature.generics.params.is_empty() {
        return Err(messages::FROM_NAME.at(&signature.ident, &[]));
    }
    let span = Span::mixed_site();
    let (of, root) = (&input.ty, v.root(span));
    let name = match has_twins {
        true => staged_name(&signature.ident),
        false => signature.ident.clone(),
    };
    let (declared, _, clause) = block.generics.split_for_impl();
    Ok(quote_spanned! {span=>
        impl #declared #root::overload::From<#of> for #this #clause {
            #[track_caller]
            fn from(value: #root::Lane<#of>) -> #root::Lane<Self> {
                <#this>::#name(value)
            }
        }
    })
}

/// A parameter in the place of `self`.
fn takes_value(signature: &mut Signature) {
    let Some(FnArg::Receiver(receiver)) = signature.inputs.first() else {
        return;
    };
    if let ReceiverKind::Value = receiver.kind {
        let (span, mutability) = (receiver.self_token.span, receiver.mutability);
        let this = this(span);
        signature.inputs[0] = parse_quote_spanned!(span=> #mutability #this: Self);
    }
}
