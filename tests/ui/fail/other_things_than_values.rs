//! What the macro knows to be no value, or to have another number of arguments or parts.

use vortex::prelude::*;

#[vortex::kernel]
fn memory(out: &mut [u32]) {
    let sum = local::<u32>();
    let tile: [f32; 64] = local();
    out[0] = sum;
    out[1] = sum * 2;
}

#[vortex::kernel]
fn tuples(width: usize, out: &mut [u32]) {
    let x = global_id_2d();
    if x < width {
        out[x] = 1;
    }
    let p = global_id_2d();
    out[0] = p.2 as u32;
}

#[vortex::kernel]
fn arguments(a: &Tensor<f32>, out: &mut [f32]) {
    let i = global_id(0);
    let len = out.len();
    let f = |a: f32, b: f32| a * b;
    out[i] = f(out[i]) + a.read(i);
    if i < len() {
        out[i] = 0.0;
    }
}

#[vortex::kernel]
fn vectors(p: &mut [Vec3<f32>]) {
    let i = global_id();
    p[i] = vec3(i, 0.0, 1.0);
    p[i].x = p[i].w;
}

#[vortex::kernel]
fn elements(bins: &mut [u32], x: &[f32], bytes: &[u8], out: &mut [f32]) {
    let i = global_id();
    bins[i].atomic().fetch_add(1, Relaxed);
    let bits = x[i] >> 3;
    let odd = bytes.iter().filter(|v| *v % 2).count();
    let sum = bytes.iter().sum::<u32>();
    let mut best = None;
    best = x[i];
    out[i] = sum as f32;
}

#[vortex::kernel]
fn value_at_the_end(x: &[f32], out: &mut [f32]) {
    out[0] = x[0];
    out[0] * 2.0
}

fn main() {}

// Mistakes: 17
