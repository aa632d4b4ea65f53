use vortex::prelude::*;

#[vortex::kernel]
fn methods(x: &mut [f32]) {
    let i = global_id();
    x[i] = x[i].max(i);
    x[i] = x[i].min(0);
}

#[vortex::kernel]
fn too_few(x: &mut [f32]) {
    let i = global_id();
    x[i] = x[i].mul_add(2.0);
}

fn main() {}

// Mistakes: 3
