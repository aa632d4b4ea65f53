//! A call of a kernel, and where its image comes from.

use std::fmt;
use std::iter;
use std::path::Path;
use std::sync::Arc;

use vortex_kernel::codegen::Image;
use vortex_kernel::meta::{Attributes, KernelInfo};

use super::binder::Binder;
use super::shape::LaunchSize;
use super::watch::Watch;
use crate::cached::Cached;
use crate::device::Device;
use crate::error::Result;
use crate::globals;
use crate::hazards::AccessRange;
use crate::image::choice::Choice;
use crate::name::Name;
use crate::registry::{KernelEntry, registry};
use crate::resident::Key;
use crate::source::Sources;
use crate::visit::ArgBytes;

/// A kernel call, complete, free of the kernel's type and of the borrows of its arguments.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) kernel: Name,
    /// What the launch is held against.
    pub(crate) attributes: Attributes,
    /// Where the image comes from, for the first launch.
    pub(crate) source: Source,
    pub(crate) args: ArgBytes,
    /// The memory that the arguments refer to.
    pub(crate) binder: Binder,
    pub(crate) shape: LaunchSize,
    /// Which image of a module it is.
    pub(crate) choice: Option<Choice>,
    /// What is to be noted of it.
    pub(crate) watch: Watch,
}

/// Where an image comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// A kernel of this program.
    Kernel(KernelEntry),
    /// It is there already.
    Image {
        /// By which it is found again.
        key: Key,
        image: Arc<Image>,
        /// Who says where its source is.
        sources: Sources,
        /// Keeps it on devices while this is pending.
        owner: Arc<dyn ImageOwner>,
        /// What is known of it, if that is to be written down or shown.
        info: Option<Box<KernelInfo>>,
    },
}

/// What has images that are no kernel's of this program, and is told of their use.
pub(crate) trait ImageOwner: fmt::Debug + Send + Sync {
    /// Takes note that an image is about to be on a device.
    fn is_on(&self, device: &Device);

    /// What counts the uses of a kernel, by its number.
    fn uses(&self, kernel: usize) -> &Arc<Cached>;

    /// The file that a kernel has been read from.
    fn file(&self, kernel: usize) -> Option<&Path>;
}

impl Call {
    /// A call of a kernel of this program. Without type parameters, since every kernel has one.
    pub(super) fn of_kernel(
        kernel: KernelEntry,
        attributes: Attributes,
        (args, binder, shape): (ArgBytes, Binder, LaunchSize),
    ) -> Self {
        Self {
            kernel: kernel.shared_name(),
            attributes,
            source: Source::Kernel(kernel),
            args,
            binder,
            shape,
            choice: None,
            watch: Watch::default(),
        }
    }

    /// The same, checked as far as it can be before it is its turn.
    pub(super) fn checked(self, device: &Device) -> Result<Self> {
        self.binder.check(&self.kernel, device)?;
        Ok(self)
    }

    /// What is known of the kernel, and of the tensors that it is launched with.
    pub(super) fn info(&self) -> Result<KernelInfo> {
        let mut info = match &self.source {
            Source::Kernel(kernel) => kernel.info(),
            Source::Image { info, .. } => info.as_deref().cloned().unwrap_or_default(),
        };
        self.binder.complete(&self.kernel, &mut info.tensors)?;
        Ok(info)
    }

    /// What it may read and write. What is not asked for costs nothing.
    pub(crate) fn accesses(&self) -> impl Iterator<Item = AccessRange> {
        let globals = iter::once_with(|| match &self.source {
            Source::Kernel(kernel) => registry().accessed(kernel),
            Source::Image { image, .. } => accessed_by(image),
        });
        self.binder.accesses().chain(globals.flatten())
    }
}

/// The variables that an image uses, and anything if it has addresses that are no argument's.
fn accessed_by(image: &Image) -> Vec<AccessRange> {
    let anything = match image.facts.no_indirect_global_access {
        Some(true) => None,
        Some(false) | None => Some(AccessRange::ANYTHING),
    };
    let variables = image.globals.iter().map(globals::access);
    variables.chain(anything).collect()
}
