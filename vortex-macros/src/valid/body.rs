//! What a kernel's body may contain.

use std::fmt::Display;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Expr, ExprCall, ExprClosure, ExprIndex, ExprMethodCall, ExprPath, Item, ItemFn, Lit,
    Macro, Meta, Pat, PatIdent, Path, UseTree,
};

use super::beginning::is_a_literal_number;
use super::names::{is_function, is_one_of};
use super::path::{
    is_constant_name, is_number, is_of_the_language, may_be_a_static, method_of_number,
};
use super::{Complaints, refused_scalar, source};
use crate::attr::is_lint_level;
use crate::body::scope::{Binding, Declared};
use crate::signature::{Kernel, ParamKind};
use crate::{messages, spans};

/// The attributes of a statement.
pub(crate) fn statement_attributes(attributes: &[Attribute], complaints: &mut Complaints) {
    for attribute in attributes {
        let path = attribute.path();
        if path.is_ident("cfg") || path.is_ident("doc") || is_lint_level(path) {
            continue;
        }
        let is_memory = path
            .get_ident()
            .is_some_and(|name| is_one_of(name, MEMORY_ELSEWHERE));
        let message = match is_memory {
            true => messages::LOCAL_BY_ATTRIBUTE,
            false => messages::STATEMENT_ATTRIBUTE,
        };
        complaints.push(message.at(attribute, &[&source(path)]));
    }
}

/// What other languages declare memory of the work group by.
const MEMORY_ELSEWHERE: &[&str] = &[
    "shared",
    "__shared__",
    "local",
    "__local",
    "groupshared",
    "workgroup",
    "threadgroup",
    "spirv",
];

/// The `n` of `#[unroll(n)]`.
pub(crate) fn unroll(attribute: &Attribute) -> Result<Option<Expr>, syn::Error> {
    let wrong = || messages::UNROLL_ARGUMENT.at(attribute, &[]);
    let list = match &attribute.meta {
        Meta::Path(_) => return Ok(None),
        Meta::List(list) => list,
        Meta::NameValue(_) => return Err(wrong()),
    };
    let n: Expr = list.parse_args().map_err(|_| wrong())?;
    match &n {
        Expr::Path(_) => Ok(Some(n)),
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(number) if number.base10_parse::<u32>().is_ok_and(|n| n > 0) => Ok(Some(n)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// The attributes of an expression that is not a statement.
pub(crate) fn expression_attributes(attributes: &[Attribute], complaints: &mut Complaints) {
    for attribute in attributes {
        complaints.push(messages::EXPRESSION_ATTRIBUTE.at(attribute, &[&source(attribute.path())]));
    }
}

/// A pattern that declares something else than names and tuples of names.
pub(crate) fn pattern(pat: &Pat) -> syn::Error {
    match pat {
        Pat::Reference(_) => messages::REFERENCE_PATTERN.at(pat, &[]),
        Pat::Ident(ident) if ident.by_ref.is_some() => {
            messages::REFERENCE_PATTERN.at(ident.by_ref, &[])
        }
        Pat::Path(path) => messages::CONSTANT_IN_PATTERN.at(pat, &[&source(path)]),
        _ => messages::PATTERN.at(pat, &[]),
    }
}

/// A pattern that does not match everything, where it has to.
pub(crate) fn refutable(pat: &Pat) -> Option<syn::Error> {
    let is_one = matches!(
        pat,
        Pat::Lit(_) | Pat::Or(_) | Pat::Range(_) | Pat::TupleStruct(_)
    );
    is_one.then(|| messages::REFUTABLE.at(pat, &[&source(pat)]))
}

/// Whether an item inside a body is left to Rust: what the host knows, and device functions.
pub(crate) fn is_item(item: &Item) -> bool {
    let is_device = |attribute: &Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == "device")
    };
    match item {
        Item::Const(_) | Item::Use(_) | Item::Type(_) | Item::Struct(_) | Item::Enum(_) => true,
        Item::Fn(function) => function.attrs.iter().any(is_device),
        Item::Impl(block) => block.attrs.iter().any(is_device),
        _ => false,
    }
}

/// Whether a function inside a body can be one of the device, without the user saying so: it has no attribute that
/// could say something else, and the host does not compute with it, as with a `const fn`.
pub(crate) fn may_be_of_the_device(function: &ItemFn) -> bool {
    let known = |attribute: &Attribute| {
        let path = attribute.path();
        path.is_ident("doc") || path.is_ident("inline") || is_lint_level(path)
    };
    function.sig.constness.is_none() && function.attrs.iter().all(known)
}

/// What an item inside a body is called, or what it imports.
pub(crate) fn names_of_item(item: &Item) -> Vec<String> {
    fn imported(tree: &UseTree, names: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => imported(&path.tree, names),
            UseTree::Name(name) => names.push(name.ident.to_string()),
            UseTree::Rename(rename) => names.push(rename.rename.to_string()),
            UseTree::Group(group) => {
                (group.items.iter()).for_each(|tree| imported(tree, names));
            }
            UseTree::Glob(_) => {}
        }
    }

    let name = match item {
        Item::Use(item) => {
            let mut names = Vec::new();
            imported(&item.tree, &mut names);
            return names;
        }
        Item::Fn(item) => &item.sig.ident,
        Item::Const(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return Vec::new(),
    };
    vec![name.to_string()]
}

/// Another item inside a body.
pub(crate) fn item(item: &Item) -> syn::Error {
    match item {
        Item::Fn(function) => {
            messages::NESTED_FUNCTION.at(&function.sig.ident, &[&function.sig.ident])
        }
        Item::Macro(item) => item
            .mac
            .path
            .get_ident()
            .map_or_else(|| messages::ITEM.at(item, &[]), |_| mac(&item.mac)),
        Item::Static(item) => {
            let name = item.ident.to_string().to_lowercase();
            messages::STATIC.at(item.static_token, &[&name, &source(&item.ty)])
        }
        item => messages::ITEM.at(spans::head(item), &[]),
    }
}

/// A macro in a body that means nothing there.
pub(crate) fn mac(mac: &Macro) -> syn::Error {
    let path = &mac.path;
    let name = path
        .segments
        .last()
        .map_or_else(String::new, |segment| segment.ident.to_string());
    let bang = mac.bang_token;
    let whole = quote!(#path #bang);
    if let Some(instead) = super::foreign_macro(&name) {
        let name = format!("{name}!");
        return messages::FOREIGN_NAME.at(whole, &[&name, &instead]);
    }
    match name.as_str() {
        "dbg" | "write" | "writeln" => messages::PRINT_MACRO.at(whole, &[&name]),
        "vec" => {
            let array = match mac.tokens.is_empty() {
                true => "[0.0; N]".to_owned(),
                false => format!("[{}]", source(&mac.tokens)),
            };
            messages::VEC.at(whole, &[&array])
        }
        "format" => messages::FORMAT.at(whole, &[&source(&mac.tokens)]),
        _ => messages::OTHER_MACRO.at(whole, &[&name]),
    }
}

/// `cfg!(target_..)`: of the machine that rustc builds for.
pub(crate) fn cfg_of_a_target(mac: &Macro) -> Option<syn::Error> {
    let is_one = mac.path.is_ident("cfg") && names_a_target(mac.tokens.clone());
    is_one.then(|| messages::CFG_TARGET.at(&mac.tokens, &[&mac.tokens]))
}

fn names_a_target(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name.to_string().starts_with("target_"),
        TokenTree::Group(group) => names_a_target(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// An assignment to a name that is no local's: in lower case one that `let` was forgotten for.
pub(crate) fn not_a_local(path: &ExprPath) -> syn::Error {
    let name = path.path.get_ident().map(syn::Ident::to_string);
    let is_lower = name.is_some_and(|name| !name.contains(char::is_uppercase));
    let message = match is_lower {
        true => messages::ASSIGN_UNDECLARED,
        false => messages::ASSIGN_CONSTANT,
    };
    message.at(path, &[&source(path)])
}

/// An assignment to a local that cannot be assigned to.
pub(crate) fn assignment(target: &ExprPath, binding: &Binding, kernel: &Kernel) -> syn::Error {
    let name = &binding.name;
    match binding.declared {
        Declared::Local => messages::NOT_MUT.at(target, &[name]),
        Declared::Comptime => messages::ASSIGN_COMPTIME.at(target, &[name]),
        Declared::Memory => messages::ASSIGN_MEMORY.at(target, &[name]),
        Declared::Loop => messages::LOOP_VARIABLE.at(target, &[name]),
        Declared::Argument | Declared::Shared if name == messages::SELF => {
            messages::ASSIGN_SELF.at(target, &[])
        }
        Declared::Argument | Declared::Shared => messages::ASSIGN_ARGUMENT.at(target, &[name]),
        Declared::Exclusive => messages::ASSIGN_REFERENCE.at(target, &[name]),
        Declared::Param(index) => match kernel.params[index].kind {
            ParamKind::Slice { .. } => messages::ASSIGN_SLICE.at(target, &[name]),
            ParamKind::Local(_) => messages::ASSIGN_LOCAL.at(target, &[name]),
            ParamKind::Texture { .. } => messages::ASSIGN_TEXTURE.at(target, &[name]),
            ParamKind::Tensor { .. } => messages::ASSIGN_TENSOR.at(target, &[name]),
            ParamKind::Scalar(_)
            | ParamKind::Comptime(_)
            | ParamKind::Value(_)
            | ParamKind::Pointer { .. } => messages::ASSIGN_PARAMETER.at(target, &[name]),
        },
    }
}

/// An assignment to something that is no place of a kernel.
pub(crate) fn not_a_place(target: &Expr) -> syn::Error {
    match target {
        Expr::Path(path) => not_a_local(path),
        Expr::Array(_) | Expr::Struct(_) => messages::ASSIGN_TUPLE.at(target, &[]),
        Expr::MethodCall(call) if call.method == "atomic" => {
            messages::ASSIGN_ATOMIC.at(target, &[&source(target)])
        }
        Expr::Binary(binary) => {
            let words: [&dyn Display; 2] = [&source(&binary.right), &source(&binary.op)];
            messages::ASSIGN_COMPUTED.at(binary.op, &words)
        }
        target => messages::NOT_A_PLACE.at(target, &[]),
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// `base[index]`, as far as the signature tells; a local may hold anything.
pub(crate) fn index(
    expr: &ExprIndex,
    base: Option<&Binding>,
    access: Access,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let Some(base) = base else {
        return match &*expr.expr {
            Expr::Path(path) if access == Access::Write && !may_be_a_static(path) => {
                Some(not_a_local(path))
            }
            _ => None,
        };
    };
    let Declared::Param(param) = base.declared else {
        return None;
    };
    let name = &base.name;
    match &kernel.params[param].kind {
        ParamKind::Value(_) if access == Access::Write && !base.mutable => {
            Some(messages::ASSIGN_PARAMETER.at(&expr.expr, &[name]))
        }
        ParamKind::Value(_) => None,
        ParamKind::Scalar(ty) | ParamKind::Comptime(ty) => {
            Some(messages::INDEX_SCALAR.at(&expr.expr, &[name, &source(ty)]))
        }
        ParamKind::Pointer { mutable, elem } => {
            let slice = format!("&{}[{}]", if *mutable { "mut " } else { "" }, source(elem));
            Some(messages::INDEX_POINTER.at(&expr.expr, &[name, &slice]))
        }
        ParamKind::Slice { .. } if access == Access::Write => {
            let [is, should] = shared_slice(base, kernel)?;
            Some(messages::SHARED_SLICE.at(expr, &[name, &is, &should]))
        }
        ParamKind::Texture { .. } => Some(messages::INDEX_TEXTURE.at(&expr.expr, &[name])),
        ParamKind::Tensor { .. } => Some(messages::INDEX_TENSOR.at(&expr.expr, &[name])),
        ParamKind::Slice { .. } | ParamKind::Local(_) => None,
    }
}

/// `*pointer`, as far as the signature tells.
pub(crate) fn deref(
    expr: &Expr,
    base: Option<&Binding>,
    access: Access,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let base = base?;
    let Declared::Param(param) = base.declared else {
        return None;
    };
    let name = &base.name;
    match &kernel.params[param].kind {
        ParamKind::Scalar(_) | ParamKind::Comptime(_) => {
            Some(messages::DEREF_VALUE.at(expr, &[name]))
        }
        // Its type can be a pointer's, which only rustc knows.
        ParamKind::Value(_) => None,
        ParamKind::Slice { .. } | ParamKind::Local(_) => {
            Some(messages::DEREF_SLICE.at(expr, &[name]))
        }
        ParamKind::Texture { .. } => Some(messages::INDEX_TEXTURE.at(expr, &[name])),
        ParamKind::Tensor { .. } => Some(messages::INDEX_TENSOR.at(expr, &[name])),
        ParamKind::Pointer {
            mutable: false,
            elem,
        } if access == Access::Write => {
            let elem = source(elem);
            let (is, should) = (format!("*const {elem}"), format!("*mut {elem}"));
            Some(messages::CONST_POINTER.at(expr, &[name, &is, &should]))
        }
        ParamKind::Pointer { .. } => None,
    }
}

/// A call of something that certainly is no device function or closure.
pub(crate) fn call(
    call: &ExprCall,
    local: Option<&Binding>,
    kernel: &Kernel,
) -> Option<syn::Error> {
    if let Some(local) = local {
        let message = match local.declared {
            Declared::Param(_) => messages::CALL_VALUE,
            _ if local.is_value => messages::CALL_LOCAL,
            _ => return None,
        };
        return Some(message.at(&call.func, &[&local.name]));
    }
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let segments = &path.path.segments;
    let last = segments.last()?;
    let name = last.ident.to_string();
    if let Some(error) = super::foreign_call(call, &name).or_else(|| super::of_lanes(call)) {
        return Some(error);
    }
    if is_function(&name) {
        return None;
    }
    if segments.len() == 1 && super::is_scalar(&name) {
        return Some(messages::CALL_TYPE.at(&call.func, &[&name]));
    }
    if segments.len() == 1 && last.ident == kernel.name && !kernel.is_of_a_block {
        return Some(messages::RECURSION.at(path, &[&name]));
    }
    let full = source(path);
    let receiver = super::last_two(&path.path).map(|(of, _)| of.to_string());
    if let Some(error) = super::reads_a_file(call) {
        return Some(error);
    }
    if let Some(error) = super::heap_function(path).or_else(|| super::host_function(path)) {
        return Some(error);
    }
    match (receiver, name.as_str()) {
        (Some(ty), _) if is_number(&ty) && method_of_number(path).is_none() => {
            Some(match super::names::method_of_numbers_like(&ty, &name) {
                Some(meant) => messages::CALL_MISSPELT.at(path, &[&full, &ty, &meant]),
                None => messages::CALL_ASSOCIATED.at(path, &[&full]),
            })
        }
        _ if matches!(segments.first(), Some(first) if is_one_of(&first.ident, &["std", "core", "alloc"])) => {
            Some(match super::instead_of_library(&full) {
                Some(instead) => messages::LIBRARY_CALL.at(path, &[&full, &instead]),
                None => messages::CALL_STD.at(path, &[&full]),
            })
        }
        _ => None,
    }
}

/// A pattern that is a name and nothing else.
pub(crate) fn is_plain_name(pat: &PatIdent) -> bool {
    pat.by_ref.is_none() && pat.subpat.is_none() && !is_constant_name(&pat.ident.to_string())
}

/// A closure of a kind that kernels have not.
pub(crate) fn closure(closure: &ExprClosure) -> Option<syn::Error> {
    if let Some(token) = &closure.asyncness {
        return Some(messages::ASYNC_BLOCK.at(token, &[]));
    }
    if let Some(token) = &closure.constness {
        return Some(messages::CONST_CLOSURE.at(token, &[]));
    }
    let lifetimes = closure.lifetimes.as_ref()?;
    Some(messages::CONST_CLOSURE.at(lifetimes, &[]))
}

/// A method call, by name; rustc knows which type has which. Names that mean nothing here may be the user's.
pub(crate) fn method(call: &ExprMethodCall) -> Option<syn::Error> {
    let name = call.method.to_string();
    if is_of_the_language(&call.method) {
        let generics = call.turbofish.as_ref()?;
        if super::names::has_a_length(&call.method) {
            return None;
        }
        return Some(messages::METHOD_GENERICS.at(generics, &[&name]));
    }
    Some(match name.as_str() {
        "expect" => messages::EXPECT.at(&call.method, &[]),
        "enumerate" => super::iterator_method(call),
        _ => return super::missing_method(call),
    })
}

/// The type of a parameter that is a slice that cannot be written through, and the one that it should have for that.
fn shared_slice(binding: &Binding, kernel: &Kernel) -> Option<[String; 2]> {
    let Declared::Param(param) = binding.declared else {
        return None;
    };
    match &kernel.params[param].kind {
        ParamKind::Slice {
            mutable: false,
            elem,
        } => {
            let elem = source(elem);
            Some([format!("&[{elem}]"), format!("&mut [{elem}]")])
        }
        _ => None,
    }
}

/// `iter_mut()` of something that cannot be written through, as far as the signature tells.
pub(crate) fn iter_mut(base: &Expr, binding: &Binding, kernel: &Kernel) -> Option<syn::Error> {
    let [_, should] = shared_slice(binding, kernel)?;
    Some(messages::ITER_MUT_SHARED.at(base, &[&binding.name, &should]))
}

/// A method that changes elements of something that cannot be written through, as far as the signature tells.
pub(crate) fn changing_method(
    call: &ExprMethodCall,
    slice: &Binding,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let [is, should] = shared_slice(slice, kernel)?;
    let words: [&dyn std::fmt::Display; 4] = [&call.method, &slice.name, &is, &should];
    Some(messages::CHANGING_METHOD.at(&call.receiver, &words))
}

/// `.atomic(..)` of something that cannot be written through, as far as the signature tells.
pub(crate) fn atomic(
    call: &ExprMethodCall,
    receiver: &Binding,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let Declared::Param(param) = receiver.declared else {
        return None;
    };
    let name = &receiver.name;
    match &kernel.params[param].kind {
        ParamKind::Slice { elem, .. } => match shared_slice(receiver, kernel) {
            Some([is, should]) => {
                Some(messages::ATOMIC_SHARED.at(&call.receiver, &[name, &is, &should]))
            }
            None => super::without_atomics(call, name, elem),
        },
        ParamKind::Pointer {
            mutable: false,
            elem,
        } => {
            let elem = source(elem);
            let (is, should) = (format!("*const {elem}"), format!("*mut {elem}"));
            Some(messages::ATOMIC_SHARED.at(&call.receiver, &[name, &is, &should]))
        }
        ParamKind::Scalar(ty) | ParamKind::Value(ty) => {
            Some(messages::ATOMIC_VALUE.at(&call.receiver, &[name, &source(ty)]))
        }
        _ => None,
    }
}

/// A literal that the device has no type for.
pub(crate) fn literal(lit: &Lit) -> Option<syn::Error> {
    match lit {
        Lit::Int(int) => match int.suffix() {
            "i128" => Some(messages::WIDE_INTEGER.at(lit, &[&int.suffix(), &"i64"])),
            "u128" => Some(messages::WIDE_INTEGER.at(lit, &[&int.suffix(), &"u64"])),
            "f64" => Some(messages::F64.at(lit, &[])),
            _ => None,
        },
        Lit::Float(float) => (float.suffix() == "f64").then(|| messages::F64.at(lit, &[])),
        Lit::Bool(_) | Lit::Byte(_) => None,
        Lit::Char(_) => Some(messages::CHAR_LITERAL.at(lit, &[])),
        _ => Some(messages::TEXT_LITERAL.at(lit, &[])),
    }
}

/// Whether an expression is a number, as far as it and the signature tell.
pub(crate) fn is_a_number(expr: &Expr, binding: Option<&Binding>, kernel: &Kernel) -> bool {
    match (expr, binding.map(|binding| binding.declared)) {
        (expr, _) if is_a_literal_number(expr) => true,
        (Expr::MethodCall(call), _) => call.method == "len" && call.args.is_empty(),
        (_, Some(Declared::Param(index))) => {
            matches!(&kernel.params[index].kind, ParamKind::Scalar(_))
        }
        (_, Some(Declared::Loop)) => true,
        _ => false,
    }
}

/// Whether an expression is a tuple of some parts.
pub(crate) fn is_tuple(expr: &Expr) -> bool {
    match expr {
        Expr::Tuple(tuple) => !tuple.elems.is_empty(),
        Expr::Paren(paren) => is_tuple(&paren.expr),
        Expr::Group(group) => is_tuple(&group.expr),
        _ => false,
    }
}

/// `0.0..1.0`, of which nothing can be the next one.
pub(crate) fn float_range(iterated: &Expr) -> Option<syn::Error> {
    let Expr::Range(range) = iterated else {
        return None;
    };
    let mut ends = range.start.iter().chain(&range.end);
    let float =
        ends.find(|end| matches!(&***end, Expr::Lit(lit) if matches!(lit.lit, Lit::Float(_))))?;
    Some(messages::FLOAT_RANGE.at(float, &[]))
}

/// Expressions a kernel cannot have.
pub(crate) fn expression(expr: &Expr) -> syn::Error {
    match expr {
        Expr::Async(block) => messages::ASYNC_BLOCK.at(block.async_token, &[]),
        Expr::Await(expr) => messages::ASYNC_BLOCK.at(expr.await_token, &[]),
        Expr::Let(condition) => messages::LET_IN_EXPRESSION.at(condition, &[]),
        Expr::Macro(expr) => mac(&expr.mac),
        Expr::Range(range) => messages::RANGE.at(range, &[]),
        Expr::RawAddr(_) => messages::RAW_REFERENCE.at(expr, &[]),
        Expr::Reference(reference) => {
            let mutability = reference.mutability;
            let and = reference.and_token;
            let what = if mutability.is_some() { "&mut" } else { "&" };
            messages::REFERENCE.at(quote!(#and #mutability), &[&what])
        }
        Expr::Try(expr) => messages::QUESTION_MARK.at(expr.question_token, &[]),
        Expr::TryBlock(block) => messages::QUESTION_MARK.at(block.try_token, &[]),
        _ => messages::OTHER_EXPRESSION.at(expr, &[]),
    }
}

/// A jump that leaves no loop.
pub(crate) fn jump(keyword: impl ToTokens, in_condition: bool) -> syn::Error {
    let name = keyword.to_token_stream().to_string();
    let message = if in_condition {
        messages::JUMP_IN_CONDITION
    } else {
        messages::OUTSIDE_LOOP
    };
    message.at(keyword, &[&name])
}

/// A constant that the device has not, by its type (`f64::EPSILON`) or its name (`threadIdx`).
pub(crate) fn constant(path: &Path) -> Option<syn::Error> {
    let refused = path.segments.iter().find_map(|segment| {
        let name = segment.ident.to_string();
        refused_scalar(&name, &segment.ident)
    });
    refused
        .or_else(|| super::foreign_variable(path))
        .or_else(|| super::constant_elsewhere(path))
}
