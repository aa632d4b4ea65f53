use vortex::prelude::*;

#[vortex::kernel]
fn rows(width: usize, out: &mut [f32]) {
    let row = global_id();
    let part = &out[row * width..(row + 1) * width];
    part[0] = 1.0;
}

fn main() {}

// Mistakes: 1
