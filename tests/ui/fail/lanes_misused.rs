// Mistakes: 4
use vortex::prelude::*;

#[vortex::kernel]
fn left(x: &mut [f32]) {
    let i = global_id();
    x[i] = warp::shuffle_down(x[i], -1);
}

#[vortex::kernel]
fn means(x: &[f32], out: &mut [f32]) {
    let (sum, count) = group::reduce_add((x[global_id()], 1.0));
    out[group_id()] = sum / count;
}

#[vortex::kernel]
fn firsts(out: &mut [u32]) {
    let i = global_id();
    if i % warp_size() == 0 {
        out[i] = 1;
    }
}

#[vortex::kernel]
fn counted(out: &mut [u32]) {
    for k in range(0, out.len()) {
        out[k] = 1;
    }
}

fn main() {}
