//! What can be determined about images from their code.

use std::collections::BTreeSet;

use vortex_kernel::codegen::{Image, Target};
use vortex_kernel::isa::{Extension, Generation, Inst, Opcode};
use vortex_kernel::meta::{
    Facts, FunctionFacts, FunctionInfo, GlobalInfo, KernelInfo, LANGUAGE_VERSION, Location,
    ModuleInfo, ModuleValues,
};

use vortex_sim::Access;

/// Adds a kernel to a module, with what is known about it from its image.
pub(crate) fn describe<'a>(
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
pub(crate) fn isa(target: Target) -> (Vec<String>, u64) {
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
    if target.generation.has(Generation::V3) {
        names.push("xvortex3".to_owned());
    }
    if target.warp_ops {
        names.push("xvortexwarp".to_owned());
    }
    (names, flags)
}

/// The instructions of an image, without the constant tables after them.
pub(crate) fn code(image: &Image) -> &[u8] {
    let constants = image.facts.constants.unwrap_or(0) as usize;
    let size = image.bytes.len().saturating_sub(constants);
    &image.bytes[..size]
}

/// The words of code.
pub(crate) fn words(code: &[u8]) -> impl Iterator<Item = u32> {
    let (words, _) = code.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// The extension that each instruction of an image is of.
fn extensions(image: &Image) -> impl Iterator<Item = Extension> {
    let instructions = words(code(image)).filter_map(Inst::decode);
    instructions.map(|inst| inst.opcode.info().extension)
}

/// What an image uses and a device does not have.
pub(crate) fn missing(image: &Image, target: Target) -> Option<&'static str> {
    if !target.generation.has(image.generation()) {
        return Some("hardware that hands out work groups, which Vortex 3 has");
    }
    extensions(image).find_map(|extension| match extension {
        Extension::A if !target.atomics => Some("atomic operations (the A extension)"),
        Extension::Zicond if !target.zicond => Some("conditional zeroing (Zicond)"),
        Extension::WarpOps if !target.warp_ops => Some("Vortex's votes and shuffles"),
        _ => None,
    })
}

/// What a module's users learn of that: what is beyond the released Vortex.
fn feature(extension: Extension) -> Option<String> {
    match extension {
        Extension::A => Some("atomics".to_owned()),
        Extension::WarpOps => Some("warp operations".to_owned()),
        _ => None,
    }
}

/// Adds what an image uses beyond the released Vortex.
pub(crate) fn note_features(values: &mut ModuleValues, image: &Image) {
    let known = values.features.take().unwrap_or_default();
    let mut features: BTreeSet<String> = known.into_iter().collect();
    features.extend(extensions(image).filter_map(feature));
    values.features = Some(features.into_iter().collect());
}

/// Adds what can be said about a third-party program from its code: which instructions there are. Data among them
/// may look like some.
pub(crate) fn describe_program(info: &mut ModuleInfo, program: &vortex_sim::Image<'_>) {
    let segments = program.segments();
    let code = segments
        .iter()
        .filter(|part| part.access != Access::ReadWrite);
    let instructions: Vec<Opcode> = code
        .flat_map(|part| words(part.bytes))
        .filter_map(|word| Some(Inst::decode(word)?.opcode))
        .collect();
    let extensions = || instructions.iter().map(|opcode| opcode.info().extension);
    let uses = |extension| extensions().any(|used| used == extension);
    let target = Target {
        // A third-party program starts its warps itself, for all that its code says.
        generation: Generation::V2,
        zicond: uses(Extension::Zicond),
        atomics: uses(Extension::A),
        warp_ops: uses(Extension::WarpOps),
    };
    let (isa, flags) = isa(target);
    let features: BTreeSet<String> = extensions().filter_map(feature).collect();
    let word = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    let in_file = segments.iter().map(|part| part.bytes.len()).sum();
    let zeros = segments
        .iter()
        .map(|part| part.size as usize - part.bytes.len())
        .sum();
    info.values = ModuleValues {
        isa: Some(isa),
        isa_flags: Some(flags),
        features: Some(features.into_iter().collect()),
        globals_size: Some(word(zeros)),
        ..ModuleValues::default()
    };
    info.kernels.push(KernelInfo {
        name: info.name.clone(),
        facts: Facts {
            uses_barrier: Some(
                [Opcode::Bar, Opcode::BarArrive]
                    .iter()
                    .any(|opcode| instructions.contains(opcode)),
            ),
            uses_atomics: Some(target.atomics),
            code_size: Some(word(in_file)),
            image_variants: Some(1),
            // The origin of its addresses is unknown.
            no_indirect_global_access: Some(false),
            ..Facts::default()
        },
        ..KernelInfo::default()
    });
}

/// Adds to a count that may not have begun, as far as a word goes: what an image says about itself may come out of a
/// file.
fn add(count: &mut Option<u32>, more: u32) {
    *count = Some(count.unwrap_or(0).saturating_add(more));
}

/// Adds the constant tables of an image: those without a name are called `constants`, and one of a name that is taken
/// gets a number.
fn note_constants(info: &mut ModuleInfo, kernel: &str, image: &Image) {
    for table in &image.tables {
        let name = match &*table.name {
            "" => format!("{kernel}.constants"),
            name => format!("{kernel}.{name}"),
        };
        let is_free = |name: &String| info.globals.iter().all(|global| global.name != *name);
        let numbered = (2..).map(|n| format!("{name}.{n}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        add(&mut info.values.globals_size, table.size);
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
            add(&mut info.values.globals_size, known.size);
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
        add(&mut function.facts.call_sites, callee.call_sites);
        for caller in &callee.callers {
            if !function.callers.contains(caller) {
                function.callers.push(caller.clone());
            }
        }
    }
}

/// What holds for a module that is made for these devices.
pub(crate) fn values_of(target: Target, shape: Option<(u32, u32, u32)>) -> ModuleValues {
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
