//! Mistakes of the first days: what other languages and the host write, where a kernel writes something else.

use std::fmt::Display;

use syn::{Expr, ExprCall, ExprField, ExprIf, ExprIndex, ExprMethodCall, Lit, Member, Stmt};
use syn::{Type, TypePath, UnOp};

use super::names::{OPTION_METHODS, gives_an_element};
use super::path::{has_more_dimensions, is_number, is_of_the_language, last_two, may_be_a_static};
use super::{is_one_of, nearest, source};
use crate::body::scope::{Binding, Declared};
use crate::signature::{Kernel, ParamKind};
use crate::{messages, spans};

/// The parameter that is a slice, if a name is one's: the type of its elements.
fn elements<'k>(binding: Option<&Binding>, kernel: &'k Kernel) -> Option<&'k Type> {
    let Declared::Param(param) = binding?.declared else {
        return None;
    };
    match &kernel.params[param].kind {
        ParamKind::Slice { elem, .. } => Some(elem),
        _ => None,
    }
}

/// Whether this is what other languages call the number of elements.
fn is_length(name: &impl Display) -> bool {
    matches!(
        name.to_string().as_str(),
        "len" | "length" | "size" | "count" | "Length"
    )
}

/// `x.length` and any other field of a slice; `global_id().x`.
pub(crate) fn field(
    field: &ExprField,
    base: Option<&Binding>,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let Member::Named(member) = &field.member else {
        return None;
    };
    if let Expr::Call(call) = &*field.base
        && has_more_dimensions(&call.func)
        && is_one_of(member, &["x", "y", "z"])
    {
        let function = source(&call.func);
        return Some(messages::ID_FIELD.at(member, &[&function]));
    }
    elements(base, kernel)?;
    let slice = source(&field.base);
    let instead = match is_length(member) {
        true => format!("{slice}.len()"),
        false => format!("{slice}[i].{member}"),
    };
    Some(messages::SLICE_FIELD.at(member, &[&slice, &instead]))
}

/// `x.size()` of a slice; `m.lock().unwrap()`; `x.get(i).unwarp()`.
pub(crate) fn method_elsewhere(
    call: &ExprMethodCall,
    base: Option<&Binding>,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let method = &call.method;
    if elements(base, kernel).is_some()
        && call.args.is_empty()
        && method != "len"
        && is_length(method)
    {
        let instead = format!("write `{}.len()`", source(&call.receiver));
        return Some(messages::MISSING_METHOD.at(method, &[method, &instead]));
    }
    match &*call.receiver {
        Expr::MethodCall(lock)
            if method == "unwrap"
                && lock.method == "lock"
                && matches!(&*lock.receiver, Expr::Path(path) if may_be_a_static(path)) =>
        {
            let instead = "write `x.atomic(i).fetch_add(v, Relaxed)`, which needs no lock";
            Some(messages::MISSING_METHOD.at(&lock.method, &[&lock.method, &instead]))
        }
        // An option, which has no methods of the user's.
        Expr::MethodCall(option)
            if gives_an_element(&option.method) && !is_of_the_language(method) =>
        {
            let meant = nearest(&method.to_string(), OPTION_METHODS.iter().copied())?;
            Some(messages::MISSING_METHOD.at(method, &[method, &format!("write `{meant}`")]))
        }
        _ => None,
    }
}

/// `x[i]`, if that is a number of a parameter `x`, and its type.
fn number<'e, 'k>(
    element: &'e Expr,
    base: Option<&Binding>,
    kernel: &'k Kernel,
) -> Option<(&'e ExprIndex, &'k TypePath)> {
    let (Expr::Index(element), Type::Path(elem)) = (element, elements(base, kernel)?) else {
        return None;
    };
    let name = elem.path.get_ident()?;
    let is_part = matches!(&*element.index, Expr::Range(_));
    (is_number(&name.to_string()) && !is_part).then_some((element, elem))
}

/// `x[i].y`, where the elements of `x` are numbers.
pub(crate) fn field_of_a_number(
    field: &ExprField,
    base: Option<&Binding>,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let (element, elem) = number(&field.base, base, kernel)?;
    if let Member::Named(name) = &field.member
        && is_of_the_language(name)
    {
        return Some(messages::METHOD_AS_FIELD.at(name, &[name, &source(element)]));
    }
    let words: [&dyn Display; 2] = [&source(element), &source(elem)];
    Some(messages::NUMBER_FIELD.at(&field.member, &words))
}

/// `x[i].` at the end of a line, which Rust reads on with the next one.
pub(crate) fn dot_at_the_end(field: &ExprField) -> Option<syn::Error> {
    let dot = field.dot_token;
    let is_at_the_end = match &field.member {
        Member::Named(name) => {
            !is_of_the_language(name) && spans::is_in_a_later_line(name.span(), dot.span)
        }
        Member::Unnamed(_) => false,
    };
    is_at_the_end.then(|| messages::DOT_AT_THE_END.at(dot, &[&source(&field.base)]))
}

/// `x[i][j]`, where the elements of `x` are numbers.
pub(crate) fn second_index(
    expr: &ExprIndex,
    base: Option<&Binding>,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let (first, elem) = number(&expr.expr, base, kernel)?;
    let words: [&dyn Display; 4] = [
        &source(&first.expr),
        &source(elem),
        &factor(&first.index),
        &source(&expr.index),
    ];
    Some(messages::SECOND_INDEX.at(expr, &words))
}

/// What stands to the left of `*`, as one would write it.
fn factor(expr: &Expr) -> String {
    match expr {
        Expr::Path(_) | Expr::Lit(_) | Expr::Paren(_) => source(expr),
        expr => format!("({})", source(expr)),
    }
}

/// `x[-1]`.
pub(crate) fn negative_index(base: &Expr, index: &Expr) -> Option<syn::Error> {
    let Expr::Unary(unary) = index else {
        return None;
    };
    let is_negative = matches!(unary.op, UnOp::Neg(_)) && is_a_literal_number(&unary.expr);
    let words: [&dyn Display; 2] = [&source(base), &source(&unary.expr)];
    is_negative.then(|| messages::NEGATIVE_INDEX.at(index, &words))
}

/// `let n: u32 = -1;`.
pub(crate) fn negative_value(ty: Option<&Type>, value: &Expr) -> Option<syn::Error> {
    let (Expr::Unary(unary), unsigned) = (value, source(ty?)) else {
        return None;
    };
    let is_negative = matches!(unary.op, UnOp::Neg(_))
        && matches!(&*unary.expr, Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)));
    let has_none = ["u8", "u16", "u32", "u64", "usize"].contains(&unsigned.as_str());
    let signed = unsigned.replacen('u', "i", 1);
    (is_negative && has_none).then(|| messages::NEGATIVE_VALUE.at(unary, &[&unsigned, &signed]))
}

/// Whether an expression is a number as it is written.
pub(super) fn is_a_literal_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_) | Lit::Float(_)))
}

/// `x ** 2`, which Rust reads as `x * *2`.
pub(crate) fn power(dereferenced: &Expr) -> Option<syn::Error> {
    is_a_literal_number(dereferenced).then(|| messages::POWER.at(dereferenced, &[]))
}

/// The `if c { 1 }` of `let x = if c { 1 };`, or the last one after an `else`, and its value.
pub(crate) fn without_else(expr: &Expr) -> Option<(&ExprIf, &Expr)> {
    let Expr::If(conditional) = expr else {
        return None;
    };
    if let Some((_, otherwise)) = &conditional.else_branch {
        return without_else(otherwise);
    }
    match conditional.then_branch.stmts.last()? {
        Stmt::Expr(value, None) => Some((conditional, value)),
        _ => None,
    }
}

/// `File::open("a.txt")`: no function of a kernel is given a text.
pub(crate) fn reads_a_file(call: &ExprCall) -> Option<syn::Error> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let (of, function) = last_two(&path.path)?;
    let is_text =
        matches!(call.args.first(), Some(Expr::Lit(lit)) if matches!(lit.lit, Lit::Str(_)));
    let is_one = of == "File" && is_one_of(function, &["open", "create"]);
    (is_one && is_text).then(|| messages::LIBRARY_CALL.at(path, &[&source(path), &FILES]))
}

const FILES: &str = "let the host read the file, and pass what is in it as a buffer: `&[u8]`";

/// What to do instead of calling a function of Rust's library, by its path.
pub(crate) fn instead_of_library(path: &str) -> Option<&'static str> {
    let path = path.split_once("::")?.1;
    Some(match path.split("::").next()? {
        "thread" => "remove it: the work items of a launch run side by side already",
        "fs" | "io" => FILES,
        "env" => "let the host ask for it, and pass it as an argument",
        "time" => {
            "write `clock()`, which counts cycles; the report of a launch says how many it took"
        }
        "mem" if path.starts_with("mem::transmute") => {
            "write `x.to_bits()` or `f32::from_bits(n)`, `n.to_le_bytes()` or `u32::from_le_bytes(b)`; a number \
             becomes a variant of an enum by `match`"
        }
        "str" | "string" => {
            "there is no text on the device; a number is read digit by digit, `n = 10 * n + (b - b'0') as u32` for \
             each byte `b`"
        }
        "iter" => "write a range, `(0..n).map(|_| x)`, or a loop",
        _ => return None,
    })
}
