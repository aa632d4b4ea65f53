//! What Rust has and kernels have not, by name, with what to write instead.

use syn::{ExprMethodCall, ExprPath, Ident};

use super::source;
use crate::body::scope::{Binding, Declared};
use crate::messages;
use crate::signature::{Kernel, ParamKind};

/// Methods of slices that structs of the user may have too.
const SLICE_METHODS: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "split_at",
    "partition_point",
    "binary_search",
];

/// The same, of those that change the elements.
const CHANGING_METHODS: &[&str] = &["split_at_mut", "copy_from_slice", "reverse"];

/// Whether a method is one of slices and arrays. Some names are those of atomics, too, which are no places.
pub(crate) fn is_of_slices(call: &ExprMethodCall, is_place: bool) -> bool {
    let name = call.method.to_string();
    let name = name.as_str();
    SLICE_METHODS.contains(&name)
        || CHANGING_METHODS.contains(&name)
        || is_place && matches!((name, call.args.len()), ("swap", 2) | ("fill", 1))
}

/// Whether a method of slices changes their elements.
pub(crate) fn changes_slices(method: &Ident) -> bool {
    let name = method.to_string();
    CHANGING_METHODS.contains(&name.as_str()) || name == "swap" || name == "fill"
}

/// A method that changes elements of a parameter which cannot be written through.
pub(crate) fn changing_method(
    call: &ExprMethodCall,
    slice: &Binding,
    kernel: &Kernel,
) -> Option<syn::Error> {
    let Declared::Param(param) = slice.declared else {
        return None;
    };
    match &kernel.params[param].kind {
        ParamKind::Slice {
            mutable: false,
            elem,
        } => {
            let elem = source(elem);
            let (is, should) = (format!("&[{elem}]"), format!("&mut [{elem}]"));
            let words: [&dyn std::fmt::Display; 4] = [&call.method, &slice.name, &is, &should];
            Some(messages::CHANGING_METHOD.at(&call.receiver, &words))
        }
        _ => None,
    }
}

/// What asks whether a name that stands alone is that of a function of Rust's library: only rustc knows what is imported.
pub(crate) fn may_be_well_known(path: &ExprPath) -> Option<&'static str> {
    Some(match path.path.get_ident()?.to_string().as_str() {
        "min" | "max" => "named_min_or_max",
        "swap" => "named_swap",
        "replace" => "named_replace",
        "take" => "named_take",
        _ => return None,
    })
}

/// A method of iterators that kernels have not.
pub(crate) fn iterator_method(method: &Ident) -> syn::Error {
    let instead = match method.to_string().as_str() {
        "collect" | "partition" | "unzip" | "collect_into" => {
            "there is no heap on the device: write each item where it belongs, `for (y, x) in y.iter_mut().zip(..) { *y = x; }`"
        }
        "min_by" | "max_by" => {
            "write `reduce`, as in `.copied().reduce(f32::min)`, or `min_by_key` and `max_by_key` for integers"
        }
        "scan" => "keep the sum so far in a `let mut` local, and write a `for`",
        "flat_map" | "flatten" => "write one `for` in another",
        "next" | "nth" | "next_back" | "nth_back" | "peekable" | "by_ref" => {
            "an iterator cannot be stopped and gone on with: write a loop over indices, `x[i]`, or `x.get(i)` for an `Option`"
        }
        "cycle" => "write an index, `x[i % x.len()]`",
        "inspect" => "write what is to be done into the body of a `for`",
        "len" => "write `count()`",
        "rposition" | "rfind" | "rfold" => {
            "write `rev()` in front, and `position`, `find` or `fold`"
        }
        "try_fold" | "try_for_each" => "write a `for` with `break`",
        _ => {
            "write a `for`, or use `enumerate`, `rev`, `step_by`, `take`, `skip`, `take_while`, `skip_while`, `zip`, `chain`, `map`, `filter`, \
             `filter_map`, and at the end `sum`, `product`, `count`, `fold`, `reduce`, `any`, `all`, `position`, `find`, `find_map`, `min`, `max`, \
             `min_by_key`, `max_by_key`, `last` or `for_each`"
        }
    };
    messages::ITERATOR_METHOD.at(method, &[method, &instead])
}
