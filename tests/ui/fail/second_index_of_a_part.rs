use vortex::prelude::*;

#[vortex::kernel]
fn cell(x: &[f32], y: &mut [f32]) {
    let rows = &x[4..];
    y[global_id()] = rows[1][2];
}

fn main() {}
