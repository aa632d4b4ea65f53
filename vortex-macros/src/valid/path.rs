//! What a path or a name in a body stands for, as its words and their case tell.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    AngleBracketedGenericArguments, Expr, ExprCall, ExprPath, GenericArgument, Ident, Pat, Path,
    PathArguments, PathSegment, Type, TypeArray,
};

use super::names::{
    BYTE_METHODS, IDS, INTEGER_METHODS, METHODS, NUMBER_METHODS, OPTION_METHODS, VECTOR_METHODS,
    is_function, is_swizzle, orderings,
};
use super::{floats, is_known_scalar, is_one_of, is_scalar, source};
use crate::body::scope::Binding;
use crate::messages;

/// The names that a path is made of.
pub(crate) fn names_of_path(path: &Path) -> Vec<String> {
    let segments = path.segments.iter();
    segments.map(|segment| segment.ident.to_string()).collect()
}

/// The last two of them: `u32` and `MAX` of `std::primitive::u32::MAX`.
pub(crate) fn last_two(path: &Path) -> Option<(&Ident, &Ident)> {
    let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
    let (last, of) = (segments.next()?, segments.next()?);
    Some((of, last))
}

/// What an argument of `warp::function` has to be, where that is of one type.
pub(crate) fn wanted_of_lanes(function: &Expr, index: usize) -> Option<&'static str> {
    let Expr::Path(path) = function else {
        return None;
    };
    let (module, name) = last_two(&path.path)?;
    match (name.to_string().as_str(), index) {
        _ if module != "warp" => None,
        ("all" | "any" | "uniform" | "ballot", 0) => Some("bool"),
        ("shuffle" | "shuffle_up" | "shuffle_down" | "shuffle_xor", 1) => Some("usize"),
        _ => None,
    }
}

/// Whether an expression is a call of `local::<T>()`: one of a function of the user's by that name has arguments, or no
/// such type.
pub(crate) fn is_local_memory(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else {
        return false;
    };
    let Expr::Path(path) = &*call.func else {
        return false;
    };
    let last = path.path.segments.last();
    let is_it = |segment: &PathSegment| {
        segment.ident == "local" && !matches!(segment.arguments, PathArguments::None)
    };
    call.args.is_empty() && last.is_some_and(is_it)
}

/// Local memory of what cannot lie in memory, or of a length that is no constant.
pub(crate) fn local_memory(call: &ExprCall) -> Option<syn::Error> {
    let mut ty = type_in_local_memory(&call.func)?;
    if let Some(arguments) = generics_of(&call.func)
        && let Some(length) = arguments.args.iter().nth(1)
    {
        let words: [&dyn Display; 2] = [&source(ty), &source(length)];
        return Some(messages::LOCAL_OF_TWO.at(&arguments.args, &words));
    }
    if let Type::Slice(slice) = ty {
        return Some(messages::LOCAL_OF_LENGTH.at(slice, &[]));
    }
    if let Some(length) = call.args.first() {
        return Some(messages::LOCAL_OF_LENGTH.at(length, &[]));
    }
    while let Type::Array(TypeArray { elem, .. }) = ty {
        ty = elem;
    }
    super::size_in_memory(ty)
}

/// The type of local memory that is one number.
pub(crate) fn number_in_local_memory(expr: &Expr) -> Option<String> {
    let Expr::Call(call) = expr else {
        return None;
    };
    let ty = source(type_in_local_memory(&call.func)?);
    is_scalar(&ty).then_some(ty)
}

/// The `[T; N]` of `local::<[T; N]>`.
pub(crate) fn array_of_local_memory(function: &Expr) -> Option<&TypeArray> {
    match type_in_local_memory(function)? {
        Type::Array(array) => Some(array),
        _ => None,
    }
}

fn type_in_local_memory(function: &Expr) -> Option<&Type> {
    match function {
        Expr::Path(path) => type_of_local_memory(path),
        _ => None,
    }
}

/// What stands in angle brackets after the name of a function.
fn generics_of(function: &Expr) -> Option<&AngleBracketedGenericArguments> {
    let Expr::Path(path) = function else {
        return None;
    };
    match &path.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments),
        _ => None,
    }
}

/// The `T` of `local::<T>`.
fn type_of_local_memory(path: &ExprPath) -> Option<&Type> {
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) if last.ident == "local" => Some(ty),
        _ => None,
    }
}

/// Whether the name is one that statics have. rustc warns of others.
pub(crate) fn may_be_a_static(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| !last.ident.to_string().contains(char::is_lowercase))
}

/// Whether the name is one that functions have.
pub(crate) fn may_be_a_function(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().starts_with(char::is_lowercase))
}

/// Whether the name is one that variants of enums have: `Axis::X`, and no constant such as `Axis::FIRST`.
pub(crate) fn may_be_a_variant(path: &ExprPath) -> bool {
    let Some((_, last)) = last_two(&path.path) else {
        return false;
    };
    let name = last.to_string();
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

/// Whether an expression is the name of what may be a static.
pub(crate) fn is_static(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if may_be_a_static(path))
}

/// The name of a tuple struct that this call makes, by its case.
pub(crate) fn constructor(call: &ExprCall) -> Option<&ExprPath> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    let is_type = name.starts_with(char::is_uppercase)
        && !matches!(name.as_str(), "Some" | "None" | "Ok" | "Err");
    is_type.then_some(path)
}

/// What `f32::from_bits` and the like of the other floats are called here, and the type if the function asks for it.
pub(crate) fn conversion(path: &Path) -> Option<(&'static str, Option<Path>)> {
    let (float, function) = last_two(path)?;
    let ty = without_last(path);
    match (float.to_string().as_str(), function.to_string().as_str()) {
        ("f32", "from_bits") => Some(("f32_from_bits", None)),
        ("f16" | "bf16", "from_bits") => Some(("half_from_bits", Some(ty))),
        ("f16" | "bf16", "from_f32") => Some(("half_from_f32", Some(ty))),
        _ => None,
    }
}

/// The type of a path like `half::f16::from`.
fn without_last(path: &Path) -> Path {
    let mut ty = path.clone();
    ty.segments.pop();
    ty.segments.pop_punct();
    ty
}

/// The type and the function of a path like `f32::max`, where the language has such a method of numbers.
pub(crate) fn method_of_number(path: &ExprPath) -> Option<(Ident, Ident)> {
    let (ty, method) = last_two(&path.path)?;
    let is_known = is_number(&ty.to_string()) && path.qself.is_none() && is_of_the_language(method);
    is_known.then(|| (ty.clone(), method.clone()))
}

pub(super) fn is_number(name: &str) -> bool {
    is_scalar(name) || matches!(name, "f16" | "bf16")
}

/// What `u32::from` and `u32::try_from` are called here, and the type.
pub(crate) fn conversion_of_numbers(path: &ExprPath) -> Option<(&'static str, Path)> {
    let (of, function) = last_two(&path.path)?;
    let of = of.to_string();
    let function = match function.to_string().as_str() {
        "from" if is_number(&of) => "made_from",
        "try_from" if is_scalar(&of) => "try_from",
        _ => return None,
    };
    Some((function, without_last(&path.path)))
}

/// The type of `Complex::from(x)`, by its case.
pub(crate) fn type_made(call: &ExprCall) -> Option<Path> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let (of, function) = last_two(&path.path)?;
    let is_one = function == "from"
        && call.args.len() == 1
        && path.qself.is_none()
        && of.to_string().starts_with(char::is_uppercase)
        && of != "From";
    if !is_one {
        return None;
    }
    let is_vector = is_short_vector(of);
    let mut ty = without_last(&path.path);
    let last = ty.segments.last_mut()?;
    if is_vector && last.arguments.is_empty() {
        last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<_>));
    }
    Some(ty)
}

/// Whether a function is named by a type or a trait that it belongs to, by their case.
pub(crate) fn is_of_a_type(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    path.qself.is_some()
        || last_two(&path.path)
            .is_some_and(|(of, _)| of.to_string().starts_with(char::is_uppercase))
}

/// Whether this may be a function of the language's short vectors. The user may have a type of the same name.
pub(crate) fn may_be_of_a_short_vector(path: &ExprPath) -> bool {
    last_two(&path.path)
        .is_some_and(|(of, function)| is_short_vector(of) && is_one_of(function, &["new", "splat"]))
}

fn is_short_vector(ty: &Ident) -> bool {
    is_one_of(ty, &["Vec2", "Vec3", "Vec4"])
}

/// Whether a function makes a value of its type, as one says: it has no `self`.
pub(crate) fn makes_a_value(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "new" || last.ident == "splat")
}

/// Whether this names a function of the prelude.
pub(crate) fn is_of_the_prelude(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| is_name_of_the_prelude(&last.ident))
}

/// Whether a function has the name of one in the prelude.
pub(crate) fn is_name_of_the_prelude(name: &Ident) -> bool {
    is_function(&name.to_string())
}

/// Whether this is the name of a function of the prelude that tells a work item something: `global_id`, `clock`.
pub(crate) fn is_name_of_an_id(name: &Ident) -> bool {
    is_one_of(name, IDS)
}

/// A function of the prelude without parentheses after its name.
pub(crate) fn uncalled(path: &ExprPath) -> Option<syn::Error> {
    if type_of_local_memory(path).is_some() {
        let called = format!("{}()", source(path));
        return Some(messages::UNCALLED.at(path, &[&source(path), &called]));
    }
    let name = path.path.get_ident()?;
    let called = match name.to_string().as_str() {
        "vec2" => "vec2(x, y)".to_owned(),
        "vec3" => "vec3(x, y, z)".to_owned(),
        "vec4" => "vec4(x, y, z, w)".to_owned(),
        "local" => "local::<[f32; 64]>()".to_owned(),
        name if is_function(name) => format!("{name}()"),
        _ => return None,
    };
    Some(messages::UNCALLED.at(path, &[name, &called]))
}

/// Whether an expression names a function of the prelude that gives the first of several coordinates.
pub(crate) fn has_more_dimensions(function: &Expr) -> bool {
    is_of_the_prelude(function)
        && last_name(function).is_some_and(|name| IDS.contains(&format!("{name}_2d").as_str()))
}

/// Whether an expression names a function of the prelude that gives one number.
pub(crate) fn gives_a_number(function: &Expr) -> bool {
    gives_a_size(function)
        || is_of_the_prelude(function) && last_name(function).is_some_and(|name| name == "clock")
}

/// The same of a `usize`.
pub(crate) fn gives_a_size(function: &Expr) -> bool {
    let ends = |name: String| {
        ["_id", "_size", "_count"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    is_of_the_prelude(function) && last_name(function).is_some_and(ends)
}

/// Whether an expression names the function of the prelude that makes a short vector.
pub(crate) fn makes_a_vector(function: &Expr) -> bool {
    let is_one = |name: String| matches!(name.as_str(), "vec2" | "vec3" | "vec4");
    last_name(function).is_some_and(is_one)
}

/// Whether an expression names a function of the prelude that gives a tuple of numbers.
pub(crate) fn gives_numbers(function: &Expr) -> bool {
    is_of_the_prelude(function)
        && last_name(function).is_some_and(|name| name.ends_with("_2d") || name.ends_with("_3d"))
}

/// `let (x, y) = global_id();` and `let tile = local();`.
pub(crate) fn let_of_the_prelude(
    pat: &Pat,
    ty: Option<&Type>,
    call: &ExprCall,
    local: Option<&Binding>,
) -> Option<syn::Error> {
    // The prelude's take no arguments.
    if local.is_some() || !call.args.is_empty() {
        return None;
    }
    let name = last_name(&call.func)?;
    if let Pat::Tuple(tuple) = pat
        && has_more_dimensions(&call.func)
    {
        let more = if tuple.elems.len() > 2 { "3d" } else { "2d" };
        return Some(messages::ID_OF_ONE.at(pat, &[&name, &more]));
    }
    if let (Pat::Ident(pat), Some(ty)) = (pat, ty)
        && gives_a_size(&call.func)
        && is_known_scalar(ty)
        && source(ty) != "usize"
    {
        return Some(messages::ID_TYPE.at(ty, &[&name, &pat.ident, &source(ty)]));
    }
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    if !path.path.is_ident("local") {
        return None;
    }
    match ty {
        // A function of the user's by that name gives a value.
        Some(ty) if !matches!(ty, Type::Array(_)) => None,
        Some(ty) => {
            // Local memory is not declared with `mut`.
            let name = match pat {
                Pat::Ident(name) => name.ident.to_string(),
                pat => source(pat),
            };
            Some(messages::LOCAL_OF_TYPE.at(ty, &[&name, &source(ty)]))
        }
        None => Some(messages::LOCAL_OF_NOTHING.at(path, &[])),
    }
}

fn last_name(function: &Expr) -> Option<String> {
    match function {
        Expr::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// Whether a path names a function of the prelude's modules: `warp::all`.
pub(crate) fn is_of_the_library(path: &ExprPath) -> bool {
    last_two(&path.path).is_some_and(|(module, _)| module == "warp" || module == "group")
        || is_arrival(path)
}

/// Whether a path is that of `barrier::arrive`.
pub(crate) fn is_arrival(path: &ExprPath) -> bool {
    last_two(&path.path).is_some_and(|(of, function)| of == "barrier" && function == "arrive")
}

/// Whether a path that is no local names a function, by its case: constants and variants begin with a capital.
pub(crate) fn names_a_function(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().contains(char::is_lowercase))
        && last.is_some_and(|last| !last.ident.to_string().starts_with(char::is_uppercase))
}

/// Whether a path that is called may be that of a function with a twin on the host: it is none of a type's.
pub(crate) fn may_have_a_twin(path: &ExprPath) -> bool {
    let is_of_a_type = last_two(&path.path).is_some_and(|(of, _)| {
        let of = of.to_string();
        of.starts_with(char::is_uppercase) || is_number(&of)
    });
    path.qself.is_none() && !is_of_a_type
}

/// Names that are also those of attributes that rustc has built in, or of functions of Rust's prelude.
pub(crate) fn is_ambiguous(name: &Ident) -> bool {
    const ATTRIBUTES: &[&str] = &[
        "allow",
        "automatically_derived",
        "cfg",
        "cfg_attr",
        "cold",
        "crate_name",
        "crate_type",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "export_name",
        "feature",
        "forbid",
        "ignore",
        "inline",
        "instruction_set",
        "link",
        "link_name",
        "link_section",
        "macro_export",
        "macro_use",
        "must_use",
        "naked",
        "no_builtins",
        "no_link",
        "no_main",
        "no_mangle",
        "no_std",
        "non_exhaustive",
        "panic_handler",
        "path",
        "proc_macro",
        "recursion_limit",
        "repr",
        "should_panic",
        "target_feature",
        "track_caller",
        "type_length_limit",
        "used",
        "warn",
        "windows_subsystem",
    ];
    const FUNCTIONS: &[&str] = &["align_of", "align_of_val", "drop", "size_of", "size_of_val"];
    is_one_of(name, ATTRIBUTES) || is_one_of(name, FUNCTIONS)
}

/// What asks whether a name that stands alone is that of a function of Rust's library: only rustc knows what is
/// imported.
pub(crate) fn may_be_well_known(path: &ExprPath) -> Option<&'static str> {
    of_the_same_name(path.path.get_ident()?)
}

/// The same, of a name.
pub(crate) fn of_the_same_name(name: &Ident) -> Option<&'static str> {
    Some(match name.to_string().as_str() {
        "min" | "max" => "named_min_or_max",
        "swap" => "named_swap",
        "replace" => "named_replace",
        "take" => "named_take",
        _ => return None,
    })
}

/// What `T::default()` and `Default::default()` are called here.
pub(crate) fn by_default(call: &ExprCall) -> Option<&'static str> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let of = last_two(&path.path).map(|(of, _)| of);
    let is_one = last_name(&call.func)? == "default"
        && call.args.is_empty()
        && (of.is_some() || path.qself.is_some());
    match of {
        _ if !is_one => None,
        Some(of) if of == "Default" && path.qself.is_none() => Some("default"),
        _ => Some("by_default"),
    }
}

/// What `std::mem::swap` and its like are called here; what they are imported from may be named alone.
pub(crate) fn well_known(path: &ExprPath) -> Option<&'static str> {
    let names = names_of_path(&path.path);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let of = match &names[..] {
        ["std" | "core", of @ ..] => of,
        of => of,
    };
    match of {
        ["mem", "swap"] => Some("swap"),
        ["mem", "replace"] => Some("replace"),
        ["mem", "take"] => Some("take"),
        ["array", "from_fn"] => Some("array_from_fn"),
        ["cmp", "min"] => Some("least"),
        ["cmp", "max"] => Some("greatest"),
        _ => None,
    }
}

/// How many arguments `vec2`, `vec3` and `vec4` take.
pub(crate) fn components(function: &Expr) -> Option<usize> {
    let Expr::Path(path) = function else {
        return None;
    };
    let name = path.path.get_ident()?;
    let names = ["vec2", "vec3", "vec4"];
    let number = names.iter().position(|of| name == of)?;
    Some(number + 2)
}

/// Whether the language has a method of this name, of whatever type.
pub(crate) fn is_of_the_language(method: &Ident) -> bool {
    let name = method.to_string();
    let lists = [
        METHODS,
        NUMBER_METHODS,
        INTEGER_METHODS,
        OPTION_METHODS,
        BYTE_METHODS,
        VECTOR_METHODS,
    ];
    lists.iter().any(|list| list.contains(&name.as_str()))
        || floats::is_one(&name)
        || is_swizzle(method)
        || name == "atomic"
        || orderings(&name) > 0
}

/// Whether the language has a method of this name that may take so many arguments. One of the user's that takes others
/// is none of the language's.
pub(crate) fn is_of_the_language_with(method: &Ident, arguments: usize) -> bool {
    let name = method.to_string();
    let takes = match name.as_str() {
        "dot" | "cross" | "add" | "sub" | "offset" | "fill" => Some(1),
        "len" | "is_empty" | "is_null" | "length" | "normalize" => Some(0),
        "load" => Some(1),
        "compare_exchange" => Some(4),
        name if orderings(name) > 0 => Some(2),
        name if BYTE_METHODS.contains(&name) || is_swizzle(method) => Some(0),
        // Of one element, or of the one that an index says.
        "atomic" => None,
        _ => super::arguments_of_a_number(method),
    };
    is_of_the_language(method) && takes.is_none_or(|takes| takes == arguments)
}

/// Whether a method of this name and so many arguments is the language's own, whatever it is called on.
pub(crate) fn is_of_the_language_alone(method: &Ident, arguments: usize) -> bool {
    match method.to_string().as_str() {
        "into" | "try_into" | "as_ref" | "as_deref" | "clone" => arguments == 0,
        "cmp" | "partial_cmp" | "total_cmp" | "windows" | "chunks" | "chunks_exact" => {
            arguments == 1
        }
        _ => false,
    }
}

/// Whether a pattern's name is a constant's.
pub(crate) fn is_constant_name(name: &str) -> bool {
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// Whether this is `usize::MAX` or another constant that differs on the device, and what is meant.
pub(crate) fn device_constant(path: &Path) -> Option<TokenStream> {
    let names = names_of_path(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names = match names.as_slice() {
        ["std" | "core", rest @ ..] => rest,
        names => names,
    };
    Some(match names {
        ["usize", "MAX"] => quote!(::core::primitive::u32::MAX as ::core::primitive::usize),
        ["isize", "MAX"] => quote!(::core::primitive::i32::MAX as ::core::primitive::isize),
        ["isize", "MIN"] => quote!(::core::primitive::i32::MIN as ::core::primitive::isize),
        ["usize" | "isize", "BITS"] => quote!(::core::primitive::u32::BITS),
        _ => return None,
    })
}
