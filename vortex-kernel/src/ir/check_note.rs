//! Notes of passes about bounds checks, which functions carry along.

use super::{Loc, Type, Value};

/// What a pass has noted about a check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckNote {
    pub(crate) site: u32,
    pub(crate) fate: Fate,
}

/// What became of a check. A place whose copies differ has the last of these.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// It cannot fail, or what comes before it has tested the same.
    Proved,
    /// It is made before the loop over a warp's work items: once for all of them.
    BeforeItems,
    /// It is made before a loop: once for all iterations.
    BeforeLoop,
    /// It is made for each access.
    Kept(Why),
}

/// Why a check is made for each access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Why {
    /// The index depends on this value, of which nothing is known. Only until its origin is looked up.
    Value(Value),
    /// The index depends on what comes from there.
    Origin(Origin, Loc),
    /// The index is computed with such numbers.
    Number(Type),
    /// No largest value is known about what is computed there.
    Operation,
    /// The length may be another one in each iteration.
    Length,
    /// It is not one index that is compared with one length.
    Form,
    /// So many instructions are too many to have twice.
    Large(usize),
    /// Checks of a loop inside stay, so that there are no two versions of the loop around it.
    InnerLoop,
    /// The optimisation level is lower.
    Unoptimised,
}

/// Where a value comes from that is not computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    Memory,
    Atomic,
    Warp,
    /// A variable that changes from one iteration to the next.
    Iterations,
    /// A variable that was given a value under a condition.
    Condition,
    Unknown,
}
