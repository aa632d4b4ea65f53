// Mistakes: 8
use vortex::prelude::*;

#[vortex::kernel]
fn k(x: &[f32], counts: &[u32], out: &mut [f32]) {
    let i = global_id();
    if !(i & 1) {
        out[i] = x[i] * (x[i] > 0.0);
    }
    if 0 < i && i + 1 < x.len() {
        out[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    }
    let more = counts[i] + (counts[i] > 3);
    out[i] += more as f32;
}

#[vortex::kernel]
fn shade(out: &mut [Vec3<f32>]) {
    let N = 4;
    static mut TILE: [u32; 32] = [0; 32];
    out[global_id()] = vec3(0.5);
}

#[vortex::kernel]
fn energy(masses: &[f32], speeds: &[f32], out: &mut [f32]) {
    out[0] = masses.par_iter().zip(speeds).map(|(m, v)| 0.5 * m * v * v).sum();
}

fn main() {}
