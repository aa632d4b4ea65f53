// Mistakes: 4
use vortex::prelude::*;

#[vortex::kernel]
fn energies(mass: f32, v: &[f32], h: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = 0.5 * mass * v[i] ^ 2.0;
    out[i] += (v[i] ^ 2.0 + h[i] ^ 2.0).sqrt();
    out[i] += v[i] ^ 3 - 1.0;
    out[i] += h[i] ^ mass;
}

fn main() {}
