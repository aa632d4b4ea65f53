use std::cell::Cell;
use std::time::Instant;

use vortex::prelude::*;

#[vortex::kernel(block = 8, 8)]
fn tiles(x: &mut [f32]) {
    x[0] = 1.0;
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Filter {
    next: Option<u32>,
}

#[vortex::kernel]
fn names(x: &[f32], y: &mut [f32], bins: &mut [u32]) {
    let i = global_id();
    y[i] = (i as f32 * f32::PI).sin();
    y[i] = x.iter().copied().max_by(|a, b| a.partial_cmp(b)).unwrap();
    y[..4].sort_by(|a, b| b.partial_cmp(a));
    bins.atomic(i) += 1;
    let slot = y.get_mut(i);
    let start = Instant::now();
    let count = Cell::new(0);
    y[i] = warp::shuffle_down(1, x[i]);
}

fn main() {}

// Mistakes: 10
