//! The progress of a run, for a waiting host.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a device has come, from another thread. Clones are of the same device.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Instructions of warps that the device has run since it was opened, up to some thousands per warp ago. The
    /// cycle model does not tell.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, instructions: u64) {
        self.0.fetch_add(instructions, Ordering::Relaxed);
    }
}
