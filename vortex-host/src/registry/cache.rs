//! Images in memory: each kernel is compiled once for each kind of device.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use vortex_kernel::codegen::{Image, Options, Target};
use vortex_kernel::ir::Function;

use super::{KernelEntry, most_images};
use crate::cached::{CacheStats, Cached, EntryId};
use crate::compile;
use crate::error::Result;
use crate::image::room::{has_room, more_room};

/// What an image depends on.
type Key = (EntryId, Target, Options);

/// The images of the program's kernels: those that were launched last. A program can have any number of them, with
/// values of `#[comptime]` parameters that it computes.
#[derive(Debug)]
pub(super) struct Cache {
    images: Mutex<Option<Images>>,
}

#[derive(Debug, Default)]
struct Images {
    by_key: HashMap<Key, Arc<Cached>>,
    /// What was counted of those that made room for others, by kernel; all values of `#[comptime]` parameters together.
    gone: HashMap<TypeId, CacheStats>,
}

impl Images {
    /// The place of an image, or that of one for launches with more room which has no larger blocks.
    fn serving(&self, (kernel, target, options): Key) -> Option<&Arc<Cached>> {
        more_room(options.room).into_iter().find_map(|room| {
            let key = (kernel, target, Options { room, ..options });
            let cached = self.by_key.get(&key)?;
            // Who is compiling one holds its place.
            let serves = room == options.room
                || matches!(cached.image.try_lock(), Ok(image)
                    if image.as_ref().is_some_and(|image| has_room(image, options.room)));
            serves.then_some(cached)
        })
    }

    /// Has the image that has not been launched for longest make room for one more. Returns its kernel, if there is
    /// no other of it.
    fn make_room(&mut self) -> Option<EntryId> {
        if self.by_key.len() < most_images() {
            return None;
        }
        let all = self.by_key.iter();
        let oldest = all.min_by_key(|(_, cached)| cached.used.when());
        let key = *oldest?.0;
        let cached = self.by_key.remove(&key)?;
        let stats = CacheStats {
            images: 0,
            evicted: 1,
            ..cached.stats()
        };
        let kernel = key.0;
        self.gone.entry(kernel.0).or_default().add(&stats);
        let is_last = !self.by_key.keys().any(|(other, ..)| *other == kernel);
        is_last.then_some(kernel)
    }
}

/// What a look into the cache gives.
pub(super) struct Found {
    pub(super) image: Arc<Image>,
    pub(super) cached: Arc<Cached>,
    /// Whether it had to be made.
    pub(super) is_new: bool,
    /// A kernel that has no image any more, as others needed room.
    pub(super) gone: Option<EntryId>,
}

impl Cache {
    pub(super) const fn new() -> Self {
        Self {
            images: Mutex::new(None),
        }
    }

    /// The place for an image, which may still be empty, and the kernel that lost its last image for that.
    fn place(&self, key: Key) -> (Arc<Cached>, Option<EntryId>) {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let images = images.get_or_insert_default();
        if let Some(cached) = images.serving(key) {
            return (Arc::clone(cached), None);
        }
        let gone = images.make_room();
        let cached = images.by_key.entry(key).or_default();
        (Arc::clone(cached), gone)
    }

    pub(super) fn image(
        &self,
        kernel: &KernelEntry,
        target: Target,
        options: Options,
        staged: Option<Function>,
    ) -> Result<Found> {
        let (cached, gone) = self.place((kernel.id(), target, options));
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
                let stage = || staged.map_or_else(|| kernel.stage(), Ok);
                let image = compile::compile(kernel.shared_name(), stage, target, &options)?;
                Arc::clone(place.insert(Arc::new(image)))
            }
        };
        drop(place);
        Ok(Found {
            image,
            cached,
            is_new,
            gone,
        })
    }

    /// Whether a kernel uses groups, as far as one of its images says so.
    pub(super) fn uses_groups(&self, kernel: EntryId) -> Option<bool> {
        let images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_kernel = images
            .as_ref()?
            .by_key
            .iter()
            .filter(|((id, ..), _)| *id == kernel);
        // Who is compiling one holds its place.
        of_kernel
            .find_map(|(_, cached)| Some(cached.image.try_lock().ok()?.as_ref()?.groups.is_some()))
    }

    /// Of all kernels.
    pub(super) fn stats(&self) -> CacheStats {
        self.sum(|_| true, |_| true)
    }

    /// Of one kernel. Counts of evicted instances for `#[comptime]` values are added to the kernel itself.
    pub(super) fn stats_of(&self, (kernel, instance): EntryId) -> CacheStats {
        self.sum(
            |id| id == (kernel, instance),
            |id| id == kernel && instance == 0,
        )
    }

    fn sum(&self, of: impl Fn(EntryId) -> bool, gone: impl Fn(TypeId) -> bool) -> CacheStats {
        let images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stats = CacheStats::default();
        let Some(images) = &*images else { return stats };
        for (_, cached) in images.by_key.iter().filter(|((id, ..), _)| of(*id)) {
            stats.add(&cached.stats());
        }
        for (_, counted) in images.gone.iter().filter(|(id, _)| gone(**id)) {
            stats.add(counted);
        }
        stats
    }
}
