//! What a module has on devices and in the program, which goes with it.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Variant;
use super::origin::Provenance;
use crate::device::{Device, WeakDevice};
use crate::globals::{self, Held};
use crate::registry::KernelOrigin;

/// Belongs to all handles of a module and to its pending launches. With the last of them its images are freed on all
/// devices, and so are variables that nobody else has.
pub(crate) struct Owner {
    /// Tells modules apart.
    id: u64,
    /// Where images of it are.
    devices: Mutex<Vec<WeakDevice>>,
    variables: Vec<Held>,
    /// Where each kernel comes from.
    kernels: Vec<Provenance>,
}

impl Owner {
    /// Of a module with these images of kernels that come from there. Their variables are known by name from now on.
    pub(super) fn new(images: &[Vec<Variant>], kernels: Vec<Provenance>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let variants = images.iter().flatten();
        let variables = variants.flat_map(|variant| &variant.image.globals);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            devices: Mutex::default(),
            variables: variables.map(globals::hold).collect(),
            kernels,
        }
    }

    /// Where a kernel comes from.
    pub(crate) fn kernel(&self, kernel: usize) -> &Provenance {
        &self.kernels[kernel]
    }

    /// Takes note of the file that all of it has been read from.
    pub(super) fn is_from(&mut self, file: &Path) {
        let file: Arc<Path> = file.into();
        for kernel in &mut self.kernels {
            kernel.origin = KernelOrigin::File(Arc::clone(&file));
        }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Takes note that an image is about to be on a device.
    pub(crate) fn is_on(&self, device: &Device) {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        devices.retain(WeakDevice::is_open);
        if !devices.iter().any(|other| other.is(device)) {
            devices.push(device.downgrade());
        }
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
