use vortex::prelude::*;

#[vortex::kernel]
fn moved(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i].x = x[i].0;
    y[i] = x[i + 1].y;
}

#[vortex::kernel]
fn half_typed(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let v = x[i].
    out[i] = v;
}

fn main() {}

// Mistakes: 4
