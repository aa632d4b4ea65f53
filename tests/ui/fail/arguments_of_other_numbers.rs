use vortex::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

#[vortex::kernel]
fn f32_max_int(y: f32, out: &mut [f32]) {
    out[0] = f32::max(y, 1);
}

#[vortex::kernel]
fn max_int_lit(y: &mut [f32]) {
    let i = global_id();
    y[i] = y[i].max(0);
}

#[vortex::kernel]
fn min_usize_u32(x: &[u32], n: u32, y: &mut [u32]) {
    let i = global_id().min(n);
    y[i] = x[i];
}

#[vortex::kernel]
fn powi_float(y: &mut [f32]) {
    y[0] = y[0].powi(2.0);
}

#[vortex::kernel]
fn powf_int(y: &mut [f32]) {
    y[0] = y[0].powf(2);
}

#[vortex::kernel]
fn fill_type(y: &mut [f32]) {
    y.fill(0);
}

#[vortex::kernel]
fn contains_float(x: &[u32], y: &mut [u32]) {
    if x.contains(&3.0) {
        y[0] = 1;
    }
}

#[vortex::kernel]
fn atomic_f32(x: f32, y: &mut [u32]) {
    y.atomic(0).fetch_add(x, Relaxed);
}

#[vortex::kernel]
fn swap_index_i32(y: &mut [f32], i: i32) {
    y.swap(i, 0);
}

#[vortex::kernel]
fn ptr_add_i32(p: *const f32, n: i32, y: &mut [f32]) {
    y[0] = unsafe { *p.add(n) };
}

#[vortex::kernel]
fn of_locals(by: i32, x: &[f32], out: &mut [i32]) {
    let i = global_id() as i32;
    out[0] = (i + by).rem_euclid(x.len());
    let j: i32 = i - 1;
    out[1] = j.wrapping_sub(x.len());
}

#[vortex::device]
fn of_arguments(a: i32, n: u32) -> i32 {
    (a + 1).max(n)
}

fn main() {}

// Mistakes: 13
