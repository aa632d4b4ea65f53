//! Tuples of another length than what they are taken from, and of what is none.

use vortex::prelude::*;

#[vortex::device]
fn ends(x: &[f32]) -> (f32, f32) {
    (x[0], x[x.len() - 1])
}

#[vortex::kernel]
fn taken_apart(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let (first, last, _) = ends(x);
    let (re, im) = x[i];
    out[i] = first + last + re + im;
}

fn main() {}

// Mistakes: 2
