//! What items report besides what they leave in memory.

use crate::ir::{FaultKind, Loc, MessageId};

/// A check that an item has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultEvent {
    /// Linear number of the item, x fastest.
    pub item: u32,
    /// What the check is about.
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
    /// Linear number of the item, x fastest.
    pub item: u32,
    /// What it says.
    pub message: MessageId,
    /// The values in it, as words in the order in which the message has them.
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
