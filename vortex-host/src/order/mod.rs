//! What is pending on a device, and which memory it uses.
//!
//! An operation is noted here before it is queued, under one lock for all streams of a device. It waits for those noted
//! before it that it conflicts with, and for no others: so waiting never goes in a circle, and what conflicts happens in the order in
//! which it was noted.

mod event;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use event::Completion;
pub use event::{Event, Timing};

/// Device memory that an operation reads or writes: from its first byte to the one after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) writes: bool,
}

impl Touch {
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
pub(crate) struct Order {
    /// How many accesses there are, so that nobody takes the lock when there are none.
    count: AtomicUsize,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    accesses: Vec<(Touch, Arc<Completion>)>,
    /// Allocations that nobody owns any more, with what may still use them.
    unowned: Vec<(u32, Vec<Arc<Completion>>)>,
}

impl Pending {
    fn conflicts(&self, touches: &[Touch]) -> Vec<Arc<Completion>> {
        let mut found: Vec<Arc<Completion>> = Vec::new();
        for (pending, operation) in &self.accesses {
            let conflict = touches.iter().any(|touch| touch.conflicts(pending));
            if conflict && !found.iter().any(|known| Arc::ptr_eq(known, operation)) {
                found.push(Arc::clone(operation));
            }
        }
        found
    }
}

impl Order {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an operation and queues it; `queue` is told what it has to wait for.
    pub(crate) fn note(
        &self,
        operation: &Arc<Completion>,
        touches: &[Touch],
        queue: impl FnOnce(Vec<Arc<Completion>>),
    ) {
        let mut pending = self.pending();
        let after = pending.conflicts(touches);
        let accesses = touches.iter().map(|&touch| (touch, Arc::clone(operation)));
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
    pub(crate) fn wait_for(&self, touches: impl Iterator<Item = Touch>) {
        if self.count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let touches: Vec<Touch> = touches.collect();
        let operations = self.pending().conflicts(&touches);
        for operation in operations {
            operation.wait();
        }
    }

    /// Whether an allocation that has lost its owner can be given back at once. If not, the last operation that may use it
    /// does so when it is done.
    pub(crate) fn disown(&self, addr: u32, memory: Touch) -> bool {
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
        let memory = Touch {
            start,
            end,
            writes: true,
        };
        let pending = self.pending();
        let used = pending
            .accesses
            .iter()
            .filter(|(touch, _)| touch.conflicts(&memory));
        let (writers, readers): (Vec<_>, Vec<_>) = used.partition(|(touch, _)| touch.writes);
        (readers.len(), writers.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(start: u64, end: u64, writes: bool) -> Touch {
        Touch { start, end, writes }
    }

    fn note(order: &Order, touches: &[Touch]) -> (Arc<Completion>, usize) {
        let operation = Completion::new();
        let mut waits = 0;
        order.note(&operation, touches, |after| waits = after.len());
        (operation, waits)
    }

    #[test]
    fn readers_wait_for_writers_and_writers_for_all() {
        let order = Order::default();
        let (write, waits) = note(&order, &[touch(0, 8, true)]);
        assert_eq!(waits, 0);
        let (first, waits) = note(&order, &[touch(0, 4, false)]);
        assert_eq!(waits, 1);
        let (_second, waits) = note(&order, &[touch(4, 8, false), touch(0, 1, false)]);
        assert_eq!(waits, 1);
        assert_eq!(note(&order, &[touch(8, 9, true)]).1, 0);
        assert_eq!(note(&order, &[touch(2, 6, true)]).1, 3);
        assert_eq!(order.users(0, 8), (3, 2));
        for done in [write, first] {
            assert!(order.forget(&done).is_empty());
        }
        assert_eq!(note(&order, &[Touch::ANYTHING]).1, 3);
    }

    #[test]
    fn memory_is_given_back_by_its_last_user() {
        let order = Order::default();
        let memory = touch(100, 200, true);
        assert!(order.disown(100, memory));
        let (one, _) = note(&order, &[Touch::ANYTHING]);
        let (other, _) = note(&order, &[Touch::ANYTHING]);
        assert!(!order.disown(100, memory));
        assert!(order.forget(&other).is_empty());
        assert_eq!(order.forget(&one), [100]);
        assert!(order.disown(100, memory));
    }
}
