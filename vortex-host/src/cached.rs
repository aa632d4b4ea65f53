//! Images that are compiled once, and their counters.

use std::any::TypeId;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use vortex_kernel::codegen::Image;

use crate::recent::LastUse;

/// Tells kernels and their instances apart: the type, and the number of an instance for `#[comptime]` values.
pub(crate) type EntryId = (TypeId, u32);

/// How often kernels have been compiled, and how often that was not needed. Counters of what made room for others are
/// kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// Images in memory: at least one of each kernel for each kind of device that it has been compiled for; one for
    /// each size of groups, and one more for launches that are not as usual.
    pub images: u64,
    /// Compilations, failed ones included.
    pub builds: u64,
    /// Launches and other uses that found an image.
    pub hits: u64,
    /// Images that made room for others: each was the one that had not been launched for longest.
    pub evicted: u64,
}

impl CacheStats {
    pub(crate) fn add(&mut self, other: &Self) {
        self.images += other.images;
        self.builds += other.builds;
        self.hits += other.hits;
        self.evicted += other.evicted;
    }
}

/// A place for an image.
#[derive(Debug, Default)]
pub(crate) struct Cached {
    /// Locked while it is made, so that it is made once.
    pub(crate) image: Mutex<Option<Arc<Image>>>,
    pub(crate) builds: AtomicU64,
    hits: AtomicU64,
    pub(crate) used: LastUse,
}

impl Cached {
    /// Counts a use.
    pub(crate) fn hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
        self.used.again();
    }

    pub(crate) fn stats(&self) -> CacheStats {
        // One that is being made is not there yet.
        let is_there = self.image.try_lock().is_ok_and(|image| image.is_some());
        CacheStats {
            images: u64::from(is_there),
            builds: self.builds.load(Ordering::Relaxed),
            hits: self.hits.load(Ordering::Relaxed),
            evicted: 0,
        }
    }
}
