//! What items tell besides what they leave in memory.

use crate::ir::{FaultKind, Loc, MessageId};

/// A failed check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultEvent {
    /// The item that failed.
    pub item: u32,
    /// Why.
    pub kind: FaultKind,
    /// What it says, if the user has given it words.
    pub message: Option<MessageId>,
    /// See [`FaultKind`]; of a message, the values in it.
    pub operands: Vec<u32>,
    /// Where in the user's source.
    pub loc: Loc,
}

/// A message that an item has printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintEvent {
    /// The item.
    pub item: u32,
    /// What it says.
    pub message: MessageId,
    /// The values in it.
    pub operands: Vec<u32>,
}

/// What a run tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// The first failed check of every item that failed.
    pub faults: Vec<FaultEvent>,
    /// What was printed: what an item has printed in the order in which it did, group by group.
    pub prints: Vec<PrintEvent>,
}
