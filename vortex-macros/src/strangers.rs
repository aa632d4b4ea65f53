//! Items of any content: the macros make Rust of them, or say what is wrong, and do not panic. For libFuzzer, and for a
//! test of the seeds that it begins with.

use crate::{derive, device, kernel, tune, variable};
use proc_macro2::{TokenStream, TokenTree};

/// How deep brackets are nested at most: rustc reads them before a macro does, and has a limit, too.
const MOST_NESTED: usize = 40;

/// Expands the item after the first line, which has the macro's name and, after a space, its arguments. Returns whether
/// it is one without mistakes.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let text = str::from_utf8(bytes).unwrap_or_default();
    let (first, item) = text.split_once('\n').unwrap_or((text, ""));
    let (name, arguments) = first.split_once(' ').unwrap_or((first, ""));
    let (Ok(arguments), Ok(item)) = (arguments.parse::<TokenStream>(), item.parse()) else {
        return false;
    };
    if !is_flat(&arguments, MOST_NESTED) || !is_flat(&item, MOST_NESTED) {
        return false;
    }
    let expanded = match name {
        "kernel" => kernel::expand(arguments, item),
        "device" => device::expand(arguments, item),
        "global" => variable::expand(variable::Kind::Global, arguments, item),
        "constant" => variable::expand(variable::Kind::Constant, arguments, item),
        "derive" => derive::expand(item),
        "tune" => tune::above(&arguments, item),
        _ => return false,
    };
    let text = expanded.to_string();
    if text.contains("compile_error") {
        return false;
    }
    if let Err(error) = syn::parse2::<syn::File>(expanded) {
        panic!("this is no Rust: {error}\n{text}");
    }
    true
}

fn is_flat(tokens: &TokenStream, nested: usize) -> bool {
    tokens.clone().into_iter().all(|token| match token {
        TokenTree::Group(group) => nested > 0 && is_flat(&group.stream(), nested - 1),
        _ => true,
    })
}
