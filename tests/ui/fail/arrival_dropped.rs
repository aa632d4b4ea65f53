//! rustc says where an arrival at a barrier is not waited for at all.
#![deny(unused_must_use)]

use vortex::prelude::*;

#[vortex::kernel]
fn dropped(x: &mut [f32]) {
    barrier::arrive();
    x[global_id()] = 1.0;
}

fn main() {}
