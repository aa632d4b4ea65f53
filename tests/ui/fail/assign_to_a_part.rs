use vortex::prelude::*;

#[vortex::kernel]
fn present(x: &mut [f32], y: &[f32]) {
    x[0..4] = y[0..4];
    x[4..] = 0.0;
}

fn main() {}

// Mistakes: 2
