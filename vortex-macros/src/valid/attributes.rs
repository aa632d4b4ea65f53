//! What the values of attributes may be. Those with names are held against the same limits by `meta::Attributes`.

use quote::ToTokens;

use super::Complaints;
use crate::attr::Arguments;
use crate::messages;

/// The most work items that a group can have on any Vortex: 32 warps of 32 threads.
const MOST_ITEMS: u64 = 1024;

/// The most lanes of a warp.
const MOST_LANES: u64 = 32;

/// The most numbers of a list.
const MOST_LISTED: usize = 16;

/// All that is wrong with the attributes of a kernel, one by one and together.
pub(crate) fn attribute_values(arguments: &Arguments, complaints: &mut Complaints) {
    if let Some(value) = arguments.value("block")
        && let Some(size) = value.literal_size()
    {
        group_size(value, &size, complaints);
    }
    if let Some(value) = arguments.value("subgroup")
        && let Some(lanes) = value.literal_number()
        && (!lanes.is_power_of_two() || lanes > MOST_LANES)
    {
        complaints.push(messages::SUBGROUP_SIZE.at(value, &[&lanes]));
    }
    for given in &arguments.given {
        if let Some(count) = given.value.listed()
            && count > MOST_LISTED
        {
            complaints
                .push(messages::LONG_LIST.at(&given.value, &[&given.name, &count, &MOST_LISTED]));
        }
    }
    if let Some(name) = &arguments.name
        && !is_a_name(&name.value())
    {
        complaints.push(messages::KERNEL_NAME.at(name, &[]));
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
