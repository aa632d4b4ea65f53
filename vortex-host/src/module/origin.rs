//! Where the kernels of modules come from, and what has been found out about their code.

use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};

use vortex_kernel::meta::ModuleInfo;

use super::finalise::{When, check};
use super::{Module, ModuleError, Owner, Variant};
use crate::cached::{CacheStats, Cached};
use crate::error::{Error, Result};
use crate::name::Name;
use crate::registry::{KernelOrigin, ListedKernel};

/// Of one kernel of a module.
#[derive(Debug)]
pub(crate) struct Provenance {
    pub(super) origin: KernelOrigin,
    /// What came out when its code was checked; that of a file is checked when the kernel is used first.
    checked: OnceLock<Result<(), ModuleError>>,
    /// Counts launches.
    uses: Arc<Cached>,
}

impl Provenance {
    /// Of a kernel whose code has been checked, or will be.
    pub(super) fn new(when: When) -> Self {
        let checked = match when {
            When::Now => OnceLock::from(Ok(())),
            When::AtFirstUse => OnceLock::new(),
        };
        Self {
            origin: KernelOrigin::Memory,
            checked,
            uses: Arc::default(),
        }
    }

    /// Of the same kernel in another module.
    pub(super) fn again(&self) -> Self {
        Self {
            origin: self.origin.clone(),
            checked: self.checked.clone(),
            uses: Arc::default(),
        }
    }

    /// The file that it has been read from.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.origin {
            KernelOrigin::File(file) => Some(file),
            KernelOrigin::Program | KernelOrigin::Memory => None,
        }
    }

    pub(crate) fn uses(&self) -> &Arc<Cached> {
        &self.uses
    }
}

impl Module {
    /// Has the code of a kernel checked, if it has not been.
    pub(crate) fn use_kernel(&self, kernel: usize) -> Result<()> {
        let provenance = self.owner.kernel(kernel);
        let check = || check(&self.kernels()[kernel], &self.images[kernel]);
        let Err(cause) = provenance.checked.get_or_init(check) else {
            return Ok(());
        };
        Err(match provenance.file() {
            Some(path) => Error::InFile {
                path: path.to_owned(),
                cause: Box::new(cause.clone()),
            },
            None => cause.clone().into(),
        })
    }

    /// Its kernels, for a list of all that can be launched.
    pub(crate) fn listed(&self) -> impl Iterator<Item = ListedKernel> {
        let kernels = self.kernels().iter().zip(&*self.images).enumerate();
        kernels.map(|(index, (kernel, variants))| {
            let provenance = self.owner.kernel(index);
            ListedKernel {
                name: Name::from(&kernel.name),
                module: Name::from(&kernel.module),
                location: kernel.location.clone(),
                origin: provenance.origin.clone(),
                cache: CacheStats {
                    images: variants.len() as u64,
                    ..provenance.uses.stats()
                },
            }
        })
    }

    pub(crate) fn downgrade(&self) -> WeakModule {
        WeakModule {
            owner: Arc::downgrade(&self.owner),
            info: Arc::downgrade(&self.info),
            images: Arc::downgrade(&self.images),
        }
    }
}

/// A module that others keep.
#[derive(Debug)]
pub(crate) struct WeakModule {
    owner: Weak<Owner>,
    info: Weak<ModuleInfo>,
    images: Weak<[Vec<Variant>]>,
}

impl WeakModule {
    /// Whether there is a handle of it.
    pub(crate) fn is_there(&self) -> bool {
        self.owner.strong_count() > 0
    }

    /// The module, if there is a handle of it.
    pub(crate) fn upgrade(&self) -> Option<Module> {
        Some(Module {
            owner: self.owner.upgrade()?,
            info: self.info.upgrade()?,
            images: self.images.upgrade()?,
        })
    }
}
