//! Images in memory: each kernel is compiled once for each kind of device.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use vortex_kernel::codegen::{Image, Options, Target};

use super::{EntryId, KernelEntry};
use crate::error::Result;
use crate::image;

/// How often kernels have been compiled, and how often that was not needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// Images in memory: one of each kernel for each kind of device.
    pub images: u64,
    /// Compilations, failed ones included.
    pub builds: u64,
    /// Launches and other uses that found an image.
    pub hits: u64,
}

/// What an image depends on.
type Key = (EntryId, Target, Options);

/// The images of the program's kernels.
#[derive(Debug)]
pub(super) struct Cache {
    images: Mutex<Option<HashMap<Key, Arc<Cached>>>>,
}

/// A place for an image.
#[derive(Debug, Default)]
pub(crate) struct Cached {
    /// Locked while it is made, so that it is made once.
    image: Mutex<Option<Arc<Image>>>,
    builds: AtomicU64,
    hits: AtomicU64,
}

/// What a look into the cache gives.
pub(super) struct Found {
    pub(super) image: Arc<Image>,
    pub(super) cached: Arc<Cached>,
    /// Whether it had to be made.
    pub(super) is_new: bool,
}

impl Cached {
    /// Counts a use.
    pub(crate) fn hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }
}

impl Cache {
    pub(super) const fn new() -> Self {
        Self {
            images: Mutex::new(None),
        }
    }

    /// The place for an image, which may still be empty.
    fn place(&self, key: Key) -> Arc<Cached> {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let images = images.get_or_insert_default();
        Arc::clone(images.entry(key).or_default())
    }

    pub(super) fn image(
        &self,
        kernel: &KernelEntry,
        target: Target,
        options: Options,
    ) -> Result<Found> {
        let cached = self.place((kernel.id(), target, options));
        // A panic of the compiler leaves it empty.
        let mut place = cached.image.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = place.is_none();
        let image = match &*place {
            Some(image) => {
                cached.hit();
                Arc::clone(image)
            }
            None => {
                cached.builds.fetch_add(1, Ordering::Relaxed);
                let _span = tracing::info_span!("compile", kernel = kernel.name()).entered();
                let image = image::compile(kernel.name(), || kernel.stage(), target, &options)?;
                Arc::clone(place.insert(Arc::new(image)))
            }
        };
        drop(place);
        Ok(Found {
            image,
            cached,
            is_new,
        })
    }

    pub(super) fn stats(&self, of: impl Fn(EntryId) -> bool) -> CacheStats {
        let images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stats = CacheStats::default();
        for (_, cached) in images.iter().flatten().filter(|((id, ..), _)| of(*id)) {
            // One that is being made is not there yet.
            let is_there = cached.image.try_lock().is_ok_and(|image| image.is_some());
            stats.images += u64::from(is_there);
            stats.builds += cached.builds.load(Ordering::Relaxed);
            stats.hits += cached.hits.load(Ordering::Relaxed);
        }
        stats
    }
}
