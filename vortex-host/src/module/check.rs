//! Checks the description of a module's kernels: once, when a file is read, so that later code can trust its numbers.

use vortex_kernel::meta::{
    ArgInfo, ArgKind, Attributes, KernelInfo, MAX_ALIGN, ModuleInfo, TensorArg, TextureArg,
};

use super::Variant;
use crate::error::ModuleError;

/// Refuses a module whose metadata cannot be that of its images.
pub(super) fn check(info: &ModuleInfo, images: &[Vec<Variant>]) -> Result<(), ModuleError> {
    if info.kernels.len() != images.len() || images.iter().any(Vec::is_empty) {
        return Err(ModuleError::Images);
    }
    for (kernel, variants) in info.kernels.iter().zip(images) {
        let problem = problem(kernel, variants);
        problem.map_or(Ok(()), |problem| {
            Err(ModuleError::Kernel {
                kernel: kernel.name.escape_debug().to_string(),
                problem,
            })
        })?;
    }
    Ok(())
}

/// What cannot be of a kernel.
fn problem(kernel: &KernelInfo, variants: &[Variant]) -> Option<&'static str> {
    if kernel.name.contains('\0') {
        return Some("its name has a zero byte in it, where names in files end");
    }
    let of_attributes = kernel.attributes.problem();
    let mut blocks = variants.iter().filter_map(|variant| variant.block);
    let of_blocks = || blocks.find_map(Attributes::problem_of_block);
    of_attributes
        .or_else(of_blocks)
        .or_else(|| problem_of_arguments(kernel))
}

/// What cannot be of the arguments: they lie as [`layout`](vortex_kernel::meta::layout()) lays them out.
fn problem_of_arguments(kernel: &KernelInfo) -> Option<&'static str> {
    const PROBLEM: &str = "its arguments do not lie in their struct as they are laid out";
    let mut end = 0u32;
    for (arg, index) in kernel.args.iter().zip(0..) {
        let is_placed = arg.index == index
            && arg.align.is_power_of_two()
            && arg.align <= MAX_ALIGN as u32
            && end.checked_next_multiple_of(arg.align) == Some(arg.offset)
            && size(arg).is_none_or(|size| size == arg.size);
        end = match arg.offset.checked_add(arg.size) {
            Some(end) if is_placed => end,
            _ => return Some(PROBLEM),
        };
    }
    let total = end.checked_next_multiple_of(MAX_ALIGN as u32);
    (total != Some(kernel.args_size)).then_some(PROBLEM)
}

/// The size of an argument, where its category says that.
fn size(arg: &ArgInfo) -> Option<u32> {
    match arg.kind {
        ArgKind::Pointer | ArgKind::ByRef | ArgKind::LocalSize => Some(4),
        ArgKind::Slice => Some(8),
        ArgKind::Image => Some(size_of::<TextureArg>() as u32),
        ArgKind::Tensor => Some(size_of::<TensorArg>() as u32),
        _ => None,
    }
}
