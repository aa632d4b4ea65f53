//! Tensors: elements, tiles, circular buffers, products, shards, against plain Rust; and how launches and the host see
//! them.

mod elements;
mod launches;
mod mistakes;
mod products;
mod shards;

use vortex::Device;

/// A device with room for groups of 64 work items.
fn device() -> Device {
    Device::builder()
        .cores(1)
        .warps(8)
        .threads(8)
        .open()
        .unwrap()
}
