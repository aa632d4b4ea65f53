//! The origin of a module's kernels, and what has been determined about their code.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::Module;
use super::load::{When, check};
use crate::cached::Cached;
use crate::error::{Error, ModuleError, Result};
use crate::registry::KernelOrigin;

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
}
