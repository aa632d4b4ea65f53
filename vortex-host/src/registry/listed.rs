//! A list of all kernels that can be launched: those of the program, and those that have been read.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, PoisonError, Weak};

use vortex_kernel::meta::Location;

use super::{KernelEntry, Registry};
use crate::cached::CacheStats;
use crate::name::Name;

/// Kernels that were read together.
pub(crate) trait KernelList: fmt::Debug + Send + Sync {
    fn listed(&self) -> Vec<ListedKernel>;
}

/// Where a kernel comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelOrigin {
    /// It is one of this program's.
    Program,
    /// It was read from bytes in memory.
    Memory,
    /// It was read from this file.
    File(Arc<Path>),
}

impl fmt::Display for KernelOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => f.write_str("this program"),
            Self::Memory => f.write_str("memory"),
            Self::File(file) => write!(f, "{}", file.display()),
        }
    }
}

/// A kernel that can be launched, in a list of all: [`Registry::list`] returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedKernel {
    /// Its name, without modules.
    pub name: Name,
    /// The Rust module that declares it.
    pub module: Name,
    /// Where it is declared.
    pub location: Location,
    /// Where it comes from.
    pub origin: KernelOrigin,
    /// How often it has been used so far. A kernel that was read is compiled already, so nothing is built for it.
    pub cache: CacheStats,
}

impl From<&KernelEntry> for ListedKernel {
    fn from(kernel: &KernelEntry) -> Self {
        let info = kernel.info();
        Self {
            name: kernel.shared_name(),
            module: Name::from(info.module),
            location: info.location,
            origin: KernelOrigin::Program,
            cache: kernel.cache(),
        }
    }
}

impl Registry {
    /// All kernels that can be launched, with where they come from and how often they have been used: those of the
    /// program, sorted by path and location, then those of modules that
    /// [`Device::module_from_file`](crate::Device::module_from_file),
    /// [`Device::module_from_bytes`](crate::Device::module_from_bytes) and [`Device::kernel`](crate::Device::kernel)
    /// have read, as long as anything refers to them.
    ///
    /// ```
    /// use vortex_host::registry;
    ///
    /// for kernel in registry().list() {
    ///     println!("{} from {}: {} launches", kernel.name, kernel.origin, kernel.cache.hits);
    /// }
    /// ```
    #[must_use]
    pub fn list(&self) -> Vec<ListedKernel> {
        let mut all: Vec<ListedKernel> = self.kernels().iter().map(ListedKernel::from).collect();
        // What is dropped with a list waits for other locks, so not while this one is held.
        let loaded: Vec<Arc<dyn KernelList>> = {
            let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            loaded.iter().filter_map(Weak::upgrade).collect()
        };
        all.extend(loaded.iter().flat_map(|list| list.listed()));
        all
    }

    /// Records kernels that have been read.
    pub(crate) fn has_loaded(&self, kernels: Weak<dyn KernelList>) {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|list| list.strong_count() > 0);
        loaded.push(kernels);
    }
}
