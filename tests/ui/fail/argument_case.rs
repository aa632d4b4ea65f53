#![deny(non_snake_case)]

use vortex::prelude::*;

#[vortex::kernel]
fn scale(argFloat: f32, OUT: &mut [f32]) {
    OUT[0] = argFloat;
}

#[vortex::kernel]
fn scale_any<T: Num>(argAny: T, out: &mut [T]) {
    out[0] = argAny;
}

#[vortex::kernel]
fn fill_by(#[comptime] timesTwo: u32, out: &mut [u32]) {
    out[0] = timesTwo;
}

#[vortex::device]
fn twice(someValue: f32) -> f32 {
    someValue + someValue
}

fn main() {}

// Mistakes: 5
