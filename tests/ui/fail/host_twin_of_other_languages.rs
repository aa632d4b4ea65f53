use vortex::prelude::*;

// The kernel's two forms have one mistake.
#[vortex::kernel(host)]
fn cubes(x: &mut [f32]) {
    let i = ABSOLUTE_POS;
    if i < x.len() {
        x[UNIT_POS] = fmaf(x[i], 2.0, CUBE_DIM as f32);
    }
    let n = UNIT_POS + 1;
    x[n] = sqrtf(x[n]) + 1.0;
    __syncthreads();
}

// What the user declares is found first, by both forms.
const PLANE_DIM: usize = 32;

#[vortex::device(host)]
fn fmaf(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

#[vortex::kernel(host)]
fn own(x: &mut [f32]) {
    x[global_id()] = fmaf(x[PLANE_DIM], 2.0, 1.0);
}

fn main() {}

// Mistakes: 5
