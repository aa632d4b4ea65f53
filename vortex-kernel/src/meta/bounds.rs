//! What became of the bounds checks of a kernel.

use std::fmt;

use crate::ir::Facts;

/// What became of the bounds checks of a kernel, counted by their places in the source. Prints as a report.
///
/// A place whose code was duplicated counts as its worst copy: kept before tested before a loop, before the work items,
/// proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundsChecks {
    /// Places where an index is checked. The sum of the others.
    pub emitted: u32,
    /// Those that cannot fail, or are already tested by earlier code.
    pub proved: u32,
    /// Those that a warp tests once, before its work items.
    pub before_items: u32,
    /// Those that are tested once before a loop.
    pub before_loops: u32,
    /// Those that are tested at each access, in the order of the source.
    pub kept: Vec<KeptCheck>,
}

/// A bounds check that is made at each access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptCheck {
    /// File, line and column.
    pub place: String,
    /// Why it is kept, as half a sentence.
    pub why: String,
}

impl BoundsChecks {
    /// Of a compiled kernel; `None` for one that was not compiled.
    #[must_use]
    pub fn of(facts: &Facts) -> Option<Self> {
        let kept = facts.bounds_checks_kept.iter().flatten();
        Some(Self {
            emitted: facts.bounds_checks?,
            proved: facts.bounds_checks_proved?,
            before_items: facts.bounds_checks_before_items?,
            before_loops: facts.bounds_checks_before_loops?,
            kept: kept
                .map(|(place, why)| KeptCheck {
                    place: place.clone(),
                    why: why.clone(),
                })
                .collect(),
        })
    }
}

impl fmt::Display for BoundsChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            emitted,
            proved,
            before_items,
            before_loops,
            kept,
        } = self;
        let s = if *emitted == 1 { "" } else { "s" };
        write!(
            f,
            "{emitted} bounds check{s}: {proved} proved, {before_items} moved before all work items, \
             {before_loops} moved before a loop, {} kept",
            kept.len()
        )?;
        for KeptCheck { place, why } in kept {
            write!(f, "\n  {place}: {why}")?;
        }
        Ok(())
    }
}
