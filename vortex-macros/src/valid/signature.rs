//! What a kernel's signature may be.

use std::collections::HashSet;
use std::fmt::Display;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Expr, FnArg, ForeignItemFn, GenericParam, Generics, Item, ItemFn, Lifetime, Meta,
    Pat, Path, PathSegment, ReturnType, Safety, Signature, Type, TypeArray, TypeParamBound,
    TypeReference,
};

use super::path::is_number;
use super::{Complaints, is_one_of, may_be_of_std, source};
use crate::attr::{is_layout, is_lint_level};
use crate::generics::gather_bounds;
use crate::types::{bare, is_callable};
use crate::{messages, spans};

/// Whether constants of generics may be of this type.
fn is_constant(name: &str) -> bool {
    is_number(name) && !matches!(name, "f16" | "bf16" | "f32" | "f64")
}

/// Makes `<N: usize>` what was meant, `<const N: usize>`, and says so.
pub(crate) fn numbers_among_types(generics: &mut Generics, complaints: &mut Complaints) {
    for param in &mut generics.params {
        let GenericParam::Type(ty) = &*param else {
            continue;
        };
        let number = ty.bounds.iter().find_map(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                let name = bound.path.get_ident()?;
                is_constant(&name.to_string()).then(|| name.clone())
            }
            _ => None,
        });
        if let Some(number) = number {
            let name = ty.ident.clone();
            complaints.push(messages::BOUND_BY_NUMBER.at(&number, &[&name, &number]));
            *param = GenericParam::Const(syn::parse_quote!(const #name: #number));
        }
    }
}

/// Makes a parameter `f: F` of `<F: Fn(f32) -> f32>` what it stands for, `f: impl Fn(f32) -> f32`.
pub(crate) fn functions_among_types(signature: &mut Signature) {
    struct Written<'w> {
        name: &'w Ident,
        bound: &'w TypeParamBound,
        found: bool,
    }

    impl VisitMut for Written<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if let Type::Path(path) = ty
                && path.path.is_ident(self.name)
            {
                let at = spans::first(path);
                let bound = spans::located_at(self.bound.to_token_stream(), at);
                if let Ok(written) = syn::parse2(quote_spanned!(at=> impl #bound)) {
                    *ty = written;
                    self.found = true;
                }
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }

    let mut generics = signature.generics.clone();
    gather_bounds(&mut generics);
    for param in generics.type_params() {
        let Some(bound) = param.bounds.iter().find(|bound| is_callable(bound)) else {
            continue;
        };
        let mut written = Written {
            name: &param.ident,
            bound,
            found: false,
        };
        for input in &mut signature.inputs {
            written.visit_fn_arg_mut(input);
        }
        if written.found {
            remove_type(&mut signature.generics, &param.ident);
        }
    }
}

/// Removes a type parameter, with what a `where` clause says of it.
fn remove_type(generics: &mut Generics, name: &Ident) {
    gather_bounds(generics);
    generics.params = std::mem::take(&mut generics.params)
        .into_iter()
        .filter(|param| !matches!(param, GenericParam::Type(param) if param.ident == *name))
        .collect();
}

/// Attributes that ask for something a kernel has not.
const REFUSED: &[&str] = &[
    "inline",
    "cold",
    "track_caller",
    "no_mangle",
    "export_name",
    "link_section",
    "unsafe",
    "test",
    "bench",
    "target_feature",
    "naked",
    "panic_handler",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
];

/// Those of them that change nothing of what a function does.
const HINTS: &[&str] = &["inline", "cold", "track_caller"];

/// The attributes besides `#[kernel]`.
pub(crate) fn attributes(attributes: &mut Vec<Attribute>, complaints: &mut Complaints) {
    one_attribute_of_ours(attributes, "device", complaints);
    for attribute in &*attributes {
        if REFUSED.iter().any(|name| is_named(attribute, name)) {
            complaints.push(messages::REFUSED_ATTRIBUTE.at(attribute, &[&source(&attribute.meta)]));
        }
    }
}

/// The same in front of a device function, where `#[inline]` and the like are right: all of them are staged inline.
pub(crate) fn attributes_of_function(attributes: &mut Vec<Attribute>, complaints: &mut Complaints) {
    attributes.retain(|attribute| !HINTS.iter().any(|name| is_named(attribute, name)));
    one_attribute_of_ours(attributes, "kernel", complaints);
    self::attributes(attributes, complaints);
}

/// Takes away the attribute that makes something else of the function.
fn one_attribute_of_ours(
    attributes: &mut Vec<Attribute>,
    other: &str,
    complaints: &mut Complaints,
) {
    let is_other = |attribute: &mut Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == other)
    };
    for attribute in attributes.extract_if(.., is_other) {
        complaints.push(messages::KERNEL_AND_DEVICE.at(&attribute, &[&source(&attribute.meta)]));
    }
}

/// `T: Add` without what a sum is: of `a + b + c` rustc advises bounds that do not end.
pub(crate) fn bounds_of_operators(signature: &Signature, complaints: &mut Complaints) {
    if mentions(&signature.to_token_stream(), "Output") {
        return;
    }
    for param in signature.generics.type_params() {
        let paths = param.bounds.iter().filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) => Some(&bound.path),
            _ => None,
        });
        let lasts = paths.filter_map(|path| Some((path, path.segments.last()?)));
        if lasts
            .clone()
            .any(|(_, last)| is_one_of(&last.ident, NUMBERS))
        {
            continue;
        }
        let is_bare = |(path, last): &(&Path, &PathSegment)| {
            is_one_of(&last.ident, WITH_OUTPUT) && last.arguments.is_none() && may_be_of_std(path)
        };
        for (_, bound) in lasts.filter(is_bare) {
            let words: [&dyn Display; 2] = [&bound.ident, &param.ident];
            complaints.push(messages::OPERATOR_WITHOUT_OUTPUT.at(bound, &words));
        }
    }
}

/// The traits of operators that have an `Output`.
const WITH_OUTPUT: &[&str] = &["Add", "Sub", "Mul", "Div", "Rem", "Neg"];

/// Those of the prelude for numbers, whose operators give the same type.
const NUMBERS: &[&str] = &["Num", "Int", "Signed", "SignedInt", "Unsigned"];

/// Whether a name or a keyword is among tokens.
pub(crate) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn is_named(attribute: &Attribute, name: &str) -> bool {
    attribute
        .path()
        .get_ident()
        .is_some_and(|ident| ident == name)
}

/// What stands under the attribute, if it is no function with a body.
pub(crate) fn not_a_function(item: TokenStream) -> Option<syn::Error> {
    if let Ok(function) = syn::parse2::<ForeignItemFn>(item.clone()) {
        return Some(messages::NO_BODY.at(&function.sig, &[]));
    }
    let item = syn::parse2::<Item>(item).ok()?;
    Some(messages::NOT_A_FUNCTION.at(spans::head(&item), &[]))
}

/// Parameters as they are written, and their names: these are also those of fields, so two differ even if their hygiene
/// does.
pub(crate) fn distinct_names<'a>(
    params: impl Iterator<Item = (&'a Ident, String)>,
    complaints: &mut Complaints,
) {
    let mut known = HashSet::new();
    for (param, name) in params {
        if !known.insert(name) {
            complaints.push(messages::DUPLICATE_PARAMETER.at(param, &[param]));
        }
    }
}

/// A function that is certainly in an `impl` or a `trait`.
pub(crate) fn receiver(signature: &Signature) -> Option<syn::Error> {
    let receiver = signature.receiver()?;
    Some(messages::METHOD.at(receiver, &[]))
}

/// What stands under `#[device]`, if it is no function with a body.
pub(crate) fn not_a_device_function(item: TokenStream) -> Option<syn::Error> {
    if let Ok(function) = syn::parse2::<ForeignItemFn>(item.clone()) {
        return Some(messages::NO_BODY.at(&function.sig, &[]));
    }
    let item = syn::parse2::<Item>(item).ok()?;
    let layout = match item {
        Item::Struct(_) => "`#[repr(C)]`",
        Item::Enum(_) => "`#[repr(u32)]`",
        Item::Static(_) => return Some(messages::DEVICE_VARIABLE.at(spans::head(&item), &[])),
        Item::Mod(_) => return Some(messages::DEVICE_MODULE.at(spans::head(&item), &[])),
        item => return Some(messages::NOT_A_DEVICE_FUNCTION.at(spans::head(&item), &[])),
    };
    Some(messages::DEVICE_ATTRIBUTE_ON_TYPE.at(spans::head(&item), &[&layout]))
}

/// The attributes that make an item with this error a device type, if it is to be one: so no use of it is a second
/// mistake.
pub(crate) fn attributes_of_a_type(item: &TokenStream, krate: Option<Path>) -> TokenStream {
    let (written, layout) = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(item)) => (item.attrs, quote!(C)),
        Ok(Item::Enum(item)) => (item.attrs, quote!(u32)),
        _ => return TokenStream::new(),
    };
    let has = |name: &str, word: &str| {
        let mut named = written.iter().filter(|attribute| is_named(attribute, name));
        named.any(|attribute| source(&attribute.meta).contains(word))
    };
    let krate = krate.unwrap_or_else(|| syn::parse_quote!(::vortex));
    let derived = [
        ("Clone", quote!(Clone)),
        ("Copy", quote!(Copy)),
        ("DeviceType", quote!(#krate::DeviceType)),
    ];
    let missing = derived.iter().filter(|(name, _)| !has("derive", name));
    let missing = missing.map(|(_, path)| path);
    let layout = (!has("repr", "")).then(|| quote!(#[repr(#layout)]));
    quote!(#[derive(#(#missing),*)] #layout)
}

/// All of a device function's signature but its types.
pub(crate) fn device_signature(function: &ItemFn, complaints: &mut Complaints) {
    let signature = &function.sig;
    if let Some(token) = &signature.asyncness {
        complaints.push(messages::ASYNC_FUNCTION.at(token, &[]));
    }
    if let Safety::Safe(token) = &signature.safety {
        complaints.push(messages::SAFE_KEYWORD.at(token, &[]));
    }
    if let Some(abi) = &signature.abi {
        complaints.push(messages::EXTERN_FUNCTION.at(abi, &[]));
    }
    if let Some(variadic) = &signature.variadic {
        complaints.push(messages::VARIADIC.at(variadic, &[]));
    }
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input {
            parameter_attributes(&input.attrs, &input.pat, complaints);
            no_layout(&input.attrs, complaints);
        }
    }
    if let Some(error) = missing_lifetime(signature) {
        complaints.push(error);
    }
    // Of a method, the block may declare it.
    if !complaints.knows_self
        && let Some(error) = undeclared_lifetime(signature)
    {
        complaints.push(error);
    }
}

/// An array in the type of a parameter whose length is a parameter, too.
pub(crate) fn length_by_parameter(ty: &Type, signature: &Signature) -> Option<syn::Error> {
    struct Lengths<'s> {
        names: Vec<&'s Ident>,
        found: Option<Ident>,
    }

    impl<'ast> Visit<'ast> for Lengths<'_> {
        fn visit_type_array(&mut self, array: &'ast TypeArray) {
            if let Expr::Path(path) = &array.len
                && let Some(name) = path.path.get_ident()
                && self.names.contains(&name)
            {
                self.found = Some(name.clone());
            }
            visit::visit_type_array(self, array);
        }
    }

    let names = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => match &*input.pat {
            Pat::Ident(name) => Some(&name.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let mut lengths = Lengths {
        names: names.collect(),
        found: None,
    };
    lengths.visit_type(ty);
    let name = lengths.found?;
    let constant = name.to_string().to_uppercase();
    let words: [&dyn Display; 3] = [&name, &constant, &signature.ident];
    Some(messages::LENGTH_BY_PARAMETER.at(&name, &words))
}

/// A lifetime that nothing declares, which is not left for rustc to see.
fn undeclared_lifetime(signature: &Signature) -> Option<syn::Error> {
    #[derive(Default)]
    struct Named<'ast>(Vec<&'ast Lifetime>);

    impl<'ast> Visit<'ast> for Named<'ast> {
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.0.push(lifetime);
        }
    }

    let mut named = Named::default();
    for input in &signature.inputs {
        named.visit_fn_arg(input);
    }
    named.visit_return_type(&signature.output);
    let declared: Vec<_> = (signature.generics.lifetimes())
        .map(|param| &param.lifetime)
        .collect();
    let is_known = |lifetime: &Lifetime| lifetime.ident == "static" || lifetime.ident == "_";
    let mut undeclared = named.0.into_iter();
    let name = undeclared.find(|name| !is_known(name) && !declared.contains(name))?;
    let words: [&dyn Display; 2] = [name, &signature.ident];
    Some(messages::UNDECLARED_LIFETIME.at(name, &words))
}

/// A part of what is referred to by one of several parameters.
fn missing_lifetime(signature: &Signature) -> Option<syn::Error> {
    let ReturnType::Type(_, output) = &signature.output else {
        return None;
    };
    let Type::Reference(output) = bare(output) else {
        return None;
    };
    if output.lifetime.is_some() || signature.receiver().is_some() {
        return None;
    }
    let mut referred = References::default();
    for input in &signature.inputs {
        referred.visit_fn_arg(input);
    }
    (referred.count > 1).then(|| messages::GIVEN_BY_WHICH.at(output, &[&source(output)]))
}

/// Counts the lifetimes that may be meant.
#[derive(Default)]
struct References {
    count: usize,
}

impl<'ast> Visit<'ast> for References {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        self.count += 1;
        visit::visit_type_reference(self, reference);
    }
}

/// A device function that gives a reference to a value.
pub(crate) fn given_reference(reference: &TypeReference) -> syn::Error {
    let (whole, value) = (source(reference), source(&reference.elem));
    match reference.mutability {
        Some(_) => messages::GIVEN_PLACE.at(reference, &[&whole]),
        None => messages::GIVEN_REFERENCE.at(reference, &[&whole, &value]),
    }
}

/// All of a signature but its parameters' types.
pub(crate) fn signature(function: &ItemFn, complaints: &mut Complaints) {
    let signature = &function.sig;
    if let Some(token) = &signature.constness {
        complaints.push(messages::CONST.at(token, &[]));
    }
    if let Some(token) = &signature.asyncness {
        complaints.push(messages::ASYNC.at(token, &[]));
    }
    if let Safety::Safe(token) = &signature.safety {
        complaints.push(messages::SAFE_KEYWORD.at(token, &[]));
    }
    if let Some(abi) = &signature.abi {
        complaints.push(messages::EXTERN.at(abi, &[]));
    }
    for param in &signature.generics.params {
        if let GenericParam::Lifetime(param) = param {
            complaints.push(messages::LIFETIME.at(param, &[&param.lifetime]));
            complaints.lifetimes = true;
        }
    }
    if let Some(clause) = &signature.generics.where_clause
        && signature.generics.params.is_empty()
    {
        complaints.push(messages::WHERE.at(clause, &[]));
    }
    if let Some(variadic) = &signature.variadic {
        complaints.push(messages::VARIADIC.at(variadic, &[]));
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && !is_unit(ty)
    {
        complaints.push(messages::RETURN_TYPE.at(ty, &[]));
        complaints.returns = true;
    }
}

pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// A parameter that is not a plain name.
pub(crate) fn parameter_pattern(pat: &Pat, complaints: &mut Complaints) {
    complaints.push(match pat {
        Pat::Wild(_) => messages::UNNAMED_PARAMETER.at(pat, &[]),
        _ => messages::PARAMETER_PATTERN.at(pat, &[]),
    });
}

/// The attributes of a parameter.
pub(crate) fn parameter_attributes(
    attributes: &[Attribute],
    pat: &Pat,
    complaints: &mut Complaints,
) {
    for attribute in attributes {
        let name = attribute.path().to_token_stream();
        if attribute.path().is_ident("comptime") && matches!(attribute.meta, Meta::Path(_)) {
            continue;
        }
        // What it stands in front of is looked at where that is known.
        if is_layout(attribute) || is_lint_level(attribute.path()) {
            continue;
        }
        complaints.push(match name.to_string().as_str() {
            "doc" => messages::PARAMETER_DOC.at(attribute, &[&pat.to_token_stream()]),
            "cfg" | "cfg_attr" => messages::PARAMETER_CONDITION.at(attribute, &[&name]),
            _ if is_builtin(attribute) => messages::PARAMETER_BUILTIN.at(attribute, &[]),
            _ => messages::PARAMETER_ATTRIBUTE.at(attribute, &[&name]),
        });
    }
}

/// Whether this is `#[builtin(..)]`, by which WGSL passes ids.
pub(crate) fn is_builtin(attribute: &Attribute) -> bool {
    let name = attribute.path().segments.first();
    name.is_some_and(|name| name.ident == "builtin")
}

/// That nothing is said of the layout of what has none.
pub(crate) fn no_layout(attributes: &[Attribute], complaints: &mut Complaints) {
    for attribute in attributes.iter().filter(|attribute| is_layout(attribute)) {
        complaints.push(messages::LAYOUT_PARAMETER.at(attribute, &[]));
    }
}

/// Whether one of a parameter's attributes is `#[comptime]`.
pub(crate) fn is_comptime(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("comptime"))
}
