// Mistakes: 3
use vortex::prelude::*;

#[vortex::kernel]
fn lengths(x: &mut [f32], n: &mut [u32]) {
    let i = global_id();
    x[i] = f32::sqr(x[i]);
    x[i] = f32::atan_2(x[i], 1.0);
    n[i] = u32::count_one(n[i]);
}

fn main() {}
