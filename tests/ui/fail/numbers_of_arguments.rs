// Mistakes: 6

use vortex::prelude::*;

#[vortex::kernel]
fn of_numbers(lo: f32, x: &mut [f32]) {
    let i = global_id();
    x[i] = x[i].clamp(lo);
}

#[vortex::kernel]
fn of_one_without(x: &mut [f32]) {
    let i = global_id();
    x[i] = x[i].sqrt(2.0);
}

#[vortex::kernel]
fn of_slices(x: &mut [f32]) {
    let (a, b) = x.split_at_mut();
    a[0] = b[0];
}

#[vortex::kernel]
fn of_vectors(x: &mut [Vec4<f32>]) {
    let i = global_id();
    x[i] = vec4(x[i].xyz(), 1.0);
}

#[vortex::kernel]
fn of_tuples(x: &mut [f32]) {
    let i = 3 * global_id();
    let (a, b, c) = (x[i], x[i + 1]);
    x[i] = a * b + c;
}

#[vortex::device]
fn typeless(a: f32, b) -> f32 {
    a * b
}

#[vortex::kernel]
fn calls(x: &mut [f32]) {
    let i = global_id();
    x[i] = typeless(x[i], 2.0);
}

fn main() {}
