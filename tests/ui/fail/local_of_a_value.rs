// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn reversed(x: &mut [f32]) {
    let tile = local([0.0f32; 64]);
    let flags = local([false; 8]);
    tile[local_id()] = x[global_id()];
    flags[local_id()] = true;
    barrier();
    x[global_id()] = tile[63 - local_id()];
}

fn main() {}
