//! The contents of a module, counted.

use vortex_kernel::meta::Statistics;

use super::{Module, Variant};
use crate::cached::CacheStats;
use crate::registry::{KernelEntry, Registry};

/// Who counts what there is in a module.
const MODULE: &str = "module";
/// Who counts uses of images in memory.
const CACHE: &str = "cache";

/// Counts kernels, images and bytes of images, whatever was counted of them before.
pub(super) fn count_parts(statistics: &mut Statistics, images: &[Vec<Variant>]) {
    let all = || images.iter().flatten();
    let bytes: usize = all().map(|variant| variant.image.bytes.len()).sum();
    statistics.set(None, MODULE, "kernels", images.len());
    statistics.set(None, MODULE, "images", all().count());
    statistics.set(None, MODULE, "bytes", bytes);
}

/// Counts how often kernels have been compiled for launches, and how often launches have found an image.
fn count_uses(statistics: &mut Statistics, stats: &CacheStats) {
    for (name, count) in [
        ("builds", stats.builds),
        ("hits", stats.hits),
        ("evicted", stats.evicted),
    ] {
        statistics.add(None, CACHE, name, count);
    }
}

/// What has been counted while these kernels were compiled into a module, and how they have been used in this program
/// so far.
pub(super) fn of_build(
    module: &Module,
    kernels: &[KernelEntry],
    counted: &Statistics,
) -> Statistics {
    let mut all = Statistics::default();
    count_parts(&mut all, &module.images);
    for kernel in kernels {
        count_uses(&mut all, &kernel.cache());
    }
    all.merge(counted);
    all
}

impl Module {
    /// How many kernels, images and bytes there are, and all that the compiler has counted if it was asked to
    /// ([`ModuleBuilder::statistics`](crate::ModuleBuilder::statistics)).
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let mut all = self.info.statistics.clone().unwrap_or_default();
        count_parts(&mut all, &self.images);
        all
    }
}

impl Registry {
    /// How many kernels the program has, and how they have been used so far: how often they were compiled, how often
    /// launches found an image in memory.
    ///
    /// ```
    /// use vortex_host::registry;
    ///
    /// print!("{}", registry().statistics());
    /// ```
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let mut all = Statistics::default();
        let stats = self.cache();
        all.add(None, MODULE, "kernels", self.kernels().len());
        all.add(None, MODULE, "images", stats.images);
        count_uses(&mut all, &stats);
        all
    }
}
