//! An undeclared lifetime, a misspelt label, literals of two kinds in an array, and a number that a loop counts.

use vortex::prelude::*;

#[vortex::device]
fn head(x: &'a [u32], n: usize) -> &'a [u32] {
    &x[..n]
}

#[vortex::kernel]
fn labels(x: &[f32], out: &mut [f32]) {
    let weights = [0.25, 0.5f32, 1];
    'rows: for i in 0..x.len() {
        for k in 0..3 {
            if x[i] < 0.0 {
                break 'row;
            }
            out[i] += weights[k];
        }
    }
    for (v, k) in x.iter().enumerate() {
        out[k as usize] = *v as f32;
    }
}

fn main() {}

// Mistakes: 4
