use vortex::prelude::*;

#[vortex::kernel]
fn gather(indices: &[u32], x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = x[indices[i]];
}

#[vortex::kernel]
fn half(out: &mut [f32]) {
    out[1.5] = 0.0;
}

fn main() {}

// Mistakes: 2
