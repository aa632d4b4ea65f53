//! The image that a launch runs.
//!
//! A kernel of this program that uses groups is compiled for the groups that a launch has, so that their size is known to the code:
//! one image for each of the first few sizes beside the one for groups of any size.

use std::sync::{Arc, MutexGuard};

use vortex_kernel::codegen::{Image, Known};

use super::run::{Call, Key, Source};
use crate::device::{Device, State};
use crate::error::{Error, Result};
use crate::image::{self, Loaded};
use crate::module::{Choice, missing};
use crate::registry::{Cached, EntryId, KernelEntry, registry};

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
    /// The image for a launch with these groups, if it has any; compiled and loaded if it is not there yet. Others can use the device
    /// while it is compiled.
    pub(super) fn of<'d>(
        call: &Call,
        groups: Option<[u32; 3]>,
        device: &'d Device,
    ) -> Result<(MutexGuard<'d, State>, Self)> {
        let stated = call.attributes.block;
        let kernel = match &call.source {
            Source::Kernel(kernel) => kernel,
            Source::Image { key, image, .. } => {
                let (state, loaded) =
                    on_device(device, *key, || match missing(image, device.target()) {
                        None => Ok((Arc::clone(image), None)),
                        Some(what) => Err(Error::MissingExtension {
                            kernel: call.kernel,
                            what,
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
            let is_there = state.images.contains_key(&Key::Kernel(kernel.id(), groups));
            if is_there || images(&state, kernel.id()) <= MOST_SIZES {
                drop(state);
                (state, loaded) = for_groups(groups)?;
                block = Some(wanted);
            }
        }
        let choice = has_choice.then(|| Choice::for_launch(block, images(&state, kernel.id())));
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
) -> Result<(Arc<Image>, Option<Arc<Cached>>)> {
    let mut options = device.options(&call.attributes);
    options.known = Known {
        block: block.or(options.known.block),
        ..options.known
    };
    let (image, cached) = registry().image(kernel, device.target(), options)?;
    Ok((image, Some(cached)))
}

/// How many images of a kernel a device has.
fn images(state: &State, kernel: EntryId) -> usize {
    let keys = state.images.keys();
    keys.filter(|key| matches!(key, Key::Kernel(other, _) if *other == kernel))
        .count()
}

/// An image that is on the device, or is brought there.
fn on_device<'d>(
    device: &'d Device,
    key: Key,
    image: impl FnOnce() -> Result<(Arc<Image>, Option<Arc<Cached>>)>,
) -> Result<(MutexGuard<'d, State>, Arc<Loaded>)> {
    let state = device.state();
    if let Some(loaded) = state.images.get(&key) {
        if let Some(cached) = &loaded.cached {
            cached.hit();
        }
        let loaded = Arc::clone(loaded);
        return Ok((state, loaded));
    }
    drop(state);
    let (image, cached) = image()?;
    let mut state = device.state();
    // Another thread can have been faster.
    let loaded = match state.images.get(&key) {
        Some(loaded) => Arc::clone(loaded),
        None => Arc::new(image::load(&mut state, image, cached)?),
    };
    state.images.insert(key, Arc::clone(&loaded));
    Ok((state, loaded))
}
