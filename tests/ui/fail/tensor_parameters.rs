use vortex::prelude::*;

#[vortex::kernel]
fn values(a: Tensor<f32, 64, 64>, b: &Tensor<u8, 64, 64>, c: &Tensor<f32, 64>) {}

struct Pixel;

#[vortex::kernel]
fn other_elements(a: &Tensor<Pixel>) {}

#[vortex::kernel]
fn indexed(a: &mut Tensor<f32>) {
    a[0] = 1.0;
}

#[vortex::kernel]
fn written(a: &Tensor<f32>) {
    a.write(0, 0, 1.0);
}

fn main() {}

// Mistakes: 6
