//! Profiles: what they say of kernels with a known bottleneck, and the pages that show them.

#![allow(clippy::unwrap_used)]

#[path = "../browser/mod.rs"]
mod browser;
mod coarse;
mod kept_constants;
mod page;
mod rows_of_launches;
mod rows_of_weights;
#[path = "../said/mod.rs"]
mod said;
mod seeds;
mod several_exits;
mod trace;

use vortex::{Device, Generation};

/// One core of 4 warps of 4 threads.
fn small_device(generation: Generation) -> Device {
    let builder = Device::builder().cores(1).warps(4).threads(4);
    builder.generation(generation).open().unwrap()
}
