use vortex::prelude::*;

const HALF: f64 = 0.5;
const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.25];
const LARGE: u128 = 5;

#[vortex::kernel]
fn halve(x: &mut [f32]) {
    let i = global_id();
    x[i] = HALF * x[i];
    x[i] += WEIGHTS[i % 3];
    if x.len() as u64 > LARGE {
        x[0] = 0.0;
    }
}

fn main() {}

// Mistakes: 3
