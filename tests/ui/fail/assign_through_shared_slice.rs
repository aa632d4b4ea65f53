use vortex::prelude::*;

#[vortex::kernel]
fn copy(from: &[f32], to: &[f32]) {
    let i = global_id();
    to[i] = from[i];
    to[i] += 1.0;
}

fn main() {}

// Mistakes: 2
