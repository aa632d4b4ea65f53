use vortex::prelude::*;

#[vortex::kernel]
fn moved(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i].x = x[i].0;
    y[i] = x[i + 1].y;
}

fn main() {}

// Mistakes: 3
