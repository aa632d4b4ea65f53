//! What is known when a kernel is compiled, and what is not.

use vortex::prelude::*;

#[vortex::kernel]
fn of_memory(#[comptime] x: &[f32], y: &mut [f32]) {
    y[0] = x[0];
}

#[vortex::kernel]
fn changed(#[comptime] n: usize, y: &mut [f32]) {
    n = 3;
    y[n] = 1.0;
}

#[vortex::kernel]
fn mutable(#[comptime] mut n: usize, y: &mut [f32]) {
    y[n] = 1.0;
}

#[vortex::kernel]
fn of_a_runtime_value(n: usize, y: &mut [f32]) {
    for k in comptime!(0..n) {
        y[k] = 1.0;
    }
    let i = global_id();
    let half = comptime!(i / 2);
    y[half] = 1.0;
    comptime! {
        assert!(y.len() > 3);
    }
}

#[vortex::kernel]
fn guarded(#[comptime] n: usize, y: &mut [f32]) {
    let i = global_id();
    y[i] = match n {
        1 if i > 3 => 1.0,
        _ => 2.0,
    };
}

#[vortex::device]
fn function(#[comptime] mut n: usize, #[comptime] x: &[u32]) -> usize {
    n
}

#[vortex::kernel]
fn with_arguments(#[comptime(n)] n: usize, y: &mut [f32]) {
    y[n] = 1.0;
}

#[vortex::kernel]
fn by_reference(#[comptime] n: &usize, y: &mut [f32]) {
    y[0] = *n as f32;
}

fn main() {}

// Mistakes: 11
