use vortex::prelude::*;

const HALF: f64 = 0.5;

#[vortex::kernel]
fn halve(x: &mut [f32]) {
    let i = global_id();
    x[i] = HALF * x[i];
}

fn main() {}
