//! What is done to `impl` blocks and traits of any kind: their type parameters, and `self` in their functions.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::{GenericParam, Generics, ItemImpl, Path, Type, TypeParamBound};

use super::this;
use crate::generics::{copied, gather_bounds};
use crate::runtime::Runtime;
use crate::types::bare;
use crate::{operators, spans};

/// The parameters of an implementation stand for types that can lie in memory; what any type has those have, too, that
/// only lie in registers. Gives the traits of operators that were their bounds.
pub(super) fn of_implementation(block: &mut ItemImpl, v: &Runtime) -> Vec<Path> {
    let bound = match is_parameter(&block.self_ty, &block.generics) {
        true => "DeviceType",
        false => "Element",
    };
    of_device_types(&mut block.generics, bound, v)
}

/// Whether a type is one of these parameters: `impl<T: Num> Doubled for T`.
fn is_parameter(ty: &Type, generics: &Generics) -> bool {
    let Type::Path(path) = bare(ty) else {
        return false;
    };
    let mut params = generics.type_params();
    params.any(|param| path.path.is_ident(&param.ident))
}

/// The parameters of a block stand for device types. Gives the traits of operators that were their bounds.
pub(super) fn of_device_types(generics: &mut Generics, bound: &str, v: &Runtime) -> Vec<Path> {
    gather_bounds(generics);
    let operators = operators::in_bounds(generics, v);
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

/// The first `self` that is a value.
pub(super) fn first_self(tokens: TokenStream) -> Option<Ident> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        let found = match token {
            TokenTree::Ident(name) if name == "self" && !is_path => Some(name),
            TokenTree::Group(group) => first_self(group.stream()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// `self` under the name that it has in a rewritten body. In paths (`self::f`) it is the module.
pub(super) fn without_self(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        let is_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        out.push(match token {
            TokenTree::Ident(name) if name == "self" && !is_path => {
                TokenTree::Ident(this(name.span()))
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
