//! Local memory passed to device functions.

use vortex::prelude::*;

#[vortex::device]
fn of_floats(tile: &mut Local<[f32; 4]>) {
    tile[0] = 1.0;
}

#[vortex::device]
fn slice(values: &mut [f32]) {
    values[0] = 1.0;
}

#[vortex::device]
fn sum(values: &[f32]) -> f32 {
    values.iter().sum()
}

#[vortex::kernel]
fn k(sized: &mut Local<[u32]>, x: &mut [f32]) {
    let other = local::<[f32; 8]>();
    of_floats(&mut other);
    slice(&mut sized);
    slice(sized);
    x[1] = sum(other);
    let part = &mut x[0][1..];
}

fn main() {}

// Mistakes: 5
