//! What can be determined about the images of a module: the second step of loading.

use std::collections::HashSet;

use vortex_kernel::ir::GlobalVariable;
use vortex_kernel::meta::{Alternative, GlobalInfo, KernelInfo};

use super::Variant;
use crate::globals;

/// Adds what differs between the images of a kernel, if there are several.
pub(super) fn note_variants(kernel: &mut KernelInfo, variants: &[Variant]) {
    kernel.facts.image_variants = u32::try_from(variants.len()).ok();
    if variants.len() > 1 {
        let alternatives = variants.iter().map(|variant| Alternative {
            block: variant.block,
            code_size: u32::try_from(variant.image.bytes.len()).unwrap_or(u32::MAX),
        });
        kernel.alternatives = alternatives.collect();
    }
}

/// Says of each variable whether this program lacks it: the images may come out of a file that another program wrote.
pub(super) fn note_extern(globals: &mut [GlobalInfo], images: &[Vec<Variant>]) {
    let variants = images.iter().flatten();
    let variables = variants.flat_map(|variant| &variant.image.globals);
    let own = variables.filter(|variable| globals::is_of_program(variable));
    let own: HashSet<String> = own.map(GlobalVariable::path).collect();
    for global in globals.iter_mut().filter(|global| global.is_global) {
        global.is_extern = !own.contains(&global.name);
    }
}
