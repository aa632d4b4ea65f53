use vortex::prelude::*;

#[vortex::device(host)]
fn sum(values: &mut Local<[f32]>, x: f32) -> f32 {
    values[local_id()] = x;
    barrier();
    warp::reduce_add(values[0])
}

#[vortex::device(host)]
fn texel(image: &Texture<f32>) -> f32 {
    image.read(0, 0)
}

fn main() {}

// Mistakes: 3
