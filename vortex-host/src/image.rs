//! Images: compiled kernels, and where they are on a device.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use vortex_kernel::codegen::{self, Image, Known, Options, Target, Update};
use vortex_kernel::ir::{Function, SourceLoc};
use vortex_kernel::isa::Opcode;
use vortex_kernel::lang::{Kernel, StageError, stage};
use vortex_kernel::meta::Stage;

use crate::device::State;
use crate::driver::{Access, Driver};
use crate::error::{Error, Result};
use crate::name::Name;
use crate::recent::LastUse;
use crate::registry::Cached;
use crate::source::Sources;
use crate::turn::Turns;
use vortex_sim;
use vortex_sim::debug::Note;

/// An image on a device.
pub(crate) struct Loaded {
    pub(crate) image: Arc<Image>,
    /// Where it is, and where it starts.
    pub(crate) addr: u32,
    /// Addresses of the variables that it uses.
    pub(crate) globals: Vec<u32>,
    /// Who says where its source is.
    pub(crate) sources: Sources,
    /// Its place in the cache, if it is of a kernel of this program.
    pub(crate) cached: Option<Arc<Cached>>,
    /// When it was launched last.
    pub(crate) used: LastUse,
}

impl Loaded {
    /// The source line that the instruction at `pc` comes from.
    pub(crate) fn source_of(&self, pc: u32) -> Option<&SourceLoc> {
        source_at(&self.image, pc.checked_sub(self.addr)?)
    }

    /// Where warps hold the number of the turn of their loop.
    pub(crate) fn turns(&self) -> Turns<'_> {
        Turns::of(&self.image)
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
fn update_at(image: &Image, offset: u32) -> Option<vortex_sim::debug::Update> {
    let index = image
        .updates
        .binary_search_by_key(&offset, |entry| entry.offset);
    let update = image.updates.get(index.ok()?)?.update;
    Some(match update {
        Update::Chosen => vortex_sim::debug::Update::Chosen,
        Update::Made => vortex_sim::debug::Update::Made,
    })
}

/// Tells a device of an image which stores are updates, in which iteration of its loop a warp is at an instruction, and
/// which barriers are one and the same: those of one place in the source, of which there may be copies, and those where
/// groups end.
fn annotate(driver: &mut dyn Driver, addr: u32, image: &Image) {
    let mut barriers: HashMap<Option<&SourceLoc>, u32> = HashMap::new();
    let turns = OnceCell::new();
    driver.annotate(addr, &image.bytes, &mut |offset, inst| Note {
        work: turns.get_or_init(|| Turns::of(image)).place(offset),
        update: update_at(image, offset),
        meeting: match inst.opcode {
            Opcode::Bar => {
                let number = barriers.len() as u32 + 1;
                *barriers.entry(source_at(image, offset)).or_insert(number)
            }
            _ => 0,
        },
    });
}

/// Stages and compiles a kernel.
pub(crate) fn compile(
    kernel: Name,
    stage: impl FnOnce() -> Result<Function, StageError>,
    target: Target,
    options: &Options,
) -> Result<Image> {
    let recording = Stage::begin("recording");
    let staged = stage();
    drop(recording);
    let compiled = match staged {
        Ok(function) => codegen::compile(&function, &target, options),
        Err(cause) => return Err(Error::Stage { kernel, cause }),
    };
    compiled.map_err(|cause| Error::Compile { kernel, cause })
}

/// An image that is to be copied to a device.
pub(crate) struct ToLoad {
    pub(crate) image: Arc<Image>,
    /// Who says where its source is.
    pub(crate) sources: Sources,
    /// Its place in the cache, if it is of a kernel of this program.
    pub(crate) cached: Option<Arc<Cached>>,
}

/// Copies an image to the device.
pub(crate) fn load(state: &mut State, image: ToLoad) -> Result<Loaded> {
    let ToLoad {
        image,
        sources,
        cached,
    } = image;
    // Kernels are far smaller than 4 GiB.
    let size = image.bytes.len() as u32;
    let globals: Result<Vec<u32>> = (image.globals.iter())
        .map(|variable| state.global(variable))
        .collect();
    let globals = globals?;
    let _span = tracing::info_span!("upload", bytes = size, what = "image").entered();
    let addr = state.alloc_with(size, Access::Read, |state, addr| {
        state.write(addr, &image.bytes)
    })?;
    annotate(&mut *state.driver, addr, &image);
    Ok(Loaded {
        image,
        addr,
        globals,
        sources,
        cached,
        used: LastUse::default(),
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
        compile(K::META.name.into(), stage::<K>, target, &options)?;
    }
    Ok(())
}
