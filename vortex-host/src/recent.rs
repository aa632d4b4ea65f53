//! Which of many was used last, for evicting entries of caches.

use std::sync::atomic::{AtomicU64, Ordering};

/// When something was used last.
#[derive(Debug)]
pub(crate) struct LastUse(AtomicU64);

/// The time, which continues with each use of anything.
fn now() -> u64 {
    static CLOCK: AtomicU64 = AtomicU64::new(1);
    CLOCK.fetch_add(1, Ordering::Relaxed)
}

impl Default for LastUse {
    /// Right now.
    fn default() -> Self {
        Self(AtomicU64::new(now()))
    }
}

impl LastUse {
    /// Records another use.
    pub(crate) fn again(&self) {
        self.0.store(now(), Ordering::Relaxed);
    }

    /// Later uses have larger numbers.
    pub(crate) fn when(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
