//! Compiling a kernel, with errors that name it.

use vortex_kernel::codegen::{self, Image, Options, Specialization, Target};
use vortex_kernel::ir::Function;
use vortex_kernel::lang::{self, Kernel, StageError, stage};
use vortex_kernel::meta::Stage;

use crate::error::{Error, Result};
use crate::name::Name;

/// Stages and compiles a kernel.
pub(crate) fn compile(
    kernel: Name,
    stage: impl FnOnce() -> Result<Function, StageError>,
    target: Target,
    options: &Options,
) -> Result<Image> {
    let staged = staged(kernel.clone(), options.debug, stage)?;
    codegen::compile(&staged, &target, options).map_err(|cause| Error::Compile { kernel, cause })
}

/// Stages a kernel; with the names of its locals, if that is for a debugger.
pub(crate) fn staged(
    kernel: Name,
    with_names: bool,
    stage: impl FnOnce() -> Result<Function, StageError>,
) -> Result<Function> {
    let _recording = Stage::begin("recording");
    let staged = match with_names {
        true => lang::with_names(stage),
        false => stage(),
    };
    staged.map_err(|cause| Error::Stage { kernel, cause })
}

/// Stages and compiles `K` for every kind of device, as the tests that `#[vortex::kernel]`
/// generates do, so that errors in a kernel's body surface in `cargo test`.
///
/// # Errors
/// If the kernel cannot be compiled.
pub fn check_kernel<K: Kernel>() -> Result<()> {
    // A kernel may ask for atomics; without the others it does too.
    let bare = Target {
        zicond: false,
        warp_ops: false,
        ..Target::FULL
    };
    for target in [bare, Target::FULL] {
        let known = Specialization::from(&K::META.attributes);
        let options = Options {
            known,
            ..Options::default()
        };
        compile(K::META.name.into(), stage::<K>, target, &options)?;
    }
    Ok(())
}
