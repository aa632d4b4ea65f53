use vortex::prelude::*;

#[vortex::device]
fn square(x: f32) -> f32 {
    x * x
}

#[vortex::device]
fn at(x: &[f32], k: usize) -> f32 {
    x[k]
}

#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let i = global_id();
    x[i] = square(x[i], 2.0);
    x[0] = at(x);
}

fn main() {}

// Mistakes: 2
