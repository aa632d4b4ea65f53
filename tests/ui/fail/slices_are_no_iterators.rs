//! Methods of iterators on slices, tuples as indices, methods without a call, and names that nothing has.

use vortex::prelude::*;

#[vortex::kernel]
fn mapped(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = x.map(|v| v * 2.0).sum();
}

#[vortex::kernel]
fn largest(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i] = *x.max().unwrap();
}

#[vortex::kernel]
fn tuple(out: &mut [f32]) {
    let (x, y) = global_id_2d();
    out[(y, x)] = 1.0;
}

#[vortex::kernel]
fn not_called(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let o = x.get(i + 1);
    if o.is_some {
        out[i] = 1.0;
    }
}

#[vortex::kernel]
fn dimension(out: &mut [f32]) {
    let at = global_id_2d(0);
    out[at] = 1.0;
}

#[vortex::kernel]
fn unknown(out: &mut [f32]) {
    let i = global_id();
    out[i] = *val;
}

fn main() {}

// Mistakes: 6
