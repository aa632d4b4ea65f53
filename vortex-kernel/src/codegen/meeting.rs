//! Messages about barriers that not all items of a group reach as they should.

use super::CompileError;
use crate::ir::{Function, Loc, SourceLoc};
use crate::opt::{ArrivalProblem, BarrierPart, DivergentBarrier, StrayArrival};
use std::fmt;

/// What the items of a group reach together, in the user's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeetingPoint {
    /// `barrier()`.
    Barrier,
    /// `barrier::arrive()`.
    Arrival,
    /// `.wait()`, for an arrival.
    Waiting,
    /// One of the barriers in a reduction or scan of `group`.
    Combination,
}

impl fmt::Display for MeetingPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Barrier => "`barrier()`",
            Self::Arrival => "`barrier::arrive()`",
            Self::Waiting => "`.wait()` for a `barrier::arrive()`",
            Self::Combination => "reduction or scan over the group",
        })
    }
}

/// What is wrong with an arrival at a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrivalMistake {
    /// It is never waited for.
    Forgotten,
    /// It is waited for here, in another block.
    Elsewhere(SourceLoc),
    /// The group reaches another barrier here before it waits.
    Between(MeetingPoint, SourceLoc),
    /// Control leaves the block from here before it waits.
    Left(SourceLoc),
}

impl ArrivalMistake {
    /// Where the other place in the source is, if there is one.
    #[must_use]
    pub const fn at(&self) -> Option<&SourceLoc> {
        match self {
            Self::Forgotten => None,
            Self::Elsewhere(at) | Self::Between(_, at) | Self::Left(at) => Some(at),
        }
    }
}

/// After "the `barrier::arrive()` at ..".
impl fmt::Display for ArrivalMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forgotten => f.write_str(
                "is not waited for: call `.wait()` on what it gives, in the same block, or write `barrier()`, \
                 which does both",
            ),
            Self::Elsewhere(at) => write!(
                f,
                "is waited for in another block ({at}): call `.wait()` in the block of the `barrier::arrive()`, \
                 not under an `if` or in a loop that only one of the two stands in"
            ),
            Self::Between(what, at) => write!(
                f,
                "is not waited for before the {what} at {at}, but a group waits at one barrier at a time: \
                 call `.wait()` on what it gives before that"
            ),
            Self::Left(at) => write!(
                f,
                "is not waited for by items that leave its block before the `.wait()` ({at}): \
                 leave it before they arrive, or after the `.wait()`"
            ),
        }
    }
}

fn point(staged: &Function, part: BarrierPart, at: Loc) -> MeetingPoint {
    // A barrier of the user's own declares no memory.
    let mut objects = staged.locals.values();
    match part {
        BarrierPart::Whole if at != Loc::NONE && objects.any(|object| object.loc == at) => {
            MeetingPoint::Combination
        }
        BarrierPart::Whole => MeetingPoint::Barrier,
        BarrierPart::Arrival => MeetingPoint::Arrival,
        BarrierPart::Waiting => MeetingPoint::Waiting,
    }
}

pub(super) fn divergent(staged: &Function, divergent: DivergentBarrier) -> CompileError {
    CompileError::DivergentBarrier {
        what: point(staged, divergent.part, divergent.barrier),
        barrier: staged.locs[divergent.barrier].clone(),
        condition: staged.locs[divergent.condition].clone(),
    }
}

pub(super) fn stray(staged: &Function, stray: StrayArrival) -> CompileError {
    let at = |at: Loc| staged.locs[at].clone();
    CompileError::StrayArrival {
        arrival: at(stray.arrival),
        mistake: match stray.problem {
            ArrivalProblem::Forgotten => ArrivalMistake::Forgotten,
            ArrivalProblem::Elsewhere(wait) => ArrivalMistake::Elsewhere(at(wait)),
            ArrivalProblem::Left(jump) => ArrivalMistake::Left(at(jump)),
            ArrivalProblem::Between(part, other) => {
                ArrivalMistake::Between(point(staged, part, other), at(other))
            }
        },
    }
}
