//! Calls of kernels in a module: which kernel, and which of its images.

use std::sync::Arc;

use super::names;
use crate::device::Device;
use crate::error::{Error, LookupError, Result};
use crate::image::choice::Choice;
use crate::launch::{Binder, Call, LaunchSize, Source, Watch};
use crate::module::{Module, choose};
use crate::name::Name;
use crate::registry::KernelEntry;
use crate::resident::Key;
use crate::visit::ArgBytes;

impl Module {
    /// A call of a kernel of this program, of its image in the module.
    pub(crate) fn call_of(
        &self,
        entry: &KernelEntry,
        args: ArgBytes,
        binder: Binder,
        shape: LaunchSize,
        device: &Device,
    ) -> Result<Call> {
        let kernel = self.find(entry.name())?;
        let (own, other) = (entry.info(), &self.kernels()[kernel]);
        if !own.takes_like(other) {
            return Err(Error::Lookup(LookupError::OtherKernel {
                kernel: entry.shared_name(),
                at: own.location.to_string(),
                module: Name::from(&self.info.name),
                other_at: other.location.to_string(),
            }));
        }
        self.call(kernel, args, binder, shape, device)
    }

    pub(in crate::module) fn find(&self, name: &str) -> Result<usize> {
        let kernel = self.kernels().iter().position(|kernel| kernel.name == name);
        kernel.ok_or_else(|| {
            Error::Lookup(LookupError::NoKernel {
                kernel: name.to_owned(),
                kernels: names(self.kernels().iter().map(|kernel| &kernel.name)),
            })
        })
    }

    /// The image that a launch of a kernel takes, and why.
    pub(super) fn choose(
        &self,
        kernel: usize,
        shape: &LaunchSize,
        device: &Device,
    ) -> (usize, Choice) {
        let block = match (shape.block, self.kernels()[kernel].attributes.block) {
            // Sizes beyond all devices are refused by the launch.
            (Some(block), _) => Some(block.map(|n| u32::try_from(n).unwrap_or(u32::MAX))),
            (None, stated) => stated,
        };
        choose::choose(&self.images[kernel], block, shape.over, device.caps())
    }

    /// A call of a kernel, whose arguments are complete.
    pub(super) fn call(
        &self,
        kernel: usize,
        args: ArgBytes,
        binder: Binder,
        shape: LaunchSize,
        device: &Device,
    ) -> Result<Call> {
        self.use_kernel(kernel)?;
        let info = &self.kernels()[kernel];
        let name = Name::from(&info.name);
        let (variant, choice) = self.choose(kernel, &shape, device);
        let mut attributes = info.attributes;
        attributes.block = choice.block;
        binder.check(&name, device)?;
        Ok(Call {
            kernel: name,
            attributes,
            source: Source::Image {
                key: Key::Module {
                    module: self.owner.id(),
                    kernel,
                    variant,
                },
                image: Arc::clone(&self.images[kernel][variant].image),
                sources: self.images[kernel][variant].sources,
                owner: self.owner.clone(),
                info: (device.dump().is_some() || device.is_debugged())
                    .then(|| Box::new(info.clone())),
            },
            args,
            binder,
            shape,
            choice: Some(choice),
            watch: Watch::default(),
        })
    }
}
