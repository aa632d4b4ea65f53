//! What is passed for local memory is its length.

use vortex::prelude::*;

#[vortex::kernel]
fn k(tile: &mut Local<[f32]>, x: &mut [f32]) {
    tile[local_id()] = x[0];
}

fn main() {
    let device = Device::open().unwrap();
    let mut x = device.upload(&[0.0f32]).unwrap();
    let mut y = device.upload(&[0.0f32]).unwrap();
    let _ = k(256, &mut x);
    let _ = k(&mut y, &mut x);
}

// Mistakes: 2
