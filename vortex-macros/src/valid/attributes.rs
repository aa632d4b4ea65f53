//! What the values of attributes may be. Those with names are held against the same limits by `meta::Attributes`.

use std::fmt::Display;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, LitStr, Meta, Token};

use super::Complaints;
use crate::messages;

/// The most work items that a group can have on any Vortex: 32 warps of 32 threads.
const MOST_ITEMS: u64 = 1024;

/// The most lanes of a warp.
const MOST_LANES: u64 = 32;

/// The most numbers of a list.
const MOST_LISTED: usize = 16;

/// The name that a kernel is given.
pub(crate) fn kernel_name(name: &LitStr, complaints: &mut Complaints) {
    if !is_a_name(&name.value()) {
        complaints.push(messages::KERNEL_NAME.at(name, &[]));
    }
}

/// A list of so many numbers, which the attribute of a name is given.
pub(crate) fn list(name: &Ident, value: &impl ToTokens, count: usize, complaints: &mut Complaints) {
    if count > MOST_LISTED {
        complaints.push(messages::LONG_LIST.at(value, &[name, &count, &MOST_LISTED]));
    }
}

/// The lanes that a warp is to have.
pub(crate) fn subgroup_size(value: &impl ToTokens, lanes: u64, complaints: &mut Complaints) {
    if !lanes.is_power_of_two() || lanes > MOST_LANES {
        complaints.push(messages::SUBGROUP_SIZE.at(value, &[&lanes]));
    }
}

/// Groups of a size that cannot be, as far as it is known. A hint may be anything: what cannot be is not used, and
/// metadata says so.
pub(crate) fn group_size(value: &impl ToTokens, size: &[u64], complaints: &mut Complaints) {
    if size.contains(&0) {
        complaints.push(messages::EMPTY_BLOCK.at(value, &[&"block"]));
        return;
    }
    let items = size.iter().map(|&n| u128::from(n));
    let items = items.fold(1, u128::saturating_mul);
    if items > u128::from(MOST_ITEMS) {
        complaints.push(messages::OVERSIZED_BLOCK.at(value, &[&items, &MOST_ITEMS]));
    }
}

/// What other languages call the size of a group.
const GROUP_SIZES: &[&str] = &[
    "__launch_bounds__",
    "block_dim",
    "block_size",
    "group_size",
    "launch_bounds",
    "local_size",
    "num_threads",
    "numthreads",
    "reqd_work_group_size",
    "threads",
    "threads_per_block",
    "work_group_size",
    "workgroup",
    "workgroup_size",
];

/// Whether this is what another language calls the size of a group.
pub(crate) fn is_group_size(name: &Ident) -> bool {
    super::is_one_of(name, GROUP_SIZES)
}

/// How the size of a group is written here that is made of these numbers: `(64, 1, 1)`.
pub(crate) fn block_of(numbers: TokenStream) -> String {
    let numbers = match numbers.clone().into_iter().next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => numbers,
    };
    let numbers = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(numbers);
    let mut numbers: Vec<_> = (numbers.iter().flatten())
        .map(super::source)
        .take(3)
        .collect();
    if numbers.is_empty() {
        numbers.push("64".to_owned());
    }
    numbers.resize(3, "1".to_owned());
    format!("({})", numbers.join(", "))
}

/// Takes away an attribute that says in another language how large a group is.
pub(crate) fn group_attributes(attributes: &mut Vec<Attribute>, complaints: &mut Complaints) {
    let is_one =
        |attribute: &mut Attribute| attribute.path().get_ident().is_some_and(is_group_size);
    for attribute in attributes.extract_if(.., is_one) {
        let numbers = match &attribute.meta {
            Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let words: [&dyn Display; 2] = [&super::source(&attribute.meta), &block_of(numbers)];
        complaints.push(messages::GROUP_ATTRIBUTE.at(&attribute, &words));
    }
}

/// What symbols, files and command lines can hold without quotes.
fn is_a_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || "_.:<>,".contains(c))
}
