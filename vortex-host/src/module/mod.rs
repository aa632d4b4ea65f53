//! Modules: kernels compiled together, with their metadata, as files and on devices.
//!
//! ```
//! # use vortex_host as vortex;
//! # fn example(module: &vortex::Module) -> vortex::Result<()> {
//! for kernel in module.kernels() {
//!     println!("{} takes {} arguments", kernel.name, kernel.args().len());
//! }
//! std::fs::write("kernels.elf", module.to_elf()).unwrap();
//! # Ok(())
//! # }
//! ```

mod analyse;
mod args;
mod bare;
mod builder;
mod bundle;
mod check;
mod choose;
mod counts;
mod elf;
mod files;
mod launch;
mod launch_from;
mod limits;
mod link;
pub mod load;
mod origin;
mod owner;
mod sidecar;

use std::sync::Arc;

use vortex_kernel::codegen::Image;
use vortex_kernel::lang::Kernel;
use vortex_kernel::meta::{FunctionInfo, GlobalInfo, KernelInfo, ModuleInfo, ModuleValues};

use crate::error::{ModuleError, Result};
use crate::image::record::Record;
use crate::registry::meta_of;
use crate::source::Sources;

use analyse::note_extern;
pub use args::{LaunchArg, LaunchArgs};
pub use builder::ModuleBuilder;
pub use bundle::Bundle;
pub use launch::{ModuleLaunch, StreamLaunch};
use load::When;
use origin::Provenance;
use owner::Owner;

/// Kernels that were compiled together for one target, and what is known about them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Module {
    owner: Arc<Owner>,
    info: Arc<ModuleInfo>,
    /// The images of each kernel of `info`, in the same order. None of them is empty.
    images: Arc<[Vec<Variant>]>,
}

/// One image of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// What it relies on the groups to be.
    pub(crate) block: Option<[u32; 3]>,
    pub(crate) image: Arc<Image>,
    /// Who says where its source is.
    pub(crate) sources: Sources,
}

impl Variant {
    /// One that was read.
    fn read(record: Record, bytes: Vec<u8>) -> Self {
        Self {
            block: record.block(),
            sources: Sources::File,
            image: Arc::new(record.into_image(bytes)),
        }
    }
}

impl Module {
    /// Describes a module before it is compiled.
    pub fn builder(name: impl Into<String>) -> ModuleBuilder {
        ModuleBuilder::new(name.into())
    }

    /// A module of kernels, after checking that their metadata is possible. Their code is checked before this, or
    /// later.
    fn new(
        mut info: ModuleInfo,
        images: Vec<Vec<Variant>>,
        code: When,
    ) -> Result<Self, ModuleError> {
        check::check(&info, &images)?;
        note_extern(&mut info.globals, &images);
        let kernels = images.iter().map(|_| Provenance::new(code)).collect();
        Ok(Self::of_checked(info, images, kernels))
    }

    /// A module of kernels that are another module's, and come from there.
    fn of_checked(
        mut info: ModuleInfo,
        images: Vec<Vec<Variant>>,
        kernels: Vec<Provenance>,
    ) -> Self {
        if let Some(statistics) = &mut info.statistics {
            counts::count_parts(statistics, &images);
        }
        Self {
            owner: Arc::new(Owner::new(&info, &images, kernels)),
            info: Arc::new(info),
            images: images.into(),
        }
    }

    /// All that is known about the module, as its file has it: kernels, device functions, variables, and what the
    /// compiler counted.
    #[must_use]
    pub fn info(&self) -> &ModuleInfo {
        &self.info
    }

    /// What is known about each kernel, in the order in which they were added.
    #[must_use]
    pub fn kernels(&self) -> &[KernelInfo] {
        self.info.kernels()
    }

    /// What is known about the kernel of this name; none if the module has no such kernel.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.info.kernel(name)
    }

    /// A kernel of this program, if the module has it: the same name, and the same arguments in the same layouts.
    /// `saxpy(..).launch_from(&module, &device)` runs it.
    ///
    /// ```
    /// # use vortex_host::Module;
    /// # use vortex_kernel::lang::Kernel;
    /// # fn example<saxpy: Kernel>(module: &Module) {
    /// if let Some(kernel) = module.kernel_of::<saxpy>() {
    ///     println!("{:?}", kernel.facts().code_size);
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn kernel_of<K: Kernel>(&self) -> Option<&KernelInfo> {
        let own = KernelInfo::from(&meta_of::<K>());
        self.kernel(&own.name)
            .filter(|kernel| kernel.takes_like(&own))
    }

    /// What is known about the device functions that its kernels call, inlined or not.
    #[must_use]
    pub fn functions(&self) -> &[FunctionInfo] {
        self.info.functions()
    }

    /// What is known about its global variables and constants.
    #[must_use]
    pub fn globals(&self) -> &[GlobalInfo] {
        self.info.globals()
    }

    /// What holds for all of the module, such as the target that it is compiled for.
    #[must_use]
    pub fn values(&self) -> &ModuleValues {
        self.info.values()
    }

    /// The first image of a kernel, and the groups that it relies on.
    pub(crate) fn first_image(&self, kernel: &str) -> Result<(Option<[u32; 3]>, &Image)> {
        let index = self.find(kernel)?;
        self.use_kernel(index)?;
        let first = &self.images[index][0];
        Ok((first.block, &first.image))
    }

    /// The images of a kernel, each with the work items of a group in x, y and z that it relies on; any if there are
    /// none. The first one takes groups of any size, if there is such an image. For a kernel that the module does not
    /// have, there are no images. Code from a file may not have been checked yet.
    #[must_use]
    pub fn images<'a>(&'a self, kernel: &str) -> Vec<(Option<[u32; 3]>, &'a Image)> {
        let index = self.kernels().iter().position(|info| info.name == kernel);
        let variants = index.map_or(&[][..], |index| &self.images[index]);
        let pair = |variant: &'a Variant| (variant.block, &*variant.image);
        variants.iter().map(pair).collect()
    }
}
