use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Sample {
    value: f32,
}

#[vortex::kernel]
fn ids(x: &mut [f32]) {
    let i: u32 = global_id();
    let size: i32 = group_length();
    x[i] = size as f32;
}

#[vortex::kernel]
fn kernel(n: u32, samples: &[Sample], x: &mut [f32]) {
    let length: u32 = x.len();
    let number: f32 = n;
    let mut first: u32 = x[0];
    let sum: f32 = n + 1;
    let sample: Sample = samples[0].value;
    let value: f32 = samples[0];
    first = 1;
    x[1] = number + value + (length + first) as f32;
}

#[vortex::kernel]
fn conditions(n: u32, x: &mut [f32]) {
    if n {
        x[0] = 1.0;
    } else if n & 1 {
        x[1] = 1.0;
    }
    while x[2] {
        x[2] = 0.0;
    }
}

#[vortex::kernel]
fn elements(n: u32, samples: &mut [Sample], x: &mut [f32]) {
    let i = global_id();
    x[i] = i;
    x[i] = n + 1;
    samples[i] = x[i];
    let mut sums = [0; 4];
    sums[0] = n;
    sums[1] = x.len();
}

fn main() {}

// Mistakes: 15
