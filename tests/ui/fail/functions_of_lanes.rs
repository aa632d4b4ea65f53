// Functions that other languages have for warps and groups, sums of `bool`s, and lanes of another type.

use vortex::prelude::*;

#[vortex::kernel]
fn synchronised(x: &mut [f32]) {
    let tile = local::<[f32; 64]>();
    tile[local_id()] = x[global_id()];
    warp::sync();
    x[global_id()] = tile[0];
}

#[vortex::kernel]
fn sums(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = warp::sum(x[i]);
}

#[vortex::kernel]
fn shared(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = group::broadcast(x[i]);
}

#[vortex::kernel]
fn counts(x: &[f32], out: &mut [u32]) {
    let i = global_id();
    out[i] = warp::reduce_add(x[i] > 0.0);
    out[i] += group::inclusive_add(x[i] > 1.0 && x[i] < 2.0);
}

#[vortex::kernel]
fn of_the_first(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let first = warp::ballot(x[i] > 0.0).trailing_zeros();
    out[i] = warp::shuffle(x[i], first);
}

fn main() {}

// Mistakes: 6
