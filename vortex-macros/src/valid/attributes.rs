//! What the values of attributes may be. Those with names are held against the same limits by `meta::Attributes`.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::LitStr;

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

/// What symbols, files and command lines can hold without quotes.
fn is_a_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || "_.:<>,".contains(c))
}
