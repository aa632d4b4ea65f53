//! Which image of a kernel a launch takes.

use std::borrow::Cow;
use std::fmt;

use super::Variant;
use crate::driver::Caps;
use crate::extents::Extents;
use vortex_sim::Count;

/// Which image of a kernel a launch took, and why. Prints as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The groups that the image relies on; any if there are none.
    pub block: Option<[u32; 3]>,
    /// Of how many images it was chosen.
    pub of: usize,
    reason: Cow<'static, str>,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block {
            Some(block) => write!(f, "for groups of {}", extents(block))?,
            None => write!(f, "for groups of any size")?,
        }
        match self.of {
            1 => write!(f, ", the only one"),
            of => write!(f, ", one of {of}: {}", self.reason),
        }
    }
}

impl Choice {
    /// An image that was compiled for a launch, one of so many.
    pub(crate) fn for_launch(block: Option<[u32; 3]>, of: usize) -> Self {
        let reason = match block {
            Some(_) => "the launch has these groups".into(),
            None => "there are already enough for groups of one size".into(),
        };
        Self { block, of, reason }
    }
}

fn extents(block: [u32; 3]) -> Extents {
    Extents(block.map(u64::from))
}

/// The image for a launch with these groups, or over so many items, and why.
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
