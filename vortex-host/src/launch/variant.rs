//! The image that a launch runs.
//!
//! A kernel of this program that uses groups is compiled for the groups that a launch has, so that their size is
//! known to the code: one image for each of the first few sizes beside the one for groups of any size.

use std::path::Path;
use std::sync::{Arc, MutexGuard};

use vortex_kernel::codegen::Specialization;

use super::call::{Call, Source};
use crate::device::{Device, State};
use crate::error::{Error, LaunchError, Result};
use crate::image::choice::Choice;
use crate::image::describe::missing;
use crate::image::{Loaded, ToLoad};
use crate::loading;
use crate::registry::{KernelEntry, most_images, registry};
use crate::resident::Key;
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
}

impl Chosen {
    /// The image for a launch with these groups, if it has any; compiled and loaded if it is not there yet. Others
    /// can use the device while it is compiled.
    pub(super) fn of<'d>(
        call: &Call,
        groups: Option<[u32; 3]>,
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
                let (state, loaded) =
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
                        Some(what) => Err(Error::Refused {
                            kernel: call.kernel.clone(),
                            cause: LaunchError::MissingExtension {
                                file: key
                                    .kernel_of_module()
                                    .and_then(|kernel| owner.file(kernel))
                                    .map(Path::to_owned),
                                what,
                            },
                        }),
                    })?;
                let chosen = Self {
                    loaded,
                    block: stated,
                    choice: call.choice.clone(),
                };
                return Ok((state, chosen));
            }
        };
        let for_groups = |block: Option<[u32; 3]>| {
            on_device(device, Key::Kernel(kernel.id(), block), || {
                compiled(call, kernel, block, device)
            })
        };
        let (mut state, mut loaded) = for_groups(None)?;
        let mut block = None;
        let has_choice = stated.is_none() && loaded.image.groups.is_some();
        if let Some(wanted) = groups.filter(|_| has_choice) {
            let is_there = state.images.has(&Key::Kernel(kernel.id(), groups));
            if is_there || state.images.of_kernel(kernel.id()) <= MOST_SIZES {
                drop(state);
                (state, loaded) = for_groups(groups)?;
                block = Some(wanted);
            }
        }
        let choice =
            has_choice.then(|| Choice::for_launch(block, state.images.of_kernel(kernel.id())));
        let chosen = Self {
            loaded,
            block: block.or(stated),
            choice,
        };
        Ok((state, chosen))
    }
}

/// The image of a kernel of this program for these groups.
fn compiled(
    call: &Call,
    kernel: &KernelEntry,
    block: Option<[u32; 3]>,
    device: &Device,
) -> Result<ToLoad> {
    let mut options = device.options(&call.attributes);
    options.known = Specialization {
        block: block.or(options.known.block),
        ..options.known
    };
    let (image, cached) = registry().image(kernel, device.target(), options)?;
    Ok(ToLoad {
        image,
        sources: Sources::Program,
        cached: Some(cached),
    })
}

/// An image that is on the device, or is brought there.
fn on_device<'d>(
    device: &'d Device,
    key: Key,
    image: impl FnOnce() -> Result<ToLoad>,
) -> Result<(MutexGuard<'d, State>, Arc<Loaded>)> {
    let state = device.state();
    if let Some(loaded) = state.images.get(&key) {
        if let Some(cached) = &loaded.cached {
            cached.hit();
        }
        return Ok((state, loaded));
    }
    drop(state);
    let image = image()?;
    let mut state = device.state();
    // Another thread can have been faster.
    if let Some(loaded) = state.images.get(&key) {
        return Ok((state, loaded));
    }
    // Nothing runs on the device while it is locked.
    if let Some(oldest) = state.images.make_room(most_images()) {
        state.driver.free(oldest.addr);
    }
    let loaded = Arc::new(loading::load(&mut state, image)?);
    state.images.insert(key, Arc::clone(&loaded));
    Ok((state, loaded))
}
