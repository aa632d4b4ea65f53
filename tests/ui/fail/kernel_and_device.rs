// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
#[vortex::device]
fn double(y: &mut [f32]) {
    let i = global_id();
    y[i] *= 2.0;
}

#[vortex::device]
#[vortex::kernel]
fn halve(y: &mut [f32]) {
    let i = global_id();
    y[i] *= 0.5;
}

fn main() {}
