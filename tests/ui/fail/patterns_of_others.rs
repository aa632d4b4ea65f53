//! Patterns of other types than what is matched, and a part of a slice that is not written to.

use vortex::prelude::*;

#[vortex::kernel]
fn floats(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = match x[i] {
        0 => 1.0,
        1.0 | 2 => 2.0,
        _ => 3.0,
    };
}

#[vortex::kernel]
fn integers(x: &[i32], out: &mut [u32]) {
    let i = global_id();
    out[i] = match x[i] {
        0.0..=1.0 => 0,
        _ => 2,
    };
}

#[vortex::kernel]
fn orders(x: &[f32], y: &[f32], out: &mut [i32]) {
    let i = global_id();
    out[i] = match x[i].partial_cmp(&y[i]) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    };
}

#[vortex::kernel]
fn parts(width: usize, out: &mut [f32]) {
    let row = global_id();
    let part = &out[row * width..(row + 1) * width];
    part[0] = 1.0;
}

fn main() {}

// Mistakes: 5
