use vortex::prelude::*;

#[vortex::kernel]
fn dimension(x: &mut [f32]) {
    let i = global_id(0);
    x[i] = 0.0;
}

#[vortex::kernel]
fn parts(x: &mut [f32]) {
    let (column, row, plane) = global_id_2d();
}

#[vortex::kernel]
fn index(x: &mut [f32]) {
    x[global_id_2d()] = 0.0;
}

fn main() {}

// Mistakes: 3
