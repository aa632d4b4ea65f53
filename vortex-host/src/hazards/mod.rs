//! The operations that are pending on a device, and the memory that they use.
//!
//! An operation is recorded here before it is queued, under one lock for all streams of a device. It waits for earlier
//! ones that it conflicts with, and for no others: so waits never form a cycle, and conflicting operations happen in
//! the order in which they were recorded.

mod event;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use event::Completion;
pub use event::{Event, Timing};

/// Device memory that an operation reads or writes: from its first byte to the one after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessRange {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) writes: bool,
}

impl AccessRange {
    /// All that there is, as a raw pointer may lead anywhere.
    pub(crate) const ANYTHING: Self = Self {
        start: 0,
        end: 1 << 32,
        writes: true,
    };

    /// Whether the order of the two matters.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.start < other.end && other.start < self.end
    }
}

/// The pending operations of a device.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    /// How many accesses there are, so that the lock is not taken when there are none.
    count: AtomicUsize,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    accesses: Vec<(AccessRange, Arc<Completion>)>,
    /// Allocations without an owner, with the operations that may still use them.
    unowned: Vec<(u32, Vec<Arc<Completion>>)>,
}

impl Pending {
    fn conflicts(&self, accesses: &[AccessRange]) -> Vec<Arc<Completion>> {
        let mut found: Vec<Arc<Completion>> = Vec::new();
        for (pending, operation) in &self.accesses {
            let conflict = accesses.iter().any(|access| access.conflicts(pending));
            if conflict && !found.iter().any(|known| Arc::ptr_eq(known, operation)) {
                found.push(Arc::clone(operation));
            }
        }
        found
    }
}

impl Hazards {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an operation and queues it; `queue` receives what it must wait for.
    pub(crate) fn note(
        &self,
        operation: &Arc<Completion>,
        accesses: &[AccessRange],
        queue: impl FnOnce(Vec<Arc<Completion>>),
    ) {
        let mut pending = self.pending();
        let after = pending.conflicts(accesses);
        let accesses = accesses
            .iter()
            .map(|&access| (access, Arc::clone(operation)));
        pending.accesses.extend(accesses);
        self.count.store(pending.accesses.len(), Ordering::SeqCst);
        // Still under the lock: a stream's queue is in the order of the notes.
        queue(after);
    }

    /// Forgets an operation, and returns the allocations that only it still used.
    pub(crate) fn forget(&self, operation: &Arc<Completion>) -> Vec<u32> {
        let mut pending = self.pending();
        pending
            .accesses
            .retain(|(_, other)| !Arc::ptr_eq(other, operation));
        self.count.store(pending.accesses.len(), Ordering::SeqCst);
        for (_, users) in &mut pending.unowned {
            users.retain(|other| !Arc::ptr_eq(other, operation));
        }
        let free = pending
            .unowned
            .extract_if(.., |(_, users)| users.is_empty());
        free.map(|(addr, _)| addr).collect()
    }

    /// Waits for the pending operations that conflict with these accesses.
    pub(crate) fn wait_for(&self, accesses: impl Iterator<Item = AccessRange>) {
        if self.count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let accesses: Vec<AccessRange> = accesses.collect();
        let operations = self.pending().conflicts(&accesses);
        for operation in operations {
            operation.wait();
        }
    }

    /// Whether an allocation that has lost its owner can be given back at once. If not, the last operation that may
    /// use it does so when it is done.
    pub(crate) fn disown(&self, addr: u32, memory: AccessRange) -> bool {
        if self.count.load(Ordering::SeqCst) == 0 {
            return true;
        }
        let mut pending = self.pending();
        let users = pending.conflicts(&[memory]);
        if users.is_empty() {
            return true;
        }
        pending.unowned.push((addr, users));
        false
    }

    /// How many pending operations read this memory, and how many write it.
    pub(crate) fn users(&self, start: u64, end: u64) -> (usize, usize) {
        let memory = AccessRange {
            start,
            end,
            writes: true,
        };
        let pending = self.pending();
        let used = pending
            .accesses
            .iter()
            .filter(|(access, _)| access.conflicts(&memory));
        let (writers, readers): (Vec<_>, Vec<_>) = used.partition(|(access, _)| access.writes);
        (readers.len(), writers.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(start: u64, end: u64, writes: bool) -> AccessRange {
        AccessRange { start, end, writes }
    }

    fn note(hazards: &Hazards, accesses: &[AccessRange]) -> (Arc<Completion>, usize) {
        let operation = Completion::new();
        let mut waits = 0;
        hazards.note(&operation, accesses, |after| waits = after.len());
        (operation, waits)
    }

    #[test]
    fn readers_wait_for_writers_and_writers_for_all() {
        let hazards = Hazards::default();
        let (write, waits) = note(&hazards, &[access(0, 8, true)]);
        assert_eq!(waits, 0);
        let (first, waits) = note(&hazards, &[access(0, 4, false)]);
        assert_eq!(waits, 1);
        let (_second, waits) = note(&hazards, &[access(4, 8, false), access(0, 1, false)]);
        assert_eq!(waits, 1);
        assert_eq!(note(&hazards, &[access(8, 9, true)]).1, 0);
        assert_eq!(note(&hazards, &[access(2, 6, true)]).1, 3);
        assert_eq!(hazards.users(0, 8), (3, 2));
        for done in [write, first] {
            assert!(hazards.forget(&done).is_empty());
        }
        assert_eq!(note(&hazards, &[AccessRange::ANYTHING]).1, 3);
    }

    #[test]
    fn memory_is_given_back_by_its_last_user() {
        let hazards = Hazards::default();
        let memory = access(100, 200, true);
        assert!(hazards.disown(100, memory));
        let (one, _) = note(&hazards, &[AccessRange::ANYTHING]);
        let (other, _) = note(&hazards, &[AccessRange::ANYTHING]);
        assert!(!hazards.disown(100, memory));
        assert!(hazards.forget(&other).is_empty());
        assert_eq!(hazards.forget(&one), [100]);
        assert!(hazards.disown(100, memory));
    }
}
