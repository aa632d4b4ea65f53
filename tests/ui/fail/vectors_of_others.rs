// What short vectors do not have: casts, lengths of integers, products with numbers, fields for several components.

use vortex::prelude::*;

#[vortex::kernel]
fn bytes(x: &[Vec3<f32>], out: &mut [Vec3<u8>]) {
    let i = global_id();
    out[i] = (x[i] * 255.0) as Vec3<u8>;
}

#[vortex::kernel]
fn unit(x: &[Vec3<i32>], out: &mut [Vec3<f32>]) {
    let i = global_id();
    out[i] = x[i].normalize();
}

#[vortex::kernel]
fn lit(x: &[Vec3<f32>], out: &mut [f32]) {
    let i = global_id();
    out[i] = x[i].dot(1.0);
}

fn main() {}

// Mistakes: 3
