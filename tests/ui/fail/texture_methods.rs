//! Coordinates and texels of the wrong kind.

use vortex::prelude::*;

#[vortex::kernel]
fn integers_to_sample(image: &Texture<f32>, out: &mut [f32]) {
    let (x, y) = global_id_2d();
    out[x] = image.sample(x, y);
}

#[vortex::kernel]
fn an_integer_literal(image: &Texture<f32>, out: &mut [f32]) {
    out[0] = image.sample(0.5, 1);
}

#[vortex::kernel]
fn floats_to_read(image: &Texture<f32>, out: &mut [f32]) {
    out[0] = image.read(0.5, 0.5);
}

#[vortex::kernel]
fn too_few(image: &Texture<f32, 3>, out: &mut [f32]) {
    out[0] = image.sample(0.5, 0.5);
}

#[vortex::kernel]
fn too_many(image: &Texture<f32>, out: &mut [f32]) {
    out[0] = image.read(1, 2, 3);
}

#[vortex::kernel]
fn other_texel(image: &mut Texture<Vec4<u8>>) {
    image.write(0, 0, vec4(1.0, 0.0, 0.0, 1.0));
}

#[vortex::kernel]
fn depth_of_two_axes(image: &Texture<f32>, out: &mut [u32]) {
    out[0] = image.depth() as u32;
}

fn main() {}

// Mistakes: 9
