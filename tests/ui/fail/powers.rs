use vortex::prelude::*;

#[vortex::kernel]
fn powers(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[0] = x[i] ^ 2.0;
    y[1] = (x[i] + 1.0) ^ 0.5;
    y[2] = x[i] ^ 2;
    y[3] = -x[i] ^ i;
    y[4] = x[i] ^ x[0];
    y[5] = (x[i] as u32 ^ 2.0) as f32;
    y[6] = (n ^ 0.5) as f32;
}

fn main() {}

// Mistakes: 7
