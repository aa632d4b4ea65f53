//! Floats of 16 bits where they are no numbers of the host's, either.

use vortex::prelude::*;

#[vortex::kernel]
fn literals(x: &mut [f16]) {
    x[0] = x[0] * 2.0;
}

#[vortex::kernel]
fn mixed(a: f32, x: &mut [bf16]) {
    x[0] = x[0] + a;
}

#[vortex::kernel]
fn casts(a: f32, x: &mut [f16]) {
    x[0] = a as f16;
}

#[vortex::kernel]
fn functions(x: &mut [f16]) {
    x[0] = x[0].sin();
}

fn main() {}

// Mistakes: 4
