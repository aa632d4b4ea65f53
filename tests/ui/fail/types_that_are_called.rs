use vortex::prelude::*;

#[vortex::kernel]
fn present(n: &[u32], x: &mut [f32]) {
    x[0] = f32(n[0]);
    x[usize(n[1] + 1)] = 1.0;
}

fn main() {}

// Mistakes: 2
