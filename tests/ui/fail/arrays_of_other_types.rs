//! Arrays of another length or with elements of several types, and what stands in for an option's value.

use vortex::prelude::*;

#[vortex::device]
fn corners(x: f32, y: f32) -> [f32; 4] {
    [x, y, x + 1.0]
}

#[vortex::device]
fn sum(x: [f32; 4]) -> f32 {
    x[0] + x[3]
}

#[vortex::kernel]
fn arrays(x: &[f32], counts: &[u32], out: &mut [f32]) {
    let i = global_id();
    let mixed = [x[i], i as u32, 0.0];
    out[i] = sum([x[i], 1.0, 2.0]) + mixed[0];
    out[i] += counts.get(i).copied().unwrap_or(-1.0) as f32;
}

fn main() {}

// Mistakes: 4
