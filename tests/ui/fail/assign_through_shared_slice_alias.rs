use vortex::prelude::*;

#[vortex::kernel]
fn copy(from: &[f32], to: &[f32]) {
    let i = global_id();
    let target = to;
    target[i] = from[i];
}

fn main() {}
