//! The image that a launch runs.
//!
//! A kernel of this program that uses groups is compiled for the groups that a launch has, so that their size is
//! known to the code: one image for each of the first few sizes, and one for groups of any size for all others.
//!
//! Each is for the usual launches: those whose arguments and sizes answer the bounds checks that can be answered before
//! the work items run. For others there is one more, when such a launch comes.
//!
//! A lane does several items of a row or of neighbouring rows at once, as many as pay; for launches that have no room
//! for so many there is an image in which it does fewer.

use std::path::Path;
use std::sync::{Arc, MutexGuard};

use vortex_kernel::codegen::{GroupUse, Options, Specialization};
use vortex_kernel::ir::{Function, LaunchTests};

use super::call::{Call, Source};
use crate::compile;
use crate::device::{Device, State};
use crate::error::{Error, LaunchError, Result};
use crate::image::choice::Choice;
use crate::image::describe::missing;
use crate::image::{Loaded, ToLoad};
use crate::loading;
use crate::registry::{KernelEntry, most_images, registry};
use crate::resident::{Key, Launches};
use crate::source::Sources;

/// A launch with yet another size of groups takes the image for groups of any size.
const MOST_SIZES: usize = 4;

/// An image on a device.
pub(super) struct Chosen {
    pub(super) loaded: Arc<Loaded>,
    /// The groups that it relies on.
    pub(super) block: Option<[u32; 3]>,
    /// Why it is this one, if there can be others.
    pub(super) choice: Option<Choice>,
    /// Whether it was on the device.
    was_there: bool,
}

impl Chosen {
    /// Whether its code is for a launch with this launch block.
    pub(super) fn is_for(&self, block: &[u8]) -> bool {
        self.loaded.image.launch_conditions.hold(block)
    }

    /// Counts a launch of it.
    pub(super) fn note_launch(&self) {
        if let Some(cached) = self.loaded.cached.as_ref().filter(|_| self.was_there) {
            cached.hit();
        }
    }

    /// The image for a launch like these; compiled and loaded if it is not there yet. Others can use the device while
    /// it is compiled.
    pub(super) fn of<'d>(
        call: &Call,
        like: Launches,
        device: &'d Device,
    ) -> Result<(MutexGuard<'d, State>, Self)> {
        let stated = call.attributes.block;
        let kernel = match &call.source {
            Source::Kernel(kernel) => kernel,
            Source::Image {
                key,
                image,
                sources,
                owner,
                ..
            } => {
                let (state, loaded, was_there) =
                    on_device(device, *key, || match missing(image, device.target()) {
                        None => {
                            owner.is_on(device);
                            let uses = key.kernel_of_module().map(|kernel| owner.uses(kernel));
                            uses.inspect(|uses| uses.hit());
                            Ok(ToLoad {
                                image: Arc::clone(image),
                                sources: *sources,
                                cached: uses.cloned(),
                            })
                        }
                        Some(what) => Err(Error::refused(
                            &call.kernel,
                            LaunchError::MissingExtension {
                                file: key
                                    .kernel_of_module()
                                    .and_then(|kernel| owner.file(kernel))
                                    .map(Path::to_owned),
                                what,
                            },
                        )),
                    })?;
                let chosen = Self {
                    loaded,
                    block: stated,
                    choice: call.choice.clone(),
                    was_there,
                };
                return Ok((state, chosen));
            }
        };
        let Pick { block, staged } = match like.block.filter(|_| stated.is_none()) {
            Some(groups) => Pick::of(kernel, groups, device)?,
            None => Pick::default(),
        };
        let launches = Launches { block, ..like };
        let key = Key::Kernel(kernel.id(), launches);
        let (state, loaded, was_there) = on_device(device, key, || {
            compiled(call, kernel, launches, device, staged)
        })?;
        let has_choice = stated.is_none() && loaded.image.groups.is_some();
        let choice =
            has_choice.then(|| Choice::for_launch(block, state.images.of_kernel(kernel.id())));
        let chosen = Self {
            loaded,
            block: block.or(stated),
            choice,
            was_there,
        };
        Ok((state, chosen))
    }
}

/// Which image of a kernel of this program a launch takes, before it is made.
#[derive(Default)]
struct Pick {
    /// The groups that it is for; of any size if there are none.
    block: Option<[u32; 3]>,
    /// The kernel, if it had to be staged to tell.
    staged: Option<Function>,
}

impl Pick {
    /// For a launch with these groups. Whether the kernel uses groups is known from its other images, or else from
    /// what it stages, so that nothing is compiled in vain.
    fn of(kernel: &KernelEntry, groups: [u32; 3], device: &Device) -> Result<Self> {
        let for_size = |uses_groups: bool| uses_groups.then_some(groups);
        let on_device = {
            let state = device.state();
            let is_there = |block| {
                let launches = Launches {
                    block,
                    ..Launches::USUAL
                };
                state.images.get(&Key::Kernel(kernel.id(), launches))
            };
            let sizes = state.images.sizes_of_kernel(kernel.id());
            match is_there(Some(groups)) {
                Some(_) => Some(true),
                None if sizes >= MOST_SIZES => Some(false),
                None if sizes != 0 => Some(true),
                None => is_there(None).map(|loaded| loaded.image.groups.is_some()),
            }
        };
        if let Some(uses_groups) = on_device.or_else(|| registry().uses_groups(kernel)) {
            let block = for_size(uses_groups);
            return Ok(Self {
                block,
                staged: None,
            });
        }
        let staged = compile::staged(kernel.shared_name(), device.is_for_debugger(), || {
            kernel.stage()
        })?;
        Ok(Self {
            block: for_size(GroupUse::of(&staged).is_some()),
            staged: Some(staged),
        })
    }
}

/// The image of a kernel of this program for these launches.
fn compiled(
    call: &Call,
    kernel: &KernelEntry,
    launches: Launches,
    device: &Device,
    staged: Option<Function>,
) -> Result<ToLoad> {
    let usual = device.options(&call.attributes);
    let options = Options {
        known: Specialization {
            block: launches.block.or(usual.known.block),
            ..usual.known
        },
        launch_tests: match launches.are_usual {
            true => usual.launch_tests,
            false => LaunchTests::ByHost,
        },
        room: launches.room,
        ..usual
    };
    let (image, cached) = registry().image_of_staged(kernel, device.target(), options, staged)?;
    Ok(ToLoad {
        image,
        sources: Sources::Program,
        cached: Some(cached),
    })
}

/// An image that is on the device, or is brought there; whether it was there.
fn on_device<'d>(
    device: &'d Device,
    key: Key,
    image: impl FnOnce() -> Result<ToLoad>,
) -> Result<(MutexGuard<'d, State>, Arc<Loaded>, bool)> {
    let state = device.state();
    if let Some(loaded) = state.images.get(&key) {
        return Ok((state, loaded, true));
    }
    drop(state);
    let image = image()?;
    let mut state = device.state();
    // Another thread can have been faster.
    if let Some(loaded) = state.images.get(&key) {
        return Ok((state, loaded, false));
    }
    // Nothing runs on the device while it is locked.
    if let Some(oldest) = state.images.make_room(most_images()) {
        state.driver.free(oldest.addr);
    }
    let loaded = Arc::new(loading::load(&mut state, image)?);
    state.images.insert(key, Arc::clone(&loaded));
    Ok((state, loaded, false))
}
