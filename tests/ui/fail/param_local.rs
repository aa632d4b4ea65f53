//! Local memory as a parameter: by `&mut`, of no known length; the host passes a length.

use vortex::prelude::*;

#[vortex::kernel]
fn by_value(tile: Local<[f32]>) {}

#[vortex::kernel]
fn shared(tile: &Local<[f32]>) {}

#[vortex::kernel]
fn sized(tile: &mut Local<[f32; 16]>) {}

#[vortex::kernel]
fn scalar(total: &mut Local<u32>) {}

#[vortex::kernel]
fn of_usize(tile: &mut Local<[usize]>) {}

#[vortex::kernel]
fn assigned(tile: &mut Local<[f32]>, x: &[f32]) {
    tile = x;
    *tile = 1.0;
}

#[vortex::kernel]
fn unsized_in_the_body(x: &mut [f32]) {
    let tile = local::<[f32]>();
    x[0] = tile[0];
}

fn main() {}

// Mistakes: 8
