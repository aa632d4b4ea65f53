//! Compiling a module.

use std::sync::Arc;

use vortex_kernel::codegen::{Image, Options, Room, Specialization, Target};
use vortex_kernel::lang::Kernel;
use vortex_kernel::meta::{KernelInfo, ModuleInfo, ModuleValues, collect};

use super::bare::BareKernel;
use super::load::Checked;
use super::{Module, Variant, counts};
use crate::compile;
use crate::device::Device;
use crate::driver::Caps;
use crate::error::{Error, LookupError, Result};
use crate::image::describe::values_of;
use crate::launch::Size;
use crate::registry::{KernelEntry, registry};
use crate::source::Sources;

/// Images are for launches of any size, and fewer of these have room for larger blocks.
const ROOM: Room = Room {
    columns: Some(4),
    rows: Some(2),
};

/// Describes a module before it is compiled: which kernels, for what device, with which images. [`Module::builder`]
/// begins one.
#[derive(Clone, Debug)]
#[must_use = "a description does nothing until `.build()`"]
pub struct ModuleBuilder {
    name: String,
    kernels: Vec<KernelEntry>,
    target: Target,
    caps: Option<Caps>,
    start: Start,
    blocks: Vec<[u32; 3]>,
    single: bool,
    statistics: bool,
}

/// What an image is started with.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// The arguments, and a header that describes the launch.
    LaunchHeader,
    /// Only the arguments.
    Bare,
    /// The same, and the launch has this many work items.
    BareOver([usize; 3]),
}

impl Start {
    /// The work items of every launch, where the builder knows them.
    fn items(self) -> Option<[usize; 3]> {
        match self {
            Self::BareOver(items) => Some(items),
            Self::LaunchHeader | Self::Bare => None,
        }
    }
}

impl ModuleBuilder {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            kernels: Vec::new(),
            target: Target::FULL,
            caps: None,
            start: Start::LaunchHeader,
            blocks: Vec::new(),
            single: false,
            statistics: false,
        }
    }

    /// Adds a kernel of this program, by its type: `.kernel::<saxpy>()`.
    pub fn kernel<K: Kernel>(mut self) -> Self {
        self.kernels.push(const { KernelEntry::of::<K>() });
        self
    }

    /// Adds every kernel of the program that is in the registry.
    pub fn registered(mut self) -> Self {
        self.kernels.extend(registry().kernels());
        self
    }

    /// Compiles for devices like this one: its generation, extensions and shape. By default the module is for devices
    /// with every extension.
    pub fn device(mut self, device: &Device) -> Self {
        self.target = device.target();
        self.caps = Some(*device.caps());
        self
    }

    /// Compiles an additional image of each kernel that uses groups, for groups of this many items; a launch chooses
    /// among them. Kernels that are declared with a `block` keep it.
    pub fn alternative(mut self, block: [u32; 3]) -> Self {
        if !self.blocks.contains(&block) {
            self.blocks.push(block);
        }
        self
    }

    /// Compiles exactly one image of each kernel, for groups of exactly as many items as a core of the device runs at a
    /// time: 16 for 4 warps of 4 threads, the default if no device is given.
    pub fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// Compiles images for hosts that only know a kernel's arguments: they are started with exactly the argument
    /// struct, without a launch header. The size of a launch is part of the image: one work group for each hardware
    /// thread of the device, or as many as `grid = ..` says, of as many items as `block = ..` or
    /// [`ModuleBuilder::single`] says, or of one. A kernel without groups runs one work item for each hardware thread.
    ///
    /// Failures are not reported: a failing work item just ends. Kernels that print, use variables of the program, or
    /// need memory of the launch for an atomic operation without an instruction cannot be compiled like that; those
    /// with local memory need [`ModuleBuilder::device`].
    pub fn bare(mut self) -> Self {
        self.start = Start::Bare;
        self
    }

    /// [`ModuleBuilder::bare`], with this many work items in every launch: `n`, `(w, h)` or `(w, h, d)`.
    pub fn bare_over(mut self, items: impl Size) -> Self {
        self.start = Start::BareOver(items.extent());
        self
    }

    /// Makes the compiler count what it does, and how long that takes. The time is part of the module's file, which
    /// then differs each time.
    pub fn statistics(mut self) -> Self {
        self.statistics = true;
        self
    }

    /// Compiles the kernels, in the order in which they were added.
    ///
    /// # Errors
    /// If one of them cannot be compiled, or two have the same name.
    pub fn build(self) -> Result<Module> {
        if self.statistics {
            let (module, counted) = collect(|| self.compile());
            let mut module = module?;
            let statistics = counts::of_build(&module, &self.kernels, &counted);
            Arc::make_mut(&mut module.info).statistics = Some(statistics);
            return Ok(module);
        }
        self.compile()
    }

    fn compile(&self) -> Result<Module> {
        let info = ModuleInfo {
            values: self.values(),
            ..ModuleInfo::named(self.name.clone())
        };
        let mut kernels: Vec<(KernelInfo, Vec<Variant>)> = Vec::new();
        for entry in &self.kernels {
            let kernel = entry.info();
            if let Some((first, _)) = kernels.iter().find(|(first, _)| first.name == kernel.name) {
                return Err(Error::Lookup(LookupError::DuplicateKernel {
                    kernel: entry.shared_name(),
                    first: first.location.to_string(),
                    second: kernel.location.to_string(),
                }));
            }
            kernels.push((kernel, self.variants(entry)?));
        }
        Ok(Checked::compiled(info, kernels).analyse().into_module()?)
    }

    /// The images of a kernel.
    fn variants(&self, entry: &KernelEntry) -> Result<Vec<Variant>> {
        let stated = entry.meta().attributes.block;
        let block = match (stated, self.single, self.start) {
            (None, true, _) => Some([self.items_of_a_core(), 1, 1]),
            (None, false, Start::Bare | Start::BareOver(_)) => Some([1; 3]),
            _ => stated,
        };
        let first = self.image(entry, block)?;
        let uses_groups = first.groups.is_some();
        let mut variants = vec![Variant {
            block,
            image: Arc::new(first),
            sources: Sources::Program,
        }];
        if block.is_none() && uses_groups {
            for &block in &self.blocks {
                let block = Some(block);
                let image = Arc::new(self.image(entry, block)?);
                variants.push(Variant {
                    block,
                    image,
                    sources: Sources::Program,
                });
            }
        }
        Ok(variants)
    }

    fn image(&self, entry: &KernelEntry, block: Option<[u32; 3]>) -> Result<Image> {
        let known = Specialization {
            block,
            ..Specialization::from(&entry.meta().attributes)
        };
        let compile = |known| {
            let options = Options {
                known,
                room: ROOM,
                ..Options::default()
            };
            compile::compile(entry.shared_name(), || entry.stage(), self.target, &options)
        };
        match self.start {
            Start::LaunchHeader => compile(known),
            Start::Bare | Start::BareOver(_) => {
                let kernel = BareKernel {
                    name: entry.shared_name(),
                    over: self.start.items(),
                    grid: entry.meta().attributes.grid,
                    caps: self.caps.as_ref(),
                };
                kernel.image(known, compile)
            }
        }
    }

    /// Work items that a core runs at a time.
    fn items_of_a_core(&self) -> u32 {
        self.caps.as_ref().map_or(16, Caps::max_group)
    }

    fn values(&self) -> ModuleValues {
        let mut options: Vec<String> = self
            .blocks
            .iter()
            .map(|[x, y, z]| format!("alternative={x},{y},{z}"))
            .collect();
        if self.single {
            options.push("single".to_owned());
        }
        match self.start {
            Start::LaunchHeader => {}
            Start::Bare => options.push("bare".to_owned()),
            Start::BareOver([x, y, z]) => options.push(format!("bare={x},{y},{z}")),
        }
        let shape = self.caps.map(|caps| (caps.cores, caps.warps, caps.threads));
        ModuleValues {
            options: Some(options),
            ..values_of(self.target, shape)
        }
    }
}
