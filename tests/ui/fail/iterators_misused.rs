// Mistakes: 8
use vortex::prelude::*;

#[vortex::device]
fn square(x: f32) -> f32 {
    x * x
}

#[vortex::kernel]
fn positives(x: &[f32], out: &mut [u32]) {
    out[0] = x.iter().filter(|v| **v > 0.0).len() as u32;
}

#[vortex::kernel]
fn products(x: &[f32], y: &[f32], z: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for ((a, b), c) in x.iter().zip(y, z) {
        sum += a * b * c;
    }
    out[0] = sum;
    out[1] = x.iter().copied().map(square()).sum();
    out[2] = x.iter().fold(0, |sum, v| sum + v * v);
    for (i, v) in x.enumerate() {
        out[i] += v;
    }
}

#[vortex::kernel]
fn until_negative(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    x.iter().for_each(|v| {
        if *v < 0.0 {
            break;
        }
        sum += v;
    });
    out[0] = sum;
}

#[vortex::kernel]
fn gone_on_with(x: &[f32], out: &mut [f32]) {
    let mut it = x.iter();
    for i in 0..3 {
        out[i] = *it.next().unwrap();
    }
    let twice = x.iter().map(|v| v * 2.0);
    out[3] = twice.sum();
    out[4] = twice.sum();
}

fn main() {}
