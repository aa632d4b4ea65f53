use vortex::prelude::*;

#[vortex::device]
fn pair(a: f32, b: f32) -> &[f32] {
    let both = [a, b];
    &both
}

#[vortex::kernel]
fn seconds(x: &mut [f32]) {
    let i = global_id();
    x[i] = pair(x[i], 1.0)[1];
}

fn main() {}
