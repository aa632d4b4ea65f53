use vortex::prelude::*;

#[vortex::kernel]
fn apply(f: impl Fn(f32) -> f32, y: &mut [f32]) {
    let i = global_id();
    y[i] = f(y[i]);
}

#[vortex::kernel]
fn sums(x: impl Iterator<Item = f32>, y: &mut [f32]) {
    y[global_id()] = x.sum();
}

#[vortex::device]
fn total(x: impl Iterator<Item = f32>) -> f32 {
    x.sum()
}

#[vortex::device]
fn scaled(a: f32) -> impl Fn(f32) -> f32 {
    move |x| a * x
}

#[vortex::device]
fn twice(f: &dyn Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

#[vortex::device]
fn double(x: impl Num) -> f32 {
    1.0
}

fn main() {}

// Mistakes: 6
