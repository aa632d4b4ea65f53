use vortex::prelude::*;

#[vortex::kernel]
fn median(#[comptime] n: usize, x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let mut window = [0.0f32; n];
    for k in 0..n {
        window[k] = x[i + k];
    }
    out[i] = window[n / 2];
}

fn main() {}
