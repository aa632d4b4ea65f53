//! What lanes cannot combine.

use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Body {
    mass: f32,
    age: u32,
}

#[vortex::kernel]
fn bodies(x: &mut [Body]) {
    let i = global_id();
    x[i] = warp::reduce_add(x[i]);
}

#[vortex::kernel]
fn flags(x: &mut [bool]) {
    let i = global_id();
    x[i] = group::reduce_max(x[i]);
}

#[vortex::kernel]
fn bits(x: &mut [f32]) {
    let i = global_id();
    x[i] = warp::inclusive_xor(x[i]);
}

#[vortex::kernel]
fn slice(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let theirs = warp::broadcast(x);
    out[i] = theirs[i];
}

fn main() {}

// Mistakes: 4
