//! Which circular buffers need no barrier: those whose pages have not been touched since the last one.
//!
//! A page is free for all when every item of the group has popped it, and there for all when every item has pushed its
//! part. So a `reserve` needs a barrier only if a page has been popped since the last one, and a `wait` only if one has
//! been pushed, on any way through the code. What is settled in front of a block is settled after it if nothing in the
//! block changed it; a barrier in a block may be one that control has not come by. An iteration of a loop begins with
//! nothing settled: the one before may have changed it.

use std::collections::HashSet;

use crate::ir::LocalId;

/// What changes a circular buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::lang) enum Change {
    /// A page is pushed.
    Push,
    /// A page is popped.
    Pop,
}

type Key = (LocalId, Change);

/// What has not changed since the last barrier.
#[derive(Default)]
pub(in crate::lang) struct Settled {
    buffers: Vec<LocalId>,
    unchanged: HashSet<Key>,
    /// All changes that were recorded.
    changes: Vec<Key>,
}

/// What was settled in front of a block.
#[derive(Default)]
pub(in crate::lang) struct Before {
    unchanged: HashSet<Key>,
    changes: usize,
}

impl Settled {
    /// A new buffer, of which nothing is known: the group before may still use its memory.
    pub(in crate::lang) fn add(&mut self, buffer: LocalId) {
        self.buffers.push(buffer);
    }

    /// The items of the group have waited for each other.
    pub(in crate::lang) fn barrier(&mut self) {
        for buffer in &self.buffers {
            let keys = [(*buffer, Change::Push), (*buffer, Change::Pop)];
            self.unchanged.extend(keys);
        }
    }

    /// A buffer is changed.
    pub(in crate::lang) fn change(&mut self, buffer: LocalId, change: Change) {
        self.unchanged.remove(&(buffer, change));
        self.changes.push((buffer, change));
    }

    /// Whether there was no such change since a barrier that control has come by.
    pub(in crate::lang) fn is_settled(&self, buffer: LocalId, change: Change) -> bool {
        self.unchanged.contains(&(buffer, change))
    }

    /// An iteration of a loop begins.
    pub(in crate::lang) fn iteration(&mut self) {
        self.unchanged.clear();
    }

    /// A block begins.
    pub(super) fn enter(&self) -> Before {
        Before {
            unchanged: self.unchanged.clone(),
            changes: self.changes.len(),
        }
    }

    /// The block ends that began there.
    pub(super) fn leave(&mut self, before: Before) {
        self.unchanged = before.unchanged;
        for key in &self.changes[before.changes..] {
            self.unchanged.remove(key);
        }
    }
}
