//! Texels that are written where they are only read, or as if they were elements.

use vortex::prelude::*;

#[vortex::kernel]
fn shared(image: &Texture<f32>) {
    image.write(0, 0, 1.0);
}

#[vortex::device]
fn clear(image: &Texture<f32, 3>) {
    let same = image;
    same.write(0, 0, 0, 0.0);
}

#[vortex::kernel]
fn indexed(image: &mut Texture<f32>) {
    image[0] = 1.0;
}

#[vortex::kernel]
fn assigned(image: &mut Texture<f32>) {
    image = 1.0;
}

fn main() {}

// Mistakes: 4
