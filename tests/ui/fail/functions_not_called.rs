use vortex::prelude::*;

#[vortex::kernel]
fn present(x: &mut [f32]) {
    x[local_id()] = 1.0;
    barrier;
    let size = local_size;
    x[global_id] = 2.0;
    let v = vec2;
}

fn main() {}

// Mistakes: 4
