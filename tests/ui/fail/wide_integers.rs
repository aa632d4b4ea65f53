//! 64-bit integers with others, and where there are none.

use vortex::prelude::*;

#[vortex::kernel]
fn mixed(a: i64, b: i32, x: &mut [i64]) {
    x[0] = a + b;
}

#[vortex::kernel]
fn as_an_index(i: u64, x: &mut [u64]) {
    x[i] = 0;
}

#[vortex::kernel]
fn of_another_width(x: &mut [u64]) {
    x[0] = global_id();
}

#[vortex::kernel]
fn counted_together(x: &mut [u64]) {
    x.atomic(0).fetch_add(1, Relaxed);
}

#[vortex::kernel]
fn as_a_float(a: i64, x: &mut [f32]) {
    x[0] = a * 0.5;
}

fn main() {}

// Mistakes: 5
