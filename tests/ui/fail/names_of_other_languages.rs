use vortex::prelude::*;

#[vortex::kernel]
fn cuda(x: &mut [f32]) {
    let i = threadIdx.x + blockIdx.x * blockDim.x;
    x[i] = gridDim.x as f32;
    x[1] = warpSize as f32;
}

fn main() {}

// Mistakes: 5
