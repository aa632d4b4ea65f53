//! What is an iterator, and what its items are, as far as can be read off the syntax.

use syn::{Expr, ExprArray, ExprMethodCall, ExprPath, Pat};

use super::unparenthesized;
use crate::{messages, valid};

/// What the items are, as far as can be seen.
#[derive(Clone)]
pub(super) enum ItemShape {
    /// Of a range.
    Number,
    /// A reference for the user, a value here.
    Value,
    /// Each can be assigned to.
    Place,
    /// A part of a slice.
    Slice,
    Pair(Box<ItemShape>, Box<ItemShape>),
}

impl ItemShape {
    /// Whether something of the items can be assigned to.
    pub(super) fn has_places(&self) -> bool {
        match self {
            Self::Place | Self::Slice => true,
            Self::Pair(left, right) => left.has_places() || right.has_places(),
            Self::Number | Self::Value => false,
        }
    }

    /// The pattern that takes an item apart, with the names of one that does not.
    pub(super) fn pattern(&self, written: &Pat) -> String {
        let written: Vec<_> = match written {
            Pat::Tuple(tuple) => tuple.elems.iter().map(valid::source).collect(),
            _ => Vec::new(),
        };
        match written.len() == self.parts() {
            true => self.nested(&mut written.into_iter()),
            false => self.nested(&mut ('a'..='z').map(String::from)),
        }
    }

    /// How many things an item is.
    fn parts(&self) -> usize {
        match self {
            Self::Pair(left, right) => left.parts() + right.parts(),
            _ => 1,
        }
    }

    fn nested(&self, names: &mut impl Iterator<Item = String>) -> String {
        match self {
            Self::Pair(left, right) => {
                let left = left.nested(names);
                format!("({left}, {})", right.nested(names))
            }
            _ => names.next().unwrap_or_else(|| "_".to_owned()),
        }
    }
}

/// The shape of the items of an iterator.
pub(super) fn shape(iterated: &Expr) -> ItemShape {
    let iterated = unparenthesized(iterated);
    if is_range(iterated) {
        return ItemShape::Number;
    }
    match iterated {
        Expr::Reference(reference) if reference.mutability.is_some() => ItemShape::Place,
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "iter_mut" => ItemShape::Place,
            "enumerate" => {
                ItemShape::Pair(Box::new(ItemShape::Number), Box::new(shape(&call.receiver)))
            }
            "zip" => {
                let other = call.args.first().map_or(ItemShape::Value, shape);
                ItemShape::Pair(Box::new(shape(&call.receiver)), Box::new(other))
            }
            "iter" | "into_iter" | "map" | "map_while" | "filter_map" | "scan" | "flat_map"
            | "flatten" => ItemShape::Value,
            _ if parts(call).is_some() => ItemShape::Slice,
            _ => shape(&call.receiver),
        },
        _ => ItemShape::Value,
    }
}

/// The array of tuples that a `for` goes over, if they are written there.
pub(super) fn written_tuples(iterated: &Expr) -> Option<&ExprArray> {
    match unparenthesized(iterated) {
        Expr::Array(array)
            if !array.elems.is_empty() && array.elems.iter().all(valid::is_tuple) =>
        {
            Some(array)
        }
        Expr::Reference(reference) if reference.mutability.is_none() => {
            written_tuples(&reference.expr)
        }
        Expr::MethodCall(call)
            if call.args.is_empty() && (call.method == "iter" || call.method == "into_iter") =>
        {
            written_tuples(&call.receiver)
        }
        _ => None,
    }
}

/// What `for v in x`, `in &x` and `in x.iter()` go over.
pub(super) fn elements_of(iterated: &Expr) -> &Expr {
    match unparenthesized(iterated) {
        Expr::Reference(reference) => elements_of(&reference.expr),
        Expr::MethodCall(call)
            if call.args.is_empty()
                && ["iter", "iter_mut", "into_iter"]
                    .iter()
                    .any(|name| call.method == name) =>
        {
            elements_of(&call.receiver)
        }
        expr => expr,
    }
}

/// The same, if it has a name.
pub(super) fn named(iterated: &Expr) -> Option<&ExprPath> {
    match elements_of(iterated) {
        Expr::Path(path) => Some(path),
        _ => None,
    }
}

/// Whether a pattern is a name for a whole item.
pub(super) fn is_name(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => valid::is_plain_name(name),
        Pat::Reference(reference) => is_name(&reference.pat),
        _ => false,
    }
}

/// Whether the end of an iterator is a number whose type is known: `count()`, `sum::<f32>()`.
pub(super) fn gives_a_number(call: &ExprMethodCall) -> bool {
    if let Expr::MethodCall(position) = unparenthesized(&call.receiver)
        && position.method == "position"
    {
        return call.method == "unwrap" && is_sequence(&position.receiver);
    }
    let ends_in_one = match call.method.to_string().as_str() {
        "count" => true,
        "sum" | "product" => call.turbofish.is_some(),
        _ => false,
    };
    ends_in_one && call.args.is_empty() && is_sequence(&call.receiver)
}

/// Whether an expression is an iterator: it begins with a range, or with `iter()`.
pub(super) fn is_sequence(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Range(_) => true,
        Expr::MethodCall(call) if is_beginning(call) => true,
        Expr::MethodCall(call) if is_adapter(call) => is_sequence(&call.receiver),
        _ => false,
    }
}

/// Whether it is one that no loop over a range or a slice alone can go through.
pub(super) fn is_made(expr: &Expr) -> bool {
    let Expr::MethodCall(call) = unparenthesized(expr) else {
        return false;
    };
    let is_maker = match call.method.to_string().as_str() {
        "map" | "zip" | "chain" => true,
        "enumerate" => is_range(&call.receiver),
        _ => is_choice(call),
    };
    is_sequence(expr) && (is_maker || is_made(&call.receiver))
}

/// Whether the number of items is not known before they are gone through.
pub(super) fn is_uncountable(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::MethodCall(call) => is_choice(call) || is_uncountable(&call.receiver),
        _ => false,
    }
}

/// Whether a method chooses some of the items by asking a closure.
pub(super) fn is_choice(call: &ExprMethodCall) -> bool {
    valid::is_one_of(&call.method, valid::CHOOSING_METHODS)
}

/// Whether this is where an iterator over a slice begins.
pub(super) fn is_beginning(call: &ExprMethodCall) -> bool {
    let beginnings = ["iter", "iter_mut", "into_iter"];
    call.args.is_empty() && valid::is_one_of(&call.method, &beginnings)
        || call.args.len() == 1 && parts(call).is_some()
}

/// The function for an iterator over parts of a slice.
pub(super) fn parts(call: &ExprMethodCall) -> Option<&'static str> {
    let functions = [
        "chunks",
        "chunks_mut",
        "chunks_exact",
        "chunks_exact_mut",
        "windows",
    ];
    functions.into_iter().find(|name| call.method == name)
}

/// `for [a, b] in x.windows(2)`.
pub(super) fn pattern_of_parts(pat: &Pat, iterated: &Expr) -> Option<syn::Error> {
    let Expr::MethodCall(call) = unparenthesized(iterated) else {
        return None;
    };
    match (pat, parts(call)) {
        (Pat::Reference(reference), _) => pattern_of_parts(&reference.pat, iterated),
        (Pat::Tuple(pair), _) if call.method == "enumerate" => {
            pattern_of_parts(pair.elems.get(1)?, &call.receiver)
        }
        (Pat::Slice(slice), Some(_)) => {
            let has_rest = slice.elems.iter().any(|elem| match elem {
                Pat::Ident(name) => name.subpat.is_some(),
                elem => matches!(elem, Pat::Rest(_)),
            });
            let words: [&dyn std::fmt::Display; 2] = [&call.method, &valid::source(slice)];
            (!has_rest).then(|| messages::PATTERN_OF_PARTS.at(slice, &words))
        }
        _ => None,
    }
}

pub(super) fn is_adapter(call: &ExprMethodCall) -> bool {
    keeps_elements(call) || valid::is_one_of(&call.method, valid::MAKING_METHODS) || is_choice(call)
}

/// Whether a method is one of what a `for` over a slice goes over.
pub(super) fn is_iteration(call: &ExprMethodCall) -> bool {
    valid::is_one_of(&call.method, &["iter", "iter_mut", "into_iter"]) || keeps_elements(call)
}

/// Whether a method gives an iterator over what its receiver goes over, no item changed.
pub(super) fn keeps_elements(call: &ExprMethodCall) -> bool {
    is_range_method(call) || valid::is_one_of(&call.method, valid::KEEPING_METHODS)
}

/// Whether a method changes where a loop begins and ends, of ranges, too.
pub(super) fn is_range_method(call: &ExprMethodCall) -> bool {
    valid::is_one_of(&call.method, valid::RANGE_METHODS)
}

/// A range, perhaps with methods.
pub(super) fn is_range(expr: &Expr) -> bool {
    match unparenthesized(expr) {
        Expr::Range(_) => true,
        Expr::MethodCall(call) if is_range_method(call) => is_range(&call.receiver),
        _ => false,
    }
}
