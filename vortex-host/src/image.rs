//! Images: compiled kernels, and where they are on a device.

use std::sync::Arc;

use vortex_kernel::codegen::{self, Image, Known, Options, Target, Update};
use vortex_kernel::ir::{Function, SourceLoc};
use vortex_kernel::isa::Opcode;
use vortex_kernel::lang::{Kernel, StageError, stage};

use crate::device::State;
use crate::driver::{Access, Driver};
use crate::error::{Error, Result};
use crate::registry::Cached;
use crate::sim::{self, Note};
use crate::turn::{self, Turn};

/// An image on a device, where it stays until the device is closed.
pub(crate) struct Loaded {
    pub(crate) image: Arc<Image>,
    /// Where it is, and where it starts.
    pub(crate) addr: u32,
    /// Addresses of the variables that it uses.
    pub(crate) globals: Vec<u32>,
    /// Its place in the cache, if it is of a kernel of this program.
    pub(crate) cached: Option<Arc<Cached>>,
}

impl Loaded {
    /// The source line that the instruction at `pc` comes from.
    pub(crate) fn source_of(&self, pc: u32) -> Option<&SourceLoc> {
        source_at(&self.image, pc.checked_sub(self.addr)?)
    }

    /// The turn of its loop that a warp is in that was stopped at `pc`, if that can be told.
    pub(crate) fn turn(&self, pc: u32) -> Option<Turn> {
        turn::of(&self.image, pc.checked_sub(self.addr)?)
    }
}

/// The source line that the instruction `offset` bytes from an image's start comes from.
fn source_at(image: &Image, offset: u32) -> Option<&SourceLoc> {
    if offset as usize >= image.bytes.len() {
        return None;
    }
    let after = image.lines.partition_point(|entry| entry.offset <= offset);
    image.lines[..after].last()?.loc.as_ref()
}

/// What the store `offset` bytes from an image's start has to do with what its item has loaded from there.
fn update_at(image: &Image, offset: u32) -> Option<sim::Update> {
    let index = image
        .updates
        .binary_search_by_key(&offset, |entry| entry.offset);
    let update = image.updates.get(index.ok()?)?.update;
    Some(match update {
        Update::Chosen => sim::Update::Chosen,
        Update::Made => sim::Update::Made,
    })
}

/// Tells a device of an image which stores are updates, in which iteration of its loop a warp is at an instruction, and
/// which barriers are one and the same: those of one place in the source, of which there may be copies, and those where
/// groups end.
fn annotate(driver: &mut dyn Driver, addr: u32, image: &Image) {
    let mut barriers: Vec<Option<&SourceLoc>> = Vec::new();
    driver.annotate(addr, &image.bytes, &mut |offset, inst| Note {
        work: turn::place(image, offset),
        update: update_at(image, offset),
        meeting: match inst.opcode {
            Opcode::Bar => {
                let source = source_at(image, offset);
                let known = barriers.iter().position(|&other| other == source);
                let index = known.unwrap_or_else(|| {
                    barriers.push(source);
                    barriers.len() - 1
                });
                index as u32 + 1
            }
            _ => 0,
        },
    });
}

/// Stages and compiles a kernel.
pub(crate) fn compile(
    kernel: &'static str,
    stage: impl FnOnce() -> Result<Function, StageError>,
    target: Target,
    options: &Options,
) -> Result<Image> {
    let function = stage().map_err(|cause| Error::Stage { kernel, cause })?;
    codegen::compile(&function, &target, options).map_err(|cause| Error::Compile { kernel, cause })
}

/// Copies an image to the device.
pub(crate) fn load(
    state: &mut State,
    image: Arc<Image>,
    cached: Option<Arc<Cached>>,
) -> Result<Loaded> {
    // Kernels are far smaller than 4 GiB.
    let size = image.bytes.len() as u32;
    let access = if image.bss == 0 {
        Access::Read
    } else {
        Access::ReadWrite
    };
    let globals: Result<Vec<u32>> = (image.globals.iter())
        .map(|variable| state.global(variable))
        .collect();
    let globals = globals?;
    let _span = tracing::info_span!("upload", bytes = size, what = "image").entered();
    let addr = state.alloc_with(size + image.bss, access, |state, addr| {
        state.write(addr, &image.bytes)?;
        if image.bss > 0 {
            state.write(addr + size, &vec![0; image.bss as usize])?;
        }
        Ok(())
    })?;
    annotate(&mut *state.driver, addr, &image);
    Ok(Loaded {
        image,
        addr,
        globals,
        cached,
    })
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
        let known = Known::from(&K::META.attributes);
        let options = Options {
            known,
            ..Options::default()
        };
        compile(K::META.name, stage::<K>, target, &options)?;
    }
    Ok(())
}
