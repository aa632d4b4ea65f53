//! Textures: what is sampled against a reference in `f64`, and all else that can be done with them.

#![allow(clippy::unwrap_used)]

mod costs;
mod launches;
mod oracle;
mod samples;
mod texels;

use std::sync::LazyLock;

use vortex::prelude::*;

/// Devices of several shapes.
static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(|| {
    let shapes = [
        (2, 4, 8, true),
        (1, 1, 1, true),
        (1, 4, 4, false),
        (4, 8, 32, true),
    ];
    let open = |(cores, warps, threads, zicond)| {
        let builder = Device::builder();
        let builder = builder.cores(cores).warps(warps).threads(threads);
        builder.zicond(zicond).open().unwrap()
    };
    shapes.map(open).into()
});
