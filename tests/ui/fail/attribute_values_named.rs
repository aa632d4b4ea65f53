use vortex::prelude::*;

const TILE: usize = 64;
const LANES: f32 = 4.0;

#[vortex::kernel(block = (TILE, TILE))]
fn too_large(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(block = (TILE, LANES))]
fn no_number(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(vec_hint = String)]
fn no_scalar(out: &mut [u32]) {
    out[global_id()] = 1;
}

fn main() {}

// Mistakes: 3
