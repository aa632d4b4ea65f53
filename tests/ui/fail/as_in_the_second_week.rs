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

#[vortex::device]
fn luma(r: f32, g: f32, b: f32) {
    0.2 * r + 0.7 * g + 0.1 * b
}

#[vortex::kernel]
fn grey(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = luma(x[i], x[i], x[i]);
}

fn main() {}

// Mistakes: 3
