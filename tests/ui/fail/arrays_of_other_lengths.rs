use vortex::prelude::*;

#[vortex::kernel]
fn lengths(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let weights: [f32; 3] = [0.25, 0.5];
    let same: [f32; 4] = [0.25; 2];
    let rows: [[f32; 2]; 2] = [[1.0, 2.0], [3.0]];
    let mut sums = [0.0; 3];
    sums = [1.0, 2.0];
    y[i] = weights[i % 3] * x[i] + same[0] + rows[0][0] + sums[0];
}

fn main() {}

// Mistakes: 4
