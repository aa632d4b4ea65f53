use vortex::prelude::*;

#[vortex::kernel]
fn cubes(x: &mut [f32]) {
    if ABSOLUTE_POS < x.len() {
        x[UNIT_POS] = 1.0;
    }
    x[CUBE_POS_X] = CUBE_DIM_X as f32 + CUBE_DIM as f32;
    let n = CUBE_COUNT_Y + PLANE_DIM;
    x[n] = UNIT_POS_PLANE as f32 * 2.0;
}

// What the user declares is found first, also in a glob.
mod sizes {
    pub const CUBE_DIM: usize = 64;
}
use sizes::*;
const PLANE_POS: usize = 3;

#[vortex::kernel]
fn own(x: &mut [f32]) {
    x[PLANE_POS] = 1.0;
}

fn main() {}

// Mistakes: 7
