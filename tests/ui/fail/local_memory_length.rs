use vortex::prelude::*;

#[vortex::kernel]
fn tiles(n: usize, out: &mut [f32]) {
    let tile = local::<[f32; n]>();
    tile[local_id()] = 1.0;
    out[global_id()] = tile[0];
}

fn main() {}
