//! Generic kernels: what stands between the angle brackets, with what the device asks for.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    FnArg, GenericParam, Generics, ItemFn, Path, PathArguments, PathSegment, PredicateType, Token,
    Type, TypeParam, TypeParamBound, WherePredicate,
};

use crate::operators;
use crate::runtime::Runtime;
use crate::types;
use crate::types::bare;
use crate::valid;

/// `Copy`, which all device types are, though `DeviceType` does not say so.
pub(crate) fn copied(span: Span) -> TypeParamBound {
    TypeParamBound::Verbatim(quote_spanned!(span=> ::core::marker::Copy))
}

/// The parameters of a generic kernel, each with the bounds that its use in the signature asks for; and the traits of
/// operators that the user has as bounds.
pub(crate) fn read(function: &ItemFn, v: &Runtime) -> (Generics, Vec<Path>) {
    let mut generics = function.sig.generics.clone();
    generics.params = std::mem::take(&mut generics.params)
        .into_iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
    let in_memory = in_memory(function);
    let by_value: HashSet<String> = function
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(input) => match bare(&input.ty) {
                Type::Path(path) => path.path.get_ident().map(Ident::to_string),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
        .collect();
    let in_arrays = in_arrays(function);
    let (in_textures, in_tensors) = (in_textures(function), in_tensors(function));
    gather_bounds(&mut generics);
    let operators = operators::in_bounds(&mut generics, v);
    let mut clause = Punctuated::<WherePredicate, Token![,]>::new();
    for param in generics.type_params_mut() {
        let is_bare = param.bounds.is_empty();
        let name = param.ident.to_string();
        let span = Span::mixed_site().located_at(param.ident.span());
        let uses = [
            (true, "DeviceType"),
            (
                in_memory.contains(&name) || in_arrays.contains(&name),
                "Element",
            ),
            (by_value.contains(&name), "Argument"),
            (in_textures.contains(&name), "Texel"),
            (in_tensors.contains(&name), "TensorElement"),
        ];
        for (_, bound) in uses.into_iter().filter(|(used, _)| *used) {
            let bound = v.item(bound, span);
            param.bounds.push(TypeParamBound::Verbatim(bound));
        }
        param.bounds.push(copied(span));
        // Where the user has a place for bounds, rustc proposes what is missing.
        if is_bare {
            let (of, bounds) = (&param.ident, std::mem::take(&mut param.bounds));
            param.colon_token = None;
            clause.push(WherePredicate::Type(PredicateType {
                attrs: Vec::new(),
                lifetimes: None,
                bounded_ty: syn::parse_quote!(#of),
                colon_token: Token![:](Span::mixed_site()),
                bounds,
            }));
        }
    }
    if !clause.is_empty() {
        generics.make_where_clause().predicates.extend(clause);
    }
    (generics, operators)
}

/// The names of types that slices hold and pointers point to, also as parts of others.
pub(crate) fn in_memory(function: &ItemFn) -> HashSet<String> {
    struct Finder {
        found: HashSet<String>,
        /// Inside of what has to lie in memory.
        inside: bool,
    }

    impl<'ast> Visit<'ast> for Finder {
        fn visit_type(&mut self, ty: &'ast Type) {
            let outside = self.inside;
            self.inside |= matches!(ty, Type::Slice(_) | Type::Ptr(_));
            if let (true, Type::Path(path)) = (self.inside, ty)
                && let Some(name) = path.path.get_ident()
            {
                self.found.insert(Ident::to_string(name));
            }
            visit::visit_type(self, ty);
            self.inside = outside;
        }

        /// Of a struct of the user's; `Option` is none.
        fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
            let outside = self.inside;
            self.inside |= matches!(segment.arguments, PathArguments::AngleBracketed(_))
                && segment.ident != "Option"
                && segment.ident != "Local";
            visit::visit_path_segment(self, segment);
            self.inside = outside;
        }
    }

    let mut finder = Finder {
        found: HashSet::new(),
        inside: false,
    };
    finder.visit_signature(&function.sig);
    finder.found
}

/// A type parameter, with what the user asks of it.
pub(crate) struct Parameter {
    pub(crate) name: Ident,
    pub(crate) asked: Asked,
}

/// What the bounds of a type parameter ask.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// There are none.
    Nothing,
    /// Nothing that has operators to calculate with.
    NoArithmetic,
    /// It is a number, and that is all.
    Number,
    /// Something else, or more.
    Other,
}

/// The type parameters, with what is asked of them.
pub(crate) fn parameters(generics: &Generics) -> Vec<Parameter> {
    let asked = |param: &TypeParam| {
        let name = param.ident.to_string();
        let clauses = generics.where_clause.iter();
        let of_clauses = clauses.flat_map(|clause| &clause.predicates);
        let of_clauses = of_clauses.filter_map(|predicate| match predicate {
            WherePredicate::Type(of) if of.bounded_ty.to_token_stream().to_string() == name => {
                Some(&of.bounds)
            }
            _ => None,
        });
        let bounds: Vec<_> = param.bounds.iter().chain(of_clauses.flatten()).collect();
        if bounds.is_empty() {
            return Asked::Nothing;
        }
        if bounds.iter().all(|bound| asks_for_no_arithmetic(bound)) {
            return match is_operand(generics, &param.ident) {
                true => Asked::Other,
                false => Asked::NoArithmetic,
            };
        }
        let is_known =
            |bound: &&TypeParamBound| asks_for_a_number(bound) || asks_for_no_arithmetic(bound);
        match bounds.iter().all(is_known) {
            true => Asked::Number,
            false => Asked::Other,
        }
    };
    let params = generics.type_params();
    let params = params.map(|param| Parameter {
        name: param.ident.clone(),
        asked: asked(param),
    });
    params.collect()
}

/// Whether a bound is one of the prelude's for numbers.
fn asks_for_a_number(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let last = bound.path.segments.last();
    last.is_some_and(|last| valid::is_one_of(&last.ident, &["Num", "Int", "Signed"]))
}

/// Whether a bound is one of Rust's that has no operators, or compares.
fn asks_for_no_arithmetic(bound: &TypeParamBound) -> bool {
    let names = [
        "Copy",
        "Clone",
        "Send",
        "Sync",
        "Sized",
        "Unpin",
        "Default",
        "Debug",
        "Display",
        "Hash",
        "PartialEq",
        "Eq",
        "PartialOrd",
        "Ord",
    ];
    match bound {
        TypeParamBound::Lifetime(_) => true,
        TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|last| valid::is_one_of(&last.ident, &names))
        }
        _ => false,
    }
}

/// Whether what is asked of something else may be operators with this parameter: `U: Mul<T>`, `where Point<T>: Add`.
fn is_operand(generics: &Generics, name: &Ident) -> bool {
    struct Finder<'n> {
        name: &'n Ident,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_type_param_bound(&mut self, bound: &'ast TypeParamBound) {
            if !types::is_callable(bound) {
                visit::visit_type_param_bound(self, bound);
            }
        }

        fn visit_predicate_type(&mut self, of: &'ast PredicateType) {
            let is_itself =
                matches!(&of.bounded_ty, Type::Path(path) if path.path.is_ident(self.name));
            if !is_itself {
                self.visit_type(&of.bounded_ty);
            }
            for bound in &of.bounds {
                self.visit_type_param_bound(bound);
            }
        }

        fn visit_path(&mut self, path: &'ast Path) {
            let first = path.segments.first();
            self.found |= first.is_some_and(|first| first.ident == *self.name);
            visit::visit_path(self, path);
        }
    }

    let mut finder = Finder { name, found: false };
    finder.visit_generics(generics);
    finder.found
}

/// The names of the elements of arrays that are passed by value.
fn in_arrays(function: &ItemFn) -> HashSet<String> {
    fn element(ty: &Type) -> Option<String> {
        match bare(ty) {
            Type::Array(array) => element(&array.elem),
            Type::Path(path) => path.path.get_ident().map(Ident::to_string),
            _ => None,
        }
    }
    let types = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(bare(&input.ty)),
        FnArg::Receiver(_) => None,
    });
    let arrays = types.filter(|ty| matches!(ty, Type::Array(_)));
    arrays.filter_map(element).collect()
}

/// The names of the texels of textures.
pub(crate) fn in_textures(function: &ItemFn) -> HashSet<String> {
    names_behind_references(function, |ty| Some(types::texture(ty)?.texel))
}

/// The names of the elements of tensors.
pub(crate) fn in_tensors(function: &ItemFn) -> HashSet<String> {
    names_behind_references(function, |ty| Some(types::tensor(ty)?.elem))
}

/// The names of what parameters refer to that is made of something else.
fn names_behind_references(
    function: &ItemFn,
    made_of: impl Fn(&Type) -> Option<&Type>,
) -> HashSet<String> {
    let types = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => match bare(&input.ty) {
            Type::Reference(reference) => made_of(&reference.elem),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let names = types.filter_map(|ty| match bare(ty) {
        Type::Path(path) => path.path.get_ident().map(Ident::to_string),
        _ => None,
    });
    names.collect()
}

/// Moves what a `where` clause says of a parameter to the parameter, where more is going to be said of it: clippy
/// does not like bounds in two places.
pub(crate) fn gather_bounds(generics: &mut Generics) {
    let Some(clause) = &mut generics.where_clause else {
        return;
    };
    let mut params: Vec<_> = generics
        .params
        .iter_mut()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(param),
            GenericParam::Lifetime(_) | GenericParam::Const(_) => None,
        })
        .collect();
    clause.predicates = std::mem::take(&mut clause.predicates)
        .into_iter()
        .filter_map(|predicate| {
            if let WherePredicate::Type(of_type) = &predicate
                && of_type.lifetimes.is_none()
                && let Type::Path(path) = &of_type.bounded_ty
                && let Some(name) = path.path.get_ident()
                && let Some(param) = params.iter_mut().find(|param| param.ident == *name)
            {
                param.bounds.extend(of_type.bounds.iter().cloned());
                return None;
            }
            Some(predicate)
        })
        .collect();
    if clause.predicates.is_empty() {
        generics.where_clause = None;
    }
}

/// Whether a type names one of the parameters.
pub(crate) fn mentions(ty: &Type, generics: &Generics) -> bool {
    struct Finder<'g>(&'g Generics, bool);

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_path(&mut self, path: &'ast Path) {
            let first = path.segments.first().map(|segment| &segment.ident);
            let mut types = self.0.type_params().map(|param| &param.ident);
            self.1 |= types.any(|name| Some(name) == first);
            let mut consts = self.0.const_params().map(|param| &param.ident);
            self.1 |= consts.any(|name| Some(name) == first);
            visit::visit_path(self, path);
        }
    }

    let mut finder = Finder(generics, false);
    finder.visit_type(ty);
    finder.1
}

/// What the type that stands for the kernel holds, so that it uses its parameters.
pub(crate) fn phantom(generics: &Generics) -> TokenStream {
    let types = generics.type_params().map(|param| &param.ident);
    quote!(::core::marker::PhantomData<fn() -> (#(#types,)*)>)
}

/// The parameters as they are declared, without brackets.
pub(crate) fn declared(generics: &Generics) -> TokenStream {
    let params = generics.params.iter().map(ToTokens::to_token_stream);
    quote!(#(#params),*)
}

/// The parameters as a type declares them that asks nothing of them, in brackets if there are any.
pub(crate) fn without_bounds(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.where_clause = None;
    for param in generics.type_params_mut() {
        param.bounds.clear();
        param.colon_token = None;
    }
    generics
}
