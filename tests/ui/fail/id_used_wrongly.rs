use vortex::prelude::*;

#[vortex::kernel]
fn ids(x: &mut [f32]) {
    let i = global_id(0);
    let (column, row, plane) = global_id_2d();
    x[global_id_2d()] = 0.0;
    x[global_id] = 1.0;
}

fn main() {}

// Two errors at one place: rustc says of a function that it is no value of the kernel, and no index.
// Mistakes: 4
