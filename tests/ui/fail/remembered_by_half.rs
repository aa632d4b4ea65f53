// As remembered by half: a `&` that is written through, a sorted `&`, `Some` for a value, steps down, a first value of
// another type, an option of nothing.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    at: f32,
    speed: f32,
}

#[vortex::kernel]
fn stop(balls: &mut [Ball]) {
    let i = global_id();
    let ball = &balls[i];
    ball.speed = 0.0;
}

#[vortex::kernel]
fn median(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let part = &x[i..i + 3];
    part.sort();
    out[i] = part[1];
}

#[vortex::kernel]
fn option(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = Some(x[i]);
}

#[vortex::kernel]
fn backwards(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for k in (0..10).step_by(-1) {
        sum += x[k];
    }
    out[global_id()] = sum;
}

#[vortex::kernel]
fn next(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = x.get(i + 1).map_or(0, |v| v * 2.0);
}

#[vortex::kernel]
fn reset<T: Copy>(x: &mut [T]) {
    let i = global_id();
    x[i] = 0;
}

#[vortex::kernel]
fn around(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    for d in [-1, 0, 1] {
        out[i] += x[i + d];
    }
}

#[vortex::kernel]
fn rows(out: &mut [f32]) {
    let rows = malloc(16);
    out[0] = rows[0];
}

#[vortex::device]
fn root(v: f32) -> Option {
    if v < 0.0 { None } else { Some(v.sqrt()) }
}

#[vortex::kernel]
fn arms(x: &[f32], out: &mut [u32]) {
    let i = global_id();
    out[i] = if x[i] < 0.0 {
        0;
    } else {
        1
    };
}

#[vortex::kernel]
fn products(x: &[f32], y: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for (a, b) in (x, y) {
        sum += a * b;
    }
    out[global_id()] = sum;
}

#[vortex::kernel]
fn search(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let mut k = i;
    let found = loop {
        if x[k] == 0 {
            break;
        }
        k += 1;
    };
    out[i] = found;
}

#[vortex::kernel]
fn texels(image: &Texture<f32>, out: &mut [f32]) {
    let i = global_id();
    out[i] = image.read(i);
    out[i] += image.sample(0.5, 0.5, 0.0);
    out[i] += image.depth() as f32;
}

fn main() {}

// Mistakes: 15
