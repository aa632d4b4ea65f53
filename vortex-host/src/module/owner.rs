//! What a module owns on devices and in the program, which is freed with it.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use vortex_kernel::meta::{Location, ModuleInfo};

use super::origin::Provenance;
use super::{Module, Variant};
use crate::cached::{CacheStats, Cached};
use crate::device::{Device, WeakDevice};
use crate::globals::{self, Held};
use crate::launch::ImageOwner;
use crate::name::Name;
use crate::registry::{KernelList, KernelOrigin, ListedKernel, registry};

/// Belongs to all handles of a module and to its pending launches. With the last of them its images are freed on all
/// devices, and so are variables that nobody else has.
pub(crate) struct Owner {
    /// Tells modules apart.
    id: u64,
    /// Where images of it are.
    devices: Mutex<Vec<WeakDevice>>,
    variables: Vec<Held>,
    /// Where each kernel comes from.
    pub(super) kernels: Vec<Provenance>,
    /// What a list of all kernels says about each.
    pub(super) known: Vec<KnownKernel>,
}

/// What stays the same of a kernel in a list of all.
pub(super) struct KnownKernel {
    pub(super) name: Name,
    pub(super) module: Name,
    pub(super) location: Location,
    pub(super) images: u64,
}

impl Owner {
    /// Of a module with these images of kernels that come from there. Their variables are known by name from now on.
    pub(super) fn new(
        info: &ModuleInfo,
        images: &[Vec<Variant>],
        kernels: Vec<Provenance>,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let known = info.kernels.iter().zip(images);
        let known = known.map(|(kernel, variants)| KnownKernel {
            name: Name::from(&kernel.name),
            module: Name::from(&kernel.module),
            location: kernel.location.clone(),
            images: variants.len() as u64,
        });
        let variants = images.iter().flatten();
        let variables = variants.flat_map(|variant| &variant.image.globals);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            devices: Mutex::default(),
            variables: variables.map(globals::hold).collect(),
            kernels,
            known: known.collect(),
        }
    }

    /// Where a kernel comes from.
    pub(crate) fn kernel(&self, kernel: usize) -> &Provenance {
        &self.kernels[kernel]
    }

    /// Records the file that all of it has been read from.
    pub(super) fn is_from(&mut self, file: &Path) {
        let file: Arc<Path> = file.into();
        for kernel in &mut self.kernels {
            kernel.origin = KernelOrigin::File(Arc::clone(&file));
        }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }
}

impl ImageOwner for Owner {
    fn is_on(&self, device: &Device) {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        devices.retain(WeakDevice::is_open);
        if !devices.iter().any(|other| other.is(device)) {
            devices.push(device.downgrade());
        }
    }

    fn uses(&self, kernel: usize) -> &Arc<Cached> {
        self.kernels[kernel].uses()
    }

    fn file(&self, kernel: usize) -> Option<&Path> {
        self.kernels[kernel].file()
    }
}

impl Module {
    /// Has its kernels be listed with those of the program.
    pub(super) fn enlist(&self) {
        let owner: Weak<Owner> = Arc::downgrade(&self.owner);
        registry().has_loaded(owner);
    }
}

impl KernelList for Owner {
    fn listed(&self) -> Vec<ListedKernel> {
        let kernels = self.kernels.iter().zip(&self.known);
        let listed = kernels.map(|(provenance, known)| ListedKernel {
            name: known.name.clone(),
            module: known.module.clone(),
            location: known.location.clone(),
            origin: provenance.origin.clone(),
            cache: CacheStats {
                images: known.images,
                ..provenance.uses().stats()
            },
        });
        listed.collect()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.variables.clear();
        let devices = self.devices.get_mut();
        for device in devices.unwrap_or_else(PoisonError::into_inner) {
            if let Some(device) = device.upgrade() {
                device.forget(self.id);
            }
        }
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "module {}", self.id)
    }
}
