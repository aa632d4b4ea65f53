use vortex::prelude::*;

#[vortex::kernel]
fn sqrt_of_u32(n: u32, y: &mut [f32]) {
    y[0] = n.sqrt() as f32;
}

#[vortex::kernel]
fn neg_of_u32(n: u32, y: &mut [i32]) {
    y[0] = (-n) as i32;
}

#[vortex::kernel]
fn not_f32(x: f32, y: &mut [f32]) {
    y[0] = !x;
}

#[vortex::kernel]
fn pow_of_f32(y: &mut [f32]) {
    let i = global_id();
    y[i] = y[i].pow(2);
}

#[vortex::kernel]
fn abs_u32(n: u32, y: &mut [u32]) {
    y[0] = n.abs();
}

#[vortex::kernel]
fn floor_int(n: i32, y: &mut [i32]) {
    y[0] = n.floor();
}

#[vortex::kernel]
fn count_ones_f32(x: f32, y: &mut [u32]) {
    y[0] = x.count_ones();
}

#[vortex::kernel]
fn wrapping_f32(x: f32, y: &mut [f32]) {
    y[0] = x.wrapping_add(1.0);
}

fn main() {}

// Mistakes: 8
