//! What a texture is made of, and how a kernel takes it.

use vortex::prelude::*;

type Texel = i32;

#[vortex::kernel]
fn of_integers(image: &Texture<i32>, out: &mut [i32]) {
    let (x, y) = global_id_2d();
    out[x] = image.read(x, y);
}

#[vortex::kernel]
fn of_three(image: &Texture<Vec3<f32>>, out: &mut [f32]) {
    out[0] = image.sample(0.5, 0.5).x;
}

#[vortex::kernel]
fn by_value(image: Texture<f32>, out: &mut [f32]) {
    out[0] = image.sample(0.5, 0.5);
}

#[vortex::kernel]
fn of_four_axes(image: &Texture<f32, 4>, out: &mut [f32]) {
    out[0] = image.sample(0.5, 0.5);
}

#[vortex::device]
fn in_a_function(image: &Texture<f64>) -> f32 {
    image.sample(0.5, 0.5)
}

#[vortex::kernel]
fn of_an_alias(image: &Texture<Texel>, out: &mut [f32]) {
    out[0] = image.sample(0.5, 0.5);
}

fn main() {}

// Mistakes: 6
