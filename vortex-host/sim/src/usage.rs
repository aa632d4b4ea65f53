//! How much memory is in use, also while a kernel runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of device memory in use. Clones are of the same device.
#[derive(Clone, Debug, Default)]
pub struct Usage(Arc<AtomicU64>);

impl Usage {
    /// How many bytes are allocated now, in whole pages.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, bytes: u64) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}
