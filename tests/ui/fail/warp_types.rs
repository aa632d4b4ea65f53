//! What lanes cannot pass to each other.

use vortex::prelude::*;

#[vortex::kernel]
fn wide(x: &mut [i64]) {
    let i = global_id();
    x[i] = warp::reduce_add(x[i]);
}

#[vortex::kernel]
fn half(x: &mut [f16]) {
    let i = global_id();
    x[i] = warp::broadcast(x[i]);
}

fn main() {}
