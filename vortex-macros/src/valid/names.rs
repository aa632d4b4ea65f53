//! What a kernel can call, by name. rustc knows which type has which method; this is for saying so in few words.

use syn::{ExprMethodCall, Ident};

use super::{floats, nearest};

/// Functions of the prelude that tell a work item something.
pub(super) const IDS: &[&str] = &[
    "global_id",
    "global_id_2d",
    "global_id_3d",
    "clock",
    "lane_id",
    "warp_id",
    "core_id",
    "lane_count",
    "warp_count",
    "core_count",
    "global_size",
    "global_size_2d",
    "global_size_3d",
    "local_id",
    "local_id_2d",
    "local_id_3d",
    "local_size",
    "local_size_2d",
    "local_size_3d",
    "group_id",
    "group_id_2d",
    "group_id_3d",
    "group_count",
    "group_count_2d",
    "group_count_3d",
];

/// Other functions of the prelude.
const OTHERS: &[&str] = &["barrier", "fence", "local", "vec2", "vec3", "vec4"];

/// Whether a function of the prelude that a kernel can call has this name.
pub(super) fn is_function(name: &str) -> bool {
    IDS.contains(&name) || OTHERS.contains(&name)
}

/// Methods of values, slices and pointers.
pub(super) const METHODS: &[&str] = &[
    "len", "is_empty", "add", "sub", "offset", "is_null", "abs", "sqrt", "min", "max", "clamp",
    "mul_add", "fill",
];

/// Methods of short vectors.
pub(super) const VECTOR_METHODS: &[&str] = &["dot", "cross", "length", "normalize"];

/// Whether this is how components of a short vector are picked: `xy`, `zyx`.
pub(crate) fn is_swizzle(method: &Ident) -> bool {
    let name = method.to_string();
    (2..=4).contains(&name.len()) && name.chars().all(|c| matches!(c, 'x' | 'y' | 'z' | 'w'))
}

/// `xyz` for `rgb` and for `stp`, as shaders call components.
pub(crate) fn by_coordinates(name: &str) -> Option<String> {
    let of = |letters: &str| {
        name.chars()
            .map(|c| letters.find(c))
            .collect::<Option<Vec<_>>>()
    };
    let found = of("rgba").or_else(|| of("stpq"))?;
    let letters = found.iter().filter_map(|at| "xyzw".chars().nth(*at));
    (1..=4).contains(&name.len()).then(|| letters.collect())
}

/// Methods of bytes.
pub(super) const BYTE_METHODS: &[&str] = &[
    "is_ascii",
    "is_ascii_digit",
    "is_ascii_lowercase",
    "is_ascii_uppercase",
    "is_ascii_alphabetic",
    "is_ascii_alphanumeric",
    "is_ascii_whitespace",
    "to_ascii_lowercase",
    "to_ascii_uppercase",
];

/// Methods of `Option`, and those that give one.
pub(super) const OPTION_METHODS: &[&str] = &[
    "get",
    "first",
    "last",
    "first_chunk",
    "last_chunk",
    "is_some",
    "is_none",
    "is_some_and",
    "is_ok",
    "is_err",
    "is_ok_and",
    "is_err_and",
    "ok",
    "err",
    "ok_or",
    "ok_or_else",
    "map_err",
    "unwrap_err",
    "unwrap",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "is_none_or",
    "filter",
    "zip",
    "then",
    "then_some",
    "map",
    "map_or",
    "map_or_else",
    "and",
    "and_then",
    "or",
    "or_else",
    "copied",
    "cloned",
];

/// Those of them that others have, too.
const METHODS_NOT_OF_OPTIONS_ALONE: &[&str] = &[
    "get",
    "first",
    "last",
    "first_chunk",
    "last_chunk",
    "filter",
    "zip",
    "then",
    "then_some",
    "or",
    "copied",
    "cloned",
];

/// Through what rustc is asked whether a method of options is called on one. Those that others have, too, need not be
/// among them.
pub(crate) fn of_options(method: &Ident) -> Option<&'static str> {
    let is_own =
        is_one_of(method, OPTION_METHODS) && !is_one_of(method, METHODS_NOT_OF_OPTIONS_ALONE);
    is_own.then_some(match method.to_string().as_str() {
        "map" => "HasMap::this",
        "is_some" | "is_none" | "is_some_and" | "is_none_or" | "ok_or" | "ok_or_else" => {
            "OnlyOption::this"
        }
        "is_ok" | "is_err" | "is_ok_and" | "is_err_and" | "ok" | "err" | "map_err"
        | "unwrap_err" => "HasResult::this",
        _ => "HasOption::this",
    })
}

/// Whether a name is in a list.
pub(crate) fn is_one_of(name: &Ident, names: &[&str]) -> bool {
    names.iter().any(|one| name == one)
}

/// Whether a method takes a function, or a closure.
pub(crate) fn takes_function(method: &Ident) -> bool {
    is_one_of(
        method,
        &[
            "is_some_and",
            "is_none_or",
            "is_ok_and",
            "is_err_and",
            "filter",
            "then",
            "unwrap_or_else",
            "ok_or_else",
            "map",
            "map_err",
            "map_or",
            "map_or_else",
            "and_then",
            "or_else",
        ],
    )
}

/// A method that gives what `total_cmp` compares by. It is the language's own, as is the next one, by a name that no
/// user writes.
pub(crate) const TOTAL_ORDER: &str = "__vortex_total_order";

/// A method as `sort_by_key`, with the greatest key first.
pub(crate) const SORT_BACKWARDS: &str = "__vortex_sort_backwards";

/// What the argument of a method of numbers or slices has to be.
pub(crate) enum Wanted {
    /// What it is called on.
    Same,
    /// A number of this type.
    Of(&'static str),
}

/// The same of a method, if it is known by its name.
pub(crate) fn wanted(method: &Ident) -> Option<Wanted> {
    let name = method.to_string();
    let operation = ["wrapping_", "checked_", "overflowing_", "saturating_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(&name);
    Some(match operation {
        "pow" | "shl" | "shr" | "rotate_left" | "rotate_right" | "unbounded_shl"
        | "unbounded_shr" => Wanted::Of("u32"),
        "powi" => Wanted::Of("i32"),
        "get" | "split_at" | "split_at_mut" => Wanted::Of("usize"),
        "min" | "max" | "clamp" | "mul_add" | "powf" | "abs_diff" | "midpoint" | "div_euclid"
        | "rem_euclid" | "div_ceil" | "next_multiple_of" | "is_multiple_of" => Wanted::Same,
        _ if floats::arguments(&name) == Some(1) => Wanted::Same,
        "add" | "sub" | "mul" | "div" | "rem" if operation != name => Wanted::Same,
        _ => return None,
    })
}

/// How many arguments a method of numbers takes.
pub(crate) fn arguments_of_a_number(method: &Ident) -> Option<usize> {
    let name = method.to_string();
    if let Some(takes) = floats::arguments(&name) {
        return Some(takes);
    }
    let is_one = is_one_of(method, &["min", "max", "clamp", "abs", "sqrt", "mul_add"])
        || is_one_of(method, NUMBER_METHODS)
        || is_one_of(method, INTEGER_METHODS);
    is_one.then(|| match wanted(method) {
        Some(_) if is_one_of(method, &["clamp", "mul_add"]) => 2,
        Some(_) => 1,
        None => {
            usize::from(name.ends_with("_signed") && name != "cast_signed")
                | usize::from(name.ends_with("_unsigned") && name != "cast_unsigned")
                | usize::from(name == "powf" || name == "checked_next_multiple_of")
        }
    })
}

/// How many arguments a method of options takes.
pub(crate) fn arguments_of_an_option(method: &Ident) -> Option<usize> {
    Some(match method.to_string().as_str() {
        "is_some" | "is_none" | "unwrap" | "unwrap_or_default" | "copied" | "cloned" => 0,
        "map_or" | "map_or_else" => 2,
        "is_some_and" | "is_none_or" | "expect" | "unwrap_or" | "unwrap_or_else" | "filter"
        | "zip" | "map" | "and" | "and_then" | "or" | "or_else" | "ok_or" | "ok_or_else" => 1,
        _ => return None,
    })
}

/// How many arguments a method of slices takes, whatever they are of.
pub(crate) fn arguments_of_a_slice(method: &Ident) -> Option<usize> {
    Some(match method.to_string().as_str() {
        "len" | "is_empty" | "first" | "last" | "first_chunk" | "last_chunk" | "reverse"
        | "sort" | "sort_unstable" => 0,
        "split_at"
        | "split_at_mut"
        | "contains"
        | "starts_with"
        | "ends_with"
        | "fill"
        | "copy_from_slice"
        | "get"
        | "partition_point"
        | "binary_search"
        | "sort_by"
        | "sort_by_key"
        | "sort_unstable_by"
        | "sort_unstable_by_key"
        | "binary_search_by" => 1,
        "swap" | "binary_search_by_key" => 2,
        _ => return None,
    })
}

/// Whether a method may be told how many elements it gives: `first_chunk::<4>()`.
pub(crate) fn has_a_length(method: &Ident) -> bool {
    is_one_of(method, &["first_chunk", "last_chunk"])
}

/// Whether a method gives an option of an element.
pub(crate) fn gives_an_element(method: &Ident) -> bool {
    is_one_of(method, &["get", "first", "last"])
}

/// Methods of slices, of bytes, and of what `cmp` gives, that structs of the user may have too.
const SLICE_METHODS: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "split_at",
    "partition_point",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "eq_ignore_ascii_case",
    "then_with",
    "is_eq",
    "is_ne",
    "is_lt",
    "is_gt",
    "is_le",
    "is_ge",
];

/// The same, of those that change the elements.
const CHANGING_METHODS: &[&str] = &[
    "split_at_mut",
    "copy_from_slice",
    "reverse",
    "sort",
    "sort_unstable",
    "sort_by_key",
    "sort_unstable_by_key",
    "sort_by",
    "sort_unstable_by",
    SORT_BACKWARDS,
];

/// Methods of slices that are found by other means.
const OTHER_SLICE_METHODS: &[&str] = &[
    "len",
    "is_empty",
    "iter",
    "iter_mut",
    "get",
    "first",
    "last",
    "first_chunk",
    "last_chunk",
    "windows",
    "chunks",
    "chunks_exact",
    "chunks_mut",
    "chunks_exact_mut",
    "fill",
    "swap",
    "rotate_left",
    "rotate_right",
    "atomic",
];

/// What change the length of a `Vec`.
const VEC_METHODS: &[&str] = &[
    "push",
    "push_back",
    "push_front",
    "pop",
    "pop_back",
    "pop_front",
    "remove",
    "insert",
    "clear",
    "truncate",
    "resize",
    "extend",
    "extend_from_slice",
    "append",
    "drain",
    "swap_remove",
    "reserve",
    "retain",
    "dedup",
    "split_off",
];

/// Whether a method changes the length of a `Vec`.
pub(crate) fn is_of_vecs(method: &Ident) -> bool {
    is_one_of(method, VEC_METHODS)
}

/// The method of slices that is meant by a name that is none.
pub(crate) fn method_of_slices_like(method: &Ident) -> Option<&'static str> {
    let lists = [SLICE_METHODS, CHANGING_METHODS, OTHER_SLICE_METHODS];
    let names = lists.into_iter().flatten().copied();
    // Other words for it are misspelt, too.
    let meant = nearest(&method.to_string(), names.chain(["length", "size"]))?;
    Some(match meant {
        "length" | "size" => "len",
        meant => meant,
    })
}

/// The method of numbers of a type that is meant by a misspelt name.
pub(super) fn method_of_numbers_like(ty: &str, name: &str) -> Option<&'static str> {
    let methods = METHODS.iter().chain(NUMBER_METHODS).copied();
    match ty.contains('f') {
        true => nearest(name, methods.chain(floats::names())),
        false => nearest(name, methods.chain(INTEGER_METHODS.iter().copied())),
    }
}

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

/// Whether a call, of which nothing takes what it gives, moves the elements of a slice: a number's method of the name
/// changes nothing.
pub(crate) fn moves_elements(call: &ExprMethodCall) -> bool {
    is_one_of(&call.method, &["rotate_left", "rotate_right"]) && call.args.len() == 1
}

/// Methods of atomics, with the number of memory orders that their arguments end with.
pub(crate) fn orderings(method: &str) -> usize {
    match method {
        "load" | "store" | "swap" | "fetch_add" | "fetch_sub" | "fetch_and" | "fetch_or"
        | "fetch_xor" | "fetch_min" | "fetch_max" => 1,
        "compare_exchange" => 2,
        _ => 0,
    }
}

/// Whether a method is one of a place rather than of the value in it.
pub(crate) fn is_of_places(method: &Ident) -> bool {
    let name = method.to_string();
    matches!(name.as_str(), "atomic" | "len" | "is_empty") || orderings(&name) > 0
}

/// Methods of numbers, as Rust has them, but for those in [`floats`](super::floats).
pub(super) const NUMBER_METHODS: &[&str] = &[
    "fract",
    "recip",
    "to_degrees",
    "to_radians",
    "is_nan",
    "is_infinite",
    "is_finite",
    "is_sign_negative",
    "is_sign_positive",
    "to_bits",
    "to_f32",
    "powf",
    "powi",
    "sin_cos",
];

/// Methods of integers, as Rust has them.
pub(super) const INTEGER_METHODS: &[&str] = &[
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "leading_ones",
    "trailing_zeros",
    "trailing_ones",
    "rotate_left",
    "rotate_right",
    "swap_bytes",
    "reverse_bits",
    "to_be",
    "to_le",
    "abs_diff",
    "midpoint",
    "is_positive",
    "is_negative",
    "unsigned_abs",
    "cast_signed",
    "cast_unsigned",
    "pow",
    "isqrt",
    "is_power_of_two",
    "next_power_of_two",
    "div_euclid",
    "rem_euclid",
    "div_ceil",
    "next_multiple_of",
    "is_multiple_of",
    "unbounded_shl",
    "unbounded_shr",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "wrapping_div",
    "wrapping_rem",
    "wrapping_neg",
    "wrapping_abs",
    "wrapping_pow",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_div_euclid",
    "wrapping_rem_euclid",
    "wrapping_add_signed",
    "wrapping_add_unsigned",
    "wrapping_sub_unsigned",
    "checked_add",
    "checked_sub",
    "checked_mul",
    "checked_neg",
    "checked_pow",
    "checked_shl",
    "checked_shr",
    "checked_div",
    "checked_rem",
    "checked_abs",
    "overflowing_add",
    "overflowing_sub",
    "overflowing_mul",
    "overflowing_div",
    "overflowing_rem",
    "overflowing_neg",
    "overflowing_abs",
    "overflowing_pow",
    "overflowing_shl",
    "overflowing_shr",
    "saturating_add",
    "saturating_sub",
    "saturating_mul",
    "saturating_div",
    "saturating_neg",
    "saturating_abs",
    "saturating_pow",
    "saturating_add_signed",
    "saturating_add_unsigned",
    "saturating_sub_unsigned",
    "checked_div_euclid",
    "checked_rem_euclid",
    "checked_ilog2",
    "checked_ilog10",
    "ilog2",
    "ilog10",
    "to_le_bytes",
    "to_be_bytes",
    "to_ne_bytes",
    "from_le_bytes",
    "from_be_bytes",
    "from_ne_bytes",
    "checked_next_power_of_two",
    "checked_next_multiple_of",
];

/// Methods that answer yes or no, whatever they are methods of.
const TESTS: &[&str] = &[
    "is_empty",
    "contains",
    "starts_with",
    "ends_with",
    "is_nan",
    "is_infinite",
    "is_finite",
    "is_sign_negative",
    "is_sign_positive",
    "is_power_of_two",
    "is_some",
    "is_none",
];

/// Whether a method gives a `bool`.
pub(crate) fn is_test(method: &Ident) -> bool {
    is_one_of(method, TESTS)
}

/// Whether floats alone have a method.
pub(crate) fn is_of_floats(method: &Ident) -> bool {
    let is_theirs = floats::is_one(&method.to_string())
        || is_one_of(method, NUMBER_METHODS)
        || is_one_of(method, &["sqrt", "mul_add"]);
    is_theirs && !is_one_of(method, INTEGER_METHODS) && method != "signum"
}

/// Whether a method of a number gives one number, whose type follows from that of the number.
pub(crate) fn gives_one_number(method: &Ident) -> bool {
    let name = method.to_string();
    let is_of_integers = is_one_of(method, INTEGER_METHODS)
        && !name.ends_with("_bytes")
        && !(name.starts_with("checked_") || name.starts_with("overflowing_"));
    is_of_integers
        || floats::is_one(&name)
        || is_one_of(method, &["abs", "sqrt", "min", "max", "clamp", "mul_add"])
        || is_one_of(method, &["fract", "recip", "powf", "powi", "to_bits"])
}
