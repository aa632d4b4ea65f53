// What is passed to a function that takes a number, and is none.

use vortex::prelude::*;

#[vortex::device]
fn scale(x: f32) -> f32 {
    x * 2.0
}

#[vortex::device]
fn power(x: f32, n: u32) -> f32 {
    let mut product = 1.0;
    for _ in 0..n {
        product *= x;
    }
    product
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    height: f32,
    speed: f32,
}

#[vortex::device]
fn root(x: f32) -> Result<f32, u32> {
    if x < 0.0 { Err(1) } else { Ok(x.sqrt()) }
}

#[vortex::kernel]
fn slices(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = scale(x);
}

#[vortex::kernel]
fn parts(y: &mut [f32]) {
    let i = global_id();
    y[i] = scale(&y[1..3]);
}

#[vortex::kernel]
fn named_parts(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let part = &x[1..3];
    y[i] = scale(part);
}

#[vortex::kernel]
fn slice_that_changes(y: &mut [f32]) {
    y[0] = scale(y);
}

#[vortex::kernel]
fn several(y: &mut [f32]) {
    y[0] = power(y, y) + 1.0;
}

#[vortex::kernel]
fn arrays(x: &[[f32; 2]], y: &mut [f32]) {
    let i = global_id();
    let a = [y[i], 2.0];
    y[i] = scale(a);
    y[i] = scale(x[i]);
}

#[vortex::kernel]
fn reference_to_an_array(y: &mut [f32]) {
    let a = [y[0], 2.0];
    y[1] = scale(&a);
}

#[vortex::kernel]
fn memory(y: &mut [f32]) {
    let tile = local::<[f32; 32]>();
    tile[local_id()] = 1.0;
    y[global_id()] = scale(&tile);
}

#[vortex::kernel]
fn structs(balls: &[Ball], y: &mut [f32]) {
    let i = global_id();
    y[i] = scale(balls[i]);
    y[i] = scale(Ball { height: 1.0, speed: 0.0 });
}

#[vortex::kernel]
fn options(y: &mut [f32]) {
    let i = global_id();
    let option = Some(y[i]);
    y[i] = scale(option);
    y[i] = scale(root(y[i]));
    let z = scale(Some(1.0)) + 1.0;
    y[i] = z.sqrt();
}

#[vortex::kernel]
fn tuples(y: &mut [f32]) {
    let i = global_id();
    let pair = (y[i], 1u32);
    y[i] = scale(pair);
    y[i] = scale((1.0, Some(y[i])));
}

#[vortex::kernel]
fn element_that_is_read(x: &[f32], y: &mut [f32]) {
    y[0] = scale(&x[1]);
}

#[vortex::kernel]
fn place_that_changes(y: &mut [f32]) {
    let mut v = y[0];
    v += 1.0;
    y[0] = scale(&mut v);
}

#[vortex::kernel]
fn textures(image: &Texture<f32, 2>, y: &mut [f32]) {
    y[global_id()] = scale(image);
}

fn main() {}

// Mistakes: 19
// Two errors at one place: rustc reports each argument where the function is named.
