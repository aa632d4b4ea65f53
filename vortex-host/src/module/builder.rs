//! Compiling a module.

use std::collections::BTreeSet;
use std::sync::Arc;

use vortex_kernel::codegen::{Image, Known, Options, Target};
use vortex_kernel::isa::{Extension, Inst};
use vortex_kernel::lang::Kernel;
use vortex_kernel::meta::{
    Alternative, FunctionFacts, FunctionInfo, GlobalInfo, KernelInfo, KernelMeta, LANGUAGE_VERSION,
    Location, ModuleInfo, ModuleValues, Statistics, collect,
};

use super::{Module, Variant};
use crate::device::Device;
use crate::driver::Caps;
use crate::error::{Error, Result};
use crate::image;
use crate::registry::{KernelEntry, registry};

/// Describes a module before it is compiled.
#[derive(Clone, Debug)]
#[must_use = "a description does nothing until `.build()`"]
pub struct ModuleBuilder {
    name: String,
    kernels: Vec<Source>,
    target: Target,
    shape: Option<(u32, u32, u32)>,
    blocks: Vec<[u32; 3]>,
    single: bool,
    statistics: bool,
}

/// What is known of a kernel from its source, by the name of the instance if it is generic.
pub(crate) fn meta_of<K: Kernel>() -> KernelMeta {
    let mut meta = K::META;
    meta.name = K::name();
    meta
}

/// A kernel to be compiled.
#[derive(Clone, Debug)]
struct Source {
    meta: KernelMeta,
    entry: KernelEntry,
}

impl ModuleBuilder {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            kernels: Vec::new(),
            target: Target::FULL,
            shape: None,
            blocks: Vec::new(),
            single: false,
            statistics: false,
        }
    }

    /// Adds a kernel.
    pub fn kernel<K: Kernel>(mut self) -> Self {
        self.kernels.push(Source {
            meta: meta_of::<K>(),
            entry: const { KernelEntry::of::<K>() },
        });
        self
    }

    /// Adds every kernel of the program that is in the registry.
    pub fn registered(mut self) -> Self {
        let all = registry().kernels().into_iter().map(|kernel| Source {
            meta: kernel.meta(),
            entry: kernel,
        });
        self.kernels.extend(all);
        self
    }

    /// Compiles for devices like this one; for devices with every extension by default.
    pub fn device(mut self, device: &Device) -> Self {
        let Caps {
            cores,
            warps,
            threads,
            ..
        } = *device.caps();
        self.target = device.target();
        self.shape = Some((cores, warps, threads));
        self
    }

    /// Compiles one image more of each kernel that uses groups, for groups of this many items; a launch chooses among them.
    /// Kernels that are declared with a `block` keep to it.
    pub fn alternative(mut self, block: [u32; 3]) -> Self {
        if !self.blocks.contains(&block) {
            self.blocks.push(block);
        }
        self
    }

    /// Compiles exactly one image of each kernel, for groups of exactly as many items as a core of the device runs at a time:
    /// 16 for 4 warps of 4 threads, which is taken if no device is given.
    pub fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// Has the compiler count what it does.
    pub fn statistics(mut self) -> Self {
        self.statistics = true;
        self
    }

    /// Compiles the kernels.
    ///
    /// # Errors
    /// If one of them cannot be compiled, or two have the same name.
    pub fn build(self) -> Result<Module> {
        if self.statistics {
            let (module, statistics) = collect(|| self.compile(None));
            let mut module = module?;
            Arc::make_mut(&mut module.info).statistics = Some(statistics);
            return Ok(module);
        }
        self.compile(None)
    }

    fn compile(&self, statistics: Option<Statistics>) -> Result<Module> {
        let mut info = ModuleInfo {
            values: self.values(),
            statistics,
            ..ModuleInfo::named(self.name.clone())
        };
        let mut images: Vec<Vec<Variant>> = Vec::new();
        for source in &self.kernels {
            let meta = &source.meta;
            if let Some(first) = info.kernel(meta.name) {
                return Err(Error::DuplicateKernel {
                    kernel: meta.name,
                    first: first.location.to_string(),
                    second: KernelInfo::from(meta).location.to_string(),
                });
            }
            let variants = self.variants(source)?;
            let kernel = describe(&mut info, KernelInfo::from(meta), &variants[0].image);
            kernel.facts.image_variants = u32::try_from(variants.len()).ok();
            if variants.len() > 1 {
                // Of the others, the facts that differ are these.
                let alternatives = variants.iter().map(|variant| Alternative {
                    block: variant.block,
                    code_size: u32::try_from(variant.image.bytes.len()).unwrap_or(u32::MAX),
                });
                kernel.alternatives = alternatives.collect();
            }
            images.push(variants);
        }
        Ok(Module::new(info, images))
    }

    /// The images of a kernel.
    fn variants(&self, source: &Source) -> Result<Vec<Variant>> {
        let stated = source.meta.attributes.block;
        let block = match (stated, self.single) {
            (None, true) => Some([self.items_of_a_core(), 1, 1]),
            _ => stated,
        };
        let first = self.image(source, block)?;
        let uses_groups = first.groups.is_some();
        let mut variants = vec![Variant {
            block,
            image: Arc::new(first),
        }];
        if block.is_none() && uses_groups {
            for &block in &self.blocks {
                let block = Some(block);
                let image = Arc::new(self.image(source, block)?);
                variants.push(Variant { block, image });
            }
        }
        Ok(variants)
    }

    fn image(&self, source: &Source, block: Option<[u32; 3]>) -> Result<Image> {
        let Source { meta, entry } = source;
        let options = Options {
            known: Known {
                block,
                ..Known::from(&meta.attributes)
            },
            ..Options::default()
        };
        image::compile(meta.name, || entry.stage(), self.target, &options)
    }

    /// Work items that a core runs at a time.
    fn items_of_a_core(&self) -> u32 {
        self.shape.map_or(16, |(_, warps, threads)| warps * threads)
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
        ModuleValues {
            options: Some(options),
            ..values_of(self.target, self.shape)
        }
    }
}

/// What holds for a module that is made for these devices.
pub(super) fn values_of(target: Target, shape: Option<(u32, u32, u32)>) -> ModuleValues {
    let (isa, flags) = isa(target);
    ModuleValues {
        language_version: Some(LANGUAGE_VERSION.to_owned()),
        compiler: Some("vortex-gpgpu".to_owned()),
        compiler_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        options: None,
        shape,
        isa: Some(isa),
        isa_flags: Some(flags),
        features: Some(Vec::new()),
        globals_size: Some(0),
    }
}

/// Adds a kernel to a module, with what is known of it from its image.
pub(super) fn describe<'a>(
    info: &'a mut ModuleInfo,
    mut kernel: KernelInfo,
    image: &Image,
) -> &'a mut KernelInfo {
    note_functions(&mut info.functions, image);
    note_constants(info, &kernel.name, image);
    note_variables(info, image);
    note_features(&mut info.values, image);
    kernel.facts = image.facts.clone();
    info.kernels.push(kernel);
    let last = info.kernels.len() - 1;
    &mut info.kernels[last]
}

/// The extensions of a target, and the same as `vx_dev_caps` numbers them.
pub(super) fn isa(target: Target) -> (Vec<String>, u64) {
    // As in misa: a bit for each letter; 32-bit registers are 1 << 30, what comes with no letter is above.
    let letter = |letter: u8| 1u64 << (letter - b'a');
    const RV32: u64 = 1 << 30;
    const LOCAL_MEMORY: u64 = 1 << 36;
    const ZICOND: u64 = 1 << 37;
    let mut names = ["rv32im", "f", "zicsr"].map(str::to_owned).to_vec();
    let mut flags = RV32 | LOCAL_MEMORY | letter(b'i') | letter(b'm') | letter(b'f');
    if target.atomics {
        names.push("a".to_owned());
        flags |= letter(b'a');
    }
    if target.zicond {
        names.push("zicond".to_owned());
        flags |= ZICOND;
    }
    names.push("xvortex".to_owned());
    if target.warp_ops {
        names.push("xvortexwarp".to_owned());
    }
    (names, flags)
}

/// The instructions of an image, without the constant tables behind them.
fn code(image: &Image) -> &[u8] {
    let constants = image.facts.constants.unwrap_or(0) as usize;
    let size = image.bytes.len().saturating_sub(constants);
    &image.bytes[..size]
}

/// The extension that each instruction of an image is of.
fn extensions(image: &Image) -> impl Iterator<Item = Extension> {
    code(image).chunks_exact(4).filter_map(|word| {
        let word = word
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte));
        Some(Inst::decode(word)?.opcode.info().extension)
    })
}

/// What an image uses and a device does not have.
pub(crate) fn missing(image: &Image, target: Target) -> Option<&'static str> {
    extensions(image).find_map(|extension| match extension {
        Extension::A if !target.atomics => Some("atomic operations (the A extension)"),
        Extension::Zicond if !target.zicond => Some("conditional zeroing (Zicond)"),
        Extension::WarpOps if !target.warp_ops => Some("Vortex's votes and shuffles"),
        _ => None,
    })
}

/// Adds what an image uses beyond the released Vortex.
fn note_features(values: &mut ModuleValues, image: &Image) {
    let known = values.features.take().unwrap_or_default();
    let mut features: BTreeSet<String> = known.into_iter().collect();
    features.extend(extensions(image).filter_map(|extension| match extension {
        Extension::A => Some("atomics".to_owned()),
        Extension::WarpOps => Some("warp operations".to_owned()),
        _ => None,
    }));
    values.features = Some(features.into_iter().collect());
}

/// Adds the constant tables of an image: those without a name are called `constants`, and one of a name that is taken gets a number.
fn note_constants(info: &mut ModuleInfo, kernel: &str, image: &Image) {
    for table in &image.tables {
        let name = match &*table.name {
            "" => format!("{kernel}.constants"),
            name => format!("{kernel}.{name}"),
        };
        let is_free = |name: &String| info.globals.iter().all(|global| global.name != *name);
        let numbered = (2..).map(|n| format!("{name}.{n}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        *info.values.globals_size.get_or_insert(0) += table.size;
        info.globals.push(GlobalInfo {
            name: names.find(is_free).unwrap_or_default(),
            address: table.offset,
            size: table.size,
            is_const: true,
            is_extern: false,
            is_global: false,
        });
    }
}

/// Adds the program's variables that an image uses.
fn note_variables(info: &mut ModuleInfo, image: &Image) {
    for variable in &image.globals {
        let known = GlobalInfo {
            name: variable.path(),
            address: 0,
            size: variable.size,
            is_const: variable.is_const,
            is_extern: false,
            is_global: true,
        };
        if !info.globals.contains(&known) {
            *info.values.globals_size.get_or_insert(0) += known.size;
            info.globals.push(known);
        }
    }
}

/// Adds the device functions of an image to those of the module.
fn note_functions(functions: &mut Vec<FunctionInfo>, image: &Image) {
    for callee in &image.callees {
        let same =
            |info: &&mut FunctionInfo| info.name == callee.name && info.module == callee.module;
        let known = functions.iter_mut().find(same);
        let function = match known {
            Some(function) => function,
            None => {
                functions.push(FunctionInfo {
                    name: callee.name.clone(),
                    module: callee.module.clone(),
                    location: Location {
                        file: callee.loc.file.clone(),
                        line: callee.loc.line,
                        column: callee.loc.column,
                    },
                    callers: Vec::new(),
                    facts: FunctionFacts {
                        inlined: Some(true),
                        call_sites: Some(0),
                        recursive: Some(false),
                        address_taken: Some(false),
                    },
                });
                let Some(function) = functions.last_mut() else {
                    return;
                };
                function
            }
        };
        let sites = function.facts.call_sites.get_or_insert(0);
        *sites += callee.call_sites;
        for caller in &callee.callers {
            if !function.callers.contains(caller) {
                function.callers.push(caller.clone());
            }
        }
    }
}
