//! Turns: operations between ranks happen in the order in which the program calls them, on whatever thread.
//!
//! MPI takes the first collective of one rank together with the first of another, and so on; the second, with the
//! second. Operations of two streams could start in any order, and in different orders on different ranks. So each gets
//! a number when it is called, and waits for those before it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Operations that have an order among each other.
#[derive(Default)]
pub(crate) struct Line {
    next: AtomicU64,
    serving: Mutex<u64>,
    changed: Condvar,
}

/// A place in a line. Dropping it lets the next one begin.
pub(crate) struct Turn {
    line: Arc<Line>,
    number: u64,
}

impl Line {
    /// The place after all that have been given so far.
    pub(crate) fn turn(self: &Arc<Self>) -> Turn {
        Turn {
            line: Arc::clone(self),
            number: self.next.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl Turn {
    /// Waits for those before it.
    pub(crate) fn begin(&self) {
        let serving = self.line.serving.lock();
        let serving = serving.unwrap_or_else(PoisonError::into_inner);
        let before = |serving: &mut u64| *serving < self.number;
        drop(self.line.changed.wait_while(serving, before));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.begin();
        let serving = self.line.serving.lock();
        *serving.unwrap_or_else(PoisonError::into_inner) += 1;
        self.line.changed.notify_all();
    }
}
