use vortex::prelude::*;

#[vortex::kernel]
fn lengths(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.length {
        y[i] = x[i];
    }
    if i < x.size() {
        y[i] = 1.0;
    }
}

#[vortex::kernel]
fn two_dimensions(x: &[f32], y: &mut [f32]) {
    let (i, j) = global_id_2d();
    let v = x[i][j];
    y[j][i] = v;
    y[0] = x[-1];
    y[1] = x[i + 1][j];
    y[2] = y[-2];
}

#[vortex::kernel]
fn lanes_have_one_dimension(y: &mut [u32]) {
    y[0] = lane_id().x as u32;
}

fn main() {}

// Mistakes: 9
