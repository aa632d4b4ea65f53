use vortex::prelude::*;

#[vortex::kernel]
fn ids(x: &mut [f32]) {
    let i = global_id(0);
    let (column, row, plane) = global_id_2d();
    x[global_id_2d()] = 0.0;
}

fn main() {}

// Mistakes: 3
