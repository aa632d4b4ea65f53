//! Methods of iterators: those that kernels have, and what to write instead of the others.

use quote::ToTokens;
use syn::{Expr, ExprMethodCall, ExprTuple, Ident, UnOp};

use super::{is_one_of, nearest, source};
use crate::messages;

/// What ranges have, too: where a loop begins and ends, and how it steps.
pub(crate) const RANGE_METHODS: &[&str] = &["rev", "step_by", "take", "skip"];

/// What changes no item.
pub(crate) const KEEPING_METHODS: &[&str] = &["enumerate", "copied", "cloned"];

/// What makes other items, one for each.
pub(crate) const MAKING_METHODS: &[&str] = &["zip", "chain", "map"];

/// What asks a closure which items there are.
pub(crate) const CHOOSING_METHODS: &[&str] = &[
    "filter",
    "filter_map",
    "take_while",
    "skip_while",
    "map_while",
    "scan",
    "flat_map",
    "flatten",
];

/// What goes through all items, and the function for it.
const CONSUMING_METHODS: &[(&str, &str)] = &[
    ("sum", "sum_of"),
    ("product", "product_of"),
    ("count", "count_of"),
    ("len", "length_of"),
    ("fold", "folded"),
    ("reduce", "reduced"),
    ("any", "any_of"),
    ("all", "all_of"),
    ("position", "position_of"),
    ("find", "first_of"),
    ("find_map", "first_mapped"),
    ("min", "least_of"),
    ("max", "greatest_of"),
    ("min_by", "least_by"),
    ("max_by", "greatest_by"),
    ("min_by_key", "least_by_key"),
    ("max_by_key", "greatest_by_key"),
    ("last", "last_of"),
    ("for_each", "for_all"),
];

/// Those of them that give one of the items, if there is any.
const METHODS_FOR_AN_ITEM: &[&str] = &[
    "reduce",
    "find",
    "min",
    "max",
    "min_by",
    "max_by",
    "min_by_key",
    "max_by_key",
    "last",
];

/// Whether a method gives one of the items of an iterator, if there is any.
pub(crate) fn gives_an_item(method: &Ident) -> bool {
    // Another name for `skip` and `find`.
    is_one_of(method, METHODS_FOR_AN_ITEM) || method == "nth"
}

/// Whether a method asks of each item, and is to be told by a `bool`.
pub(crate) fn asks_of_items(method: &Ident) -> bool {
    let choosing = ["filter", "take_while", "skip_while"];
    let consuming = ["any", "all", "position", "find"];
    is_one_of(method, &choosing) || is_one_of(method, &consuming)
}

/// Whether a method is one that iterators have and slices have not.
pub(crate) fn is_of_iterators_alone(method: &Ident) -> bool {
    let consumers = CONSUMING_METHODS.iter().map(|(name, _)| *name);
    let of_both = ["len", "last"];
    !is_one_of(method, &of_both) && adapters().chain(consumers).any(|name| method == name)
}

/// The function for a method that goes through all items.
pub(crate) fn consuming_method(method: &Ident) -> Option<&'static str> {
    let mut methods = CONSUMING_METHODS.iter();
    let (_, function) = methods.find(|(name, _)| method == name)?;
    Some(function)
}

/// Those after which there still is an iterator.
fn adapters() -> impl Iterator<Item = &'static str> {
    [
        KEEPING_METHODS,
        RANGE_METHODS,
        MAKING_METHODS,
        CHOOSING_METHODS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// What a `for` goes over, if it is not a range.
pub(crate) fn iterated(expr: &impl ToTokens) -> syn::Error {
    messages::NOT_A_RANGE.at(expr, &[])
}

/// The same of what a method gives that kernels do not have.
pub(crate) fn iterated_call(call: &ExprMethodCall) -> syn::Error {
    let slice = source(&call.receiver);
    let instead = match call.method.to_string().as_str() {
        "rchunks" | "rchunks_exact" => format!(
            "where the length is a multiple of the chunks', write `{slice}.chunks({}).rev()`",
            source(&call.args)
        ),
        _ => "slices have `iter()`, `iter_mut()`, `chunks(n)`, `chunks_exact(n)`, `windows(n)`, and their `.rev()`; \
              or write `for i in 0..x.len()`"
            .to_owned(),
    };
    messages::ITERATED_METHOD.at(&call.method, &[&call.method, &instead])
}

/// `for (a, b) in (x, y)`.
pub(crate) fn iterated_tuple(tuple: &ExprTuple) -> syn::Error {
    let names = tuple.elems.iter().map(|part| match part {
        Expr::Reference(reference) => source(&reference.expr),
        part => source(part),
    });
    let zipped = names.reduce(|all, next| match all.contains('(') {
        true => format!("{all}.zip({next})"),
        false => format!("{all}.iter().zip({next})"),
    });
    messages::FOR_OVER_TUPLE.at(tuple, &[&zipped.unwrap_or_default()])
}

/// A method of iterators that kernels have not.
pub(crate) fn iterator_method(call: &ExprMethodCall) -> syn::Error {
    let method = &call.method;
    let consumers = CONSUMING_METHODS.iter().map(|(name, _)| *name);
    let instead = match method.to_string().as_str() {
        "collect" | "partition" | "unzip" | "collect_into" => {
            "there is no heap on the device: write each item where it belongs, into an array, `let mut v = [0.0; N];`, \
             or a `&mut [T]`: `for (to, item) in v.iter_mut().zip(..) { *to = item; }`"
        }
        "next" | "nth" | "next_back" | "nth_back" | "peekable" | "by_ref" => {
            "an iterator cannot be stopped and gone on with: write a loop over indices, `x[i]`, \
             or `x.get(i)` for an `Option`"
        }
        "step" => "write `step_by`",
        "cycle" => "write an index, `x[i % x.len()]`",
        "inspect" => "write what is to be done into the body of a `for`",
        "rposition" | "rfind" | "rfold" => {
            "write `rev()` in front, and `position`, `find` or `fold`"
        }
        "try_fold" | "try_for_each" => "write a `for` with `break`",
        "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "cmp" | "partial_cmp" => &compared(call),
        name => &match nearest(name, adapters().chain(consumers.clone())) {
            Some(meant) => format!("write `{meant}`"),
            None => format!(
                "write a `for`, or use {}, and at the end {}",
                listed(adapters(), "and"),
                listed(consumers, "or")
            ),
        },
    };
    messages::ITERATOR_METHOD.at(method, &[method, &instead])
}

/// What is written for a comparison of iterators.
fn compared(call: &ExprMethodCall) -> String {
    let slice = |expr: &Expr| match expr {
        Expr::MethodCall(iter) if iter.method == "iter" => Some(source(&iter.receiver)),
        Expr::Path(_) => Some(source(expr)),
        _ => None,
    };
    let slices = slice(&call.receiver).zip(call.args.first().and_then(slice));
    let (one, other) = slices.unwrap_or_else(|| ("x".to_owned(), "y".to_owned()));
    let operator = match call.method.to_string().as_str() {
        "eq" => "==",
        "ne" => "!=",
        "lt" => "<",
        "le" => "<=",
        "gt" => ">",
        "ge" => ">=",
        _ => {
            return format!(
                "compare slices, `{one}.cmp({other})`, or item by item in a `for` with `break`"
            );
        }
    };
    format!(
        "compare slices, `{one} {operator} {other}`, or item by item, `x.iter().zip(y).all(|(a, b)| a == b)`"
    )
}

/// What is wrong with the number of arguments of a method that iterators have. `zero` is what a sum of the items begins
/// with.
pub(crate) fn arguments_of_an_iterator(call: &ExprMethodCall, zero: &str) -> Option<syn::Error> {
    let method = &call.method;
    let name = method.to_string();
    let closure = |form: &str| match call.args.iter().find(|one| matches!(one, Expr::Closure(_))) {
        Some(written) => source(written),
        None => form.to_owned(),
    };
    let (takes, what, instead) = match name.as_str() {
        "sum" | "product" | "count" | "len" | "min" | "max" | "last" | "rev" | "enumerate"
        | "copied" | "cloned" | "flatten" => (0, "no argument", format!("{name}()")),
        "fold" | "scan" => {
            let form = match name.as_str() {
                "fold" => "|sum, v| sum + v",
                _ => "|state, v| ..",
            };
            let instead = format!("{name}({zero}, {})", closure(form));
            (2, "a first value and a closure", instead)
        }
        "zip" if call.args.len() == 2 => {
            let all = call
                .args
                .iter()
                .map(|other| format!("zip({})", source(other)));
            let all = all.collect::<Vec<_>>().join(".");
            (
                1,
                "one other iterator",
                format!("{all}`, whose items are `((a, b), c)"),
            )
        }
        "zip" | "chain" => (1, "another iterator", format!("{name}(y)")),
        "take" | "skip" | "step_by" => (1, "a number of items", format!("{name}(n)")),
        "reduce" | "min_by" | "max_by" => (
            1,
            "a closure of two items",
            format!("{name}({})", closure("|a, b| ..")),
        ),
        _ if is_of_iterators_alone(method) => (
            1,
            "a closure of an item",
            format!("{name}({})", closure("|v| ..")),
        ),
        _ => return None,
    };
    let words: [&dyn std::fmt::Display; 3] = [method, &what, &instead];
    (call.args.len() != takes).then(|| messages::ITERATOR_ARGUMENTS.at(method, &words))
}

/// `(0..n).step_by(-1)`.
pub(crate) fn negative_step(call: &ExprMethodCall) -> Option<syn::Error> {
    let step = call.args.first().filter(|_| call.method == "step_by")?;
    let is_negative = matches!(step, Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)));
    let whole = source(&call.receiver);
    is_negative.then(|| messages::NEGATIVE_STEP.at(step, &[&whole]))
}

/// Names as they stand in a sentence.
fn listed<'a>(names: impl Iterator<Item = &'a str>, before_last: &str) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [names @ .., last] if !names.is_empty() => {
            format!("{} {before_last} {last}", names.join(", "))
        }
        names => names.join(", "),
    }
}
