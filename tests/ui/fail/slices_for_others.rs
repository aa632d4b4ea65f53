//! Slices for what a function writes to, and for those of other elements.

use vortex::prelude::*;

#[vortex::device]
fn fill(part: &mut [f32], v: f32) {
    for k in 0..part.len() {
        part[k] = v;
    }
}

#[vortex::device]
fn total(x: &[u32]) -> u32 {
    x.iter().sum()
}

#[vortex::kernel]
fn for_slices(x: &[f32], out: &mut [f32], sums: &mut [u32]) {
    fill(x, 1.0);
    fill(&out[0..4], 1.0);
    sums[0] = total(x);
}

fn main() {}

// Mistakes: 3
