use std::sync::atomic::AtomicU32;

use vortex::prelude::*;

#[vortex::kernel]
fn relu(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = max(x[i], 0.0);
}

#[vortex::kernel]
fn widths(x: &[f32], y: &mut [f32]) {
    struct Range {
        low: f32,
        high: f32,
    }
    let i = global_id();
    let r = Range { low: 0.0, high: x[i] };
    y[i] = r.high - r.low;
}

#[vortex::global]
static COUNTER: AtomicU32 = AtomicU32::new(0);

fn main() {}

// Mistakes: 3
