//! Launches of images that have their size in them.

use vortex_kernel::codegen::Image;

use crate::driver::Caps;
use crate::error::{Error, LaunchError, Result};
use crate::extents::Extents;
use crate::name::Name;

/// Refuses a launch of an image without a launch header that is not what it runs.
pub(super) fn check(kernel: &Name, image: &Image, caps: &Caps, asked: [u32; 3]) -> Result<()> {
    if image.facts.launch_header != Some(false) {
        return Ok(());
    }
    let of_group = match image.groups {
        Some(_) => image.facts.known_block.unwrap_or([1; 3]),
        None => [1; 3],
    };
    let [x, y, z] = of_group.map(u64::from);
    let threads = u64::from(caps.harts());
    let runs = match image.facts.known_size {
        Some(size) => size.map(u64::from),
        None => [threads * x, y, z],
    };
    let asked = asked.map(u64::from);
    match runs == asked {
        true => Ok(()),
        false => Err(Error::refused(
            kernel,
            LaunchError::BareSize {
                runs: Extents(runs),
                asked: Extents(asked),
            },
        )),
    }
}
