//! Loading: the three steps from an image, whatever its origin, to what a device runs.
//!
//! ```text
//! compiled kernels   .vxbin (and .vxmeta)   ELF   bundle
//!        |                   |               |      |
//!        +---------- check and normalise ----+------+      Checked: headers, addresses, instructions; one form for all
//!                             |
//!                   analyse into metadata                  Analysed: a ModuleInfo for each part
//!                             |
//!                   post-process for the device            Finished: a Module to launch kernels of, or a RawImage
//! ```
//!
//! What this program has compiled is already checked: the compiler ends with a verifier (`vortex_kernel::codegen`) that
//! decodes every instruction, as the first step does, and also proves that the target has each of them, that no branch
//! divides a warp, and that every split is joined. Nothing is checked twice, so a plain launch, which compiles and
//! loads, needs no more steps. A file may have been changed, so its code is checked here.
//!
//! [`ModuleBuilder::build`](crate::ModuleBuilder::build) takes the first two steps with what it has compiled, since a
//! module does not belong to one device; [`Device::module_from_bytes`], [`Device::module_from_file`] and
//! [`Device::raw_image`] take all three with a file.
//!
//! ```
//! use vortex_host::Device;
//! use vortex_host::load::{Checked, Finished, Origin};
//!
//! # fn example(file: &[u8]) -> vortex_host::Result<()> {
//! let device = Device::open()?;
//! let checked = Checked::read(file)?;
//! assert_ne!(checked.origin(), Origin::Compiled);
//! let analysed = checked.analyse();
//! for (id, info) in analysed.parts() {
//!     println!("{id}: {} kernels, {:?}", info.kernels.len(), info.values.features);
//! }
//! match analysed.for_device(&device)? {
//!     Finished::Module(module) => println!("{:?}", module.kernels()),
//!     Finished::Program(image) => println!("{image:?}"),
//! }
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use vortex_kernel::isa::Inst;
use vortex_kernel::meta::{KernelInfo, ModuleInfo};

use super::analyse::note_variants;
use super::bundle::best;
use super::{Bundle, Module, Variant};
use crate::device::Device;
use crate::error::{Error, ModuleError, Result};
use crate::image::describe::{code, describe, describe_program, note_features, words};
use crate::name::Name;
use crate::raw::RawImage;
use vortex_sim::Elf;

/// Where images come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The compiler of this program, by [`ModuleBuilder`](crate::ModuleBuilder).
    Compiled,
    /// A `.vxbin` file, by itself or with its `.vxmeta` file.
    Direct,
    /// An ELF file: a module of this library or a third-party program.
    Elf,
    /// A [`Bundle`](crate::Bundle).
    Bundle,
}

/// The first step: images that have been checked, in one form whatever they came in.
#[derive(Debug)]
pub struct Checked<'a> {
    origin: Origin,
    parts: Vec<Part<Code<'a>>>,
}

/// The second step: images, and metadata of each part.
#[derive(Debug)]
pub struct Analysed<'a> {
    origin: Origin,
    parts: Vec<Part<Described<'a>>>,
}

/// The third step: what a device can run.
#[derive(Debug)]
pub enum Finished {
    /// Kernels of this library.
    Module(Module),
    /// A third-party program, on the device.
    Program(RawImage),
}

/// An entry of a bundle, or the only part of anything else.
#[derive(Debug)]
struct Part<C> {
    id: String,
    info: ModuleInfo,
    contents: C,
}

/// Images that have been checked.
#[derive(Debug)]
enum Code<'a> {
    /// Of kernels that nothing has been written down of yet.
    Fresh(Vec<(KernelInfo, Vec<Variant>)>),
    /// Of each kernel; position-independent.
    Kernels(Vec<Vec<Variant>>),
    /// Of each kernel, as a file has them.
    Unchecked(Vec<Vec<Variant>>),
    /// At fixed addresses.
    Program(vortex_sim::Image<'a>),
}

/// Images that the metadata next to them describes.
#[derive(Debug)]
enum Described<'a> {
    /// Of each kernel; position-independent. Their code has been checked, or is to be.
    Kernels(Vec<Vec<Variant>>, When),
    /// At fixed addresses.
    Program(vortex_sim::Image<'a>),
}

/// When the code of kernels is checked and analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Now,
    /// Of each kernel when it is used first: what a file says about itself is enough until then.
    AtFirstUse,
}

/// Refuses an image with words in its code that are not instructions.
pub(super) fn check(kernel: &KernelInfo, variants: &[Variant]) -> Result<(), ModuleError> {
    for Variant { image, .. } in variants {
        let code = code(image);
        // Tables are aligned, and what is between them and the code is zeros.
        let words: Vec<u32> = words(code).collect();
        let last = words.iter().rposition(|word| *word != 0);
        let mut written = words.iter().take(last.map_or(0, |last| last + 1));
        if let Some(index) = written.position(|word| Inst::decode(*word).is_none()) {
            return Err(ModuleError::Instruction {
                kernel: Name::from(&kernel.name),
                offset: index * 4,
            });
        }
    }
    Ok(())
}

impl<'a> Checked<'a> {
    /// Checks a file: a `.vxbin` file, an ELF file of this library or from a third party, or a bundle.
    ///
    /// # Errors
    /// If it is none of these, or damaged.
    pub fn read(file: &'a [u8]) -> Result<Self, ModuleError> {
        Self::read_when(file, When::Now)
    }

    /// The same, with the code of kernels checked now or when they are used.
    pub(super) fn read_when(file: &'a [u8], when: When) -> Result<Self, ModuleError> {
        if Bundle::is_bundle(file) {
            let parts = Bundle::from_bytes(file)?.into_entries();
            let parts = parts.map(|(id, module)| Part::of_module(id, module, when));
            return Ok(Self {
                origin: Origin::Bundle,
                parts: parts.collect::<Result<_, _>>()?,
            });
        }
        if Module::is_module(file) {
            let part = Part::of_module(String::new(), Module::from_elf(file)?, when)?;
            return Ok(Self {
                origin: Origin::Elf,
                parts: vec![part],
            });
        }
        Self::program(file)
    }

    /// Checks a `.vxbin` file with the `.vxmeta` file that belongs to it.
    ///
    /// # Errors
    /// If they are damaged, or do not belong together.
    pub fn read_pair(vxbin: &[u8], vxmeta: &[u8]) -> Result<Checked<'static>, ModuleError> {
        Self::read_pair_when(vxbin, vxmeta, When::Now)
    }

    /// The same, with the code of the kernel checked now or when it is used.
    pub(super) fn read_pair_when(
        vxbin: &[u8],
        vxmeta: &[u8],
        when: When,
    ) -> Result<Checked<'static>, ModuleError> {
        let module = Module::from_image(vxbin, vxmeta)?;
        Ok(Checked {
            origin: Origin::Direct,
            parts: vec![Part::of_module(String::new(), module, when)?],
        })
    }

    /// Checks a `.vxbin` or ELF file of which nothing but its code is to be known.
    ///
    /// # Errors
    /// If it is neither, or damaged.
    pub fn program(file: &'a [u8]) -> Result<Self, ModuleError> {
        let image = vortex_sim::Image::parse(file)?;
        let origin = match Elf::is_elf(file) {
            true => Origin::Elf,
            false => Origin::Direct,
        };
        Ok(Self {
            origin,
            parts: vec![Part {
                id: String::new(),
                info: ModuleInfo::named(format!("program at {:#010x}", image.base())),
                contents: Code::Program(image),
            }],
        })
    }

    /// What has just been compiled, and so was checked by the compiler.
    pub(super) fn compiled(info: ModuleInfo, kernels: Vec<(KernelInfo, Vec<Variant>)>) -> Self {
        Self {
            origin: Origin::Compiled,
            parts: vec![Part {
                id: String::new(),
                info,
                contents: Code::Fresh(kernels),
            }],
        }
    }

    /// Where the images come from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Goes on to the second step: determines from the code what it needs of a device, and writes it down next to what
    /// is known already.
    #[must_use]
    pub fn analyse(self) -> Analysed<'a> {
        let parts = self.parts.into_iter().map(Part::analyse);
        Analysed {
            origin: self.origin,
            parts: parts.collect(),
        }
    }
}

impl<'a> Part<Code<'a>> {
    fn of_module(id: String, module: Module, when: When) -> Result<Self, ModuleError> {
        let Module { info, images, .. } = module;
        let contents = match when {
            When::Now => {
                for (kernel, variants) in info.kernels.iter().zip(&*images) {
                    check(kernel, variants)?;
                }
                Code::Kernels(images.to_vec())
            }
            When::AtFirstUse => Code::Unchecked(images.to_vec()),
        };
        Ok(Self {
            id,
            info: Arc::unwrap_or_clone(info),
            contents,
        })
    }

    fn analyse(self) -> Part<Described<'a>> {
        let Self {
            id,
            mut info,
            contents,
        } = self;
        let contents = match contents {
            Code::Fresh(kernels) => {
                let described = kernels.into_iter().map(|(kernel, variants)| {
                    let kernel = describe(&mut info, kernel, &variants[0].image);
                    note_variants(kernel, &variants);
                    variants
                });
                Described::Kernels(described.collect(), When::Now)
            }
            Code::Kernels(images) => {
                // Whatever a file says that its code needs.
                info.values.features = Some(Vec::new());
                for variants in &images {
                    note_features(&mut info.values, &variants[0].image);
                }
                Described::Kernels(images, When::Now)
            }
            Code::Unchecked(images) => Described::Kernels(images, When::AtFirstUse),
            Code::Program(image) => {
                describe_program(&mut info, &image);
                Described::Program(image)
            }
        };
        Part { id, info, contents }
    }
}

impl Analysed<'_> {
    /// Where the images come from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The metadata of each part, with its id in a bundle; the only part of anything else has none.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &ModuleInfo)> {
        self.parts.iter().map(|part| (&*part.id, &part.info))
    }

    /// Whether it is a third-party program.
    #[must_use]
    pub fn is_program(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| matches!(part.contents, Described::Program(_)))
    }

    /// Goes on to the third step: chooses the part for the device, and loads a program to the addresses that it is
    /// linked to. The images of kernels are position-independent and are loaded when they are launched, each once.
    ///
    /// # Errors
    /// If no part is for the device, or a program's addresses cannot be had.
    pub fn for_device(self, device: &Device) -> Result<Finished> {
        let index = match self.origin {
            Origin::Bundle => best(self.parts(), device)?,
            _ => 0,
        };
        let Part { info, contents, .. } = self.part(index)?;
        Ok(match contents {
            Described::Kernels(images, code) => Finished::Module(Module::new(info, images, code)?),
            Described::Program(image) => Finished::Program(RawImage::load(device, &image)?),
        })
    }

    /// The kernels of the only part, for any device.
    pub(super) fn into_module(self) -> Result<Module, ModuleError> {
        let Part { info, contents, .. } = self.part(0)?;
        match contents {
            Described::Kernels(images, code) => Module::new(info, images, code),
            Described::Program(_) => Err(ModuleError::Foreign),
        }
    }
}

impl<'a> Analysed<'a> {
    fn part(self, index: usize) -> Result<Part<Described<'a>>, ModuleError> {
        let mut parts = self.parts.into_iter();
        parts.nth(index).ok_or(ModuleError::Foreign)
    }
}

impl Device {
    /// Loads a third-party image: a `.vxbin` file, or an ELF executable for Vortex that begins with its first
    /// instruction.
    ///
    /// Kernels of this library need more than that to be launched; see [`Device::module_from_file`].
    ///
    /// # Errors
    /// If the file is neither, or something else is at its addresses.
    pub fn raw_image(&self, file: &[u8]) -> Result<RawImage> {
        match Checked::program(file)?.analyse().for_device(self)? {
            Finished::Program(image) => Ok(image),
            Finished::Module(_) => Err(Error::from(ModuleError::Foreign)),
        }
    }
}
