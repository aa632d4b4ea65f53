//! `#[device] impl Add for Complex`: what an operator does to a type of the user's; and `T: Add<Output = T>`.
//!
//! A trait of [`std::ops`] takes values of the host. The block becomes one of our trait for the same operator, whose
//! function takes what kernels compute with; it has no `self`, which would be a value of the host, too.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, ImplItem, ItemImpl, Path, PathArguments,
    ReceiverKind, Signature, Type, TypeParamBound, WherePredicate, parse_quote_spanned,
};

use super::expand::this;
use crate::messages;
use crate::native;
use crate::runtime::Runtime;
use crate::signature::bare;
use crate::valid::{self, Complaints};

/// The traits of the operators that kernels have.
const OPERATORS: &[&str] = &[
    "Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not",
];

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

/// Bounds by the traits of operators, `T: Add<Output = T>`, become bounds by ours. Gives the user's.
pub(crate) fn in_bounds(generics: &mut Generics, v: &Runtime) -> Vec<Path> {
    let clauses = generics.where_clause.iter_mut();
    let predicates = clauses.flat_map(|clause| &mut clause.predicates);
    let of_predicates = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) => Some(&mut predicate.bounds),
        _ => None,
    });
    let of_params = generics.params.iter_mut().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&mut param.bounds),
        _ => None,
    });
    let bounds = of_params.chain(of_predicates).flatten();
    let replaced = bounds.filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let ours = ours(&bound.path, v)?;
            Some(std::mem::replace(&mut bound.path, ours))
        }
        _ => None,
    });
    replaced.collect()
}

/// What uses traits that the user names and that ours stand for: otherwise their imports would be in vain.
pub(crate) fn imports(paths: &[Path]) -> TokenStream {
    let paths = paths.iter().map(|path| {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        path
    });
    quote! {
        #(const _: () = {
            #[allow(unused_imports)]
            use #paths as _;
        };)*
    }
}

/// Our trait for the operator that a trait of [`std::ops`] is for.
fn ours(path: &Path, v: &Runtime) -> Option<Path> {
    let last = path.segments.last()?;
    if !valid::is_one_of(&last.ident, OPERATORS) || !valid::may_be_of_std(path) {
        return None;
    }
    let ours = v.item(&format!("overload::{}", last.ident), last.ident.span());
    let mut ours: Path = syn::parse2(ours).ok()?;
    ours.segments.last_mut()?.arguments = last.arguments.clone();
    Some(ours)
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
