//! Copying images to a device, and describing their code to it.

use std::cell::OnceCell;
use std::collections::HashMap;

use vortex_kernel::codegen::{Image, Update};
use vortex_kernel::ir::SourceLoc;
use vortex_kernel::isa::Opcode;
use vortex_sim::debug::Note;

use crate::device::State;
use crate::driver::{Access, Driver};
use crate::error::Result;
use crate::image::{Loaded, ToLoad};
use crate::item_counter::ItemCounters;
use crate::recent::LastUse;

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
    let counters = OnceCell::new();
    driver.annotate(addr, &image.bytes, &mut |offset, inst| Note {
        work: counters
            .get_or_init(|| ItemCounters::of(image))
            .place(offset),
        update: update_at(image, offset),
        meeting: match inst.opcode {
            Opcode::Bar | Opcode::BarArrive => {
                let number = barriers.len() as u32 + 1;
                *barriers.entry(image.source_at(offset)).or_insert(number)
            }
            _ => 0,
        },
    });
}
