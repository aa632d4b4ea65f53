//! Mistakes with types of known values, which rustc finds.

use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[vortex::kernel]
fn of_a_struct(#[comptime] pair: Pair, y: &mut [u32]) {
    y[0] = pair.a;
}

#[vortex::kernel]
fn indexed(#[comptime] n: u32, y: &mut [f32]) {
    y[n] = 1.0;
}

#[vortex::kernel]
fn arms(#[comptime] fast: bool, y: &mut [f32]) {
    y[0] = if fast { 1.0 } else { 2 };
}

#[vortex::kernel]
fn as_a_length(#[comptime] n: usize, y: &mut [f32]) {
    let table = [0.0; n];
    y[0] = table[0];
}

fn main() {
    let device = Device::open().unwrap();
    let mut y = device.upload(&[0.0f32]).unwrap();
    let _ = indexed(-1, &mut y);
}

// Mistakes: 5
