use vortex::prelude::*;

#[vortex::kernel]
fn scale(alpha: f32, x: &mut [f32]) {
    let i = global_id();
    x[i] = alpha * i;
    x[i] += i;
    x[i] -= 1;
}

fn main() {}

// Mistakes: 3
