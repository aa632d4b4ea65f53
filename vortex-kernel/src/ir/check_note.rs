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
    /// It cannot fail, or earlier code has already tested it.
    Proved,
    /// It is tested before the loop over a warp's work items, once for all of them.
    BeforeItems,
    /// It is tested before a loop, once for all iterations.
    BeforeLoop,
    /// It is tested at each access.
    Kept(Why),
}

/// Why a check is made for each access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Why {
    /// The index depends on this unknown value. Only until its origin is looked up.
    Value(Value),
    /// The index depends on what comes from there.
    Origin(Origin, Loc),
    /// The index is computed with numbers of this type.
    Number(Type),
    /// No upper bound is known for the result of this computation.
    Operation,
    /// The length may change in each iteration.
    Length,
    /// It is not a comparison of one index with one length.
    Form,
    /// This many instructions are too many to duplicate.
    Large(usize),
    /// Checks of an inner loop stay, so there are not two versions of the outer loop.
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
