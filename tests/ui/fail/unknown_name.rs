use vortex::prelude::*;

#[vortex::kernel]
fn scale(alpha: f32, x: &mut [f32]) {
    let index = global_id();
    x[index] = alhpa * x[inde];
}

fn main() {}

// Mistakes: 2
