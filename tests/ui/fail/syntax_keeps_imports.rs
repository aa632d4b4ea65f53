//! A body that does not parse uses what is imported for it, all the same.

#![deny(unused_imports)]

use vortex::prelude::*;

#[vortex::kernel]
fn half_written(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let v = x[i] * 2.0
    out[i] = v;
}

fn main() {}
