//! Which image of a kernel a launch takes.

use super::Variant;
use crate::driver::Caps;
use crate::extents::Extents;
use crate::image::choice::{Choice, extents};
use vortex_sim::Count;

/// The image for a launch with these groups, or over this many items, and why.
pub(super) fn choose(
    variants: &[Variant],
    block: Option<[u32; 3]>,
    over: Option<[usize; 3]>,
    caps: &Caps,
) -> (usize, Choice) {
    let (index, reason) = match (block, over) {
        (Some(block), _) => by_block(variants, block),
        (None, Some(items)) => by_items(variants, items, caps),
        (None, None) => (0, "the launch does not say what the groups are".to_owned()),
    };
    let choice = Choice {
        block: variants[index].block,
        of: variants.len(),
        reason: reason.into(),
    };
    (index, choice)
}

fn by_block(variants: &[Variant], block: [u32; 3]) -> (usize, String) {
    let made_for = variants
        .iter()
        .position(|variant| variant.block == Some(block));
    match made_for {
        Some(index) => (index, "the launch has these groups".to_owned()),
        None => (0, format!("there is none for groups of {}", extents(block))),
    }
}

fn by_items(variants: &[Variant], items: [usize; 3], caps: &Caps) -> (usize, String) {
    let size = |block: [u32; 3]| block.iter().map(|&n| u64::from(n)).product::<u64>();
    let fits = |block: &[u32; 3]| {
        size(*block) <= u64::from(caps.max_group())
            && (0..3).all(|axis| items[axis].is_multiple_of(block[axis] as usize))
    };
    let candidates = variants.iter().enumerate().filter_map(|(index, variant)| {
        let block = variant.block.filter(fits)?;
        Some((size(block), index))
    });
    let items = Extents(items.map(|n| n as u64));
    let most = caps.max_group();
    match candidates.max() {
        Some((_, index)) => {
            let reason = format!(
                "of the groups that divide {} the largest that a core runs at a time ({})",
                Count(items, "work item"),
                Count(most, "item")
            );
            (index, reason)
        }
        None => {
            let reason = format!(
                "the groups of no other divide {} and fit a core, which runs {most} at a time",
                Count(items, "work item")
            );
            (0, reason)
        }
    }
}
