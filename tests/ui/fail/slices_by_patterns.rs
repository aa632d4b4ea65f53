// Mistakes: 3
use vortex::prelude::*;

#[vortex::kernel]
fn in_a_loop(x: &[f32], y: &mut [f32]) {
    for [a, b] in x.windows(2) {
        y[0] += a * b;
    }
}

#[vortex::kernel]
fn with_numbers(x: &[f32], y: &mut [f32]) {
    for (i, [a, b]) in x.chunks_exact(2).enumerate() {
        y[i] = a - b;
    }
}

#[vortex::kernel]
fn in_a_closure(x: &[f32], y: &mut [f32]) {
    y[0] = x.windows(2).map(|[a, b]| a - b).sum();
}

fn main() {}
