//! What CUDA, and plain Rust, would have.

use vortex::prelude::*;

#[vortex::global]
fn increment(x: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        x[i] += 1;
    }
}

#[vortex::kernel]
fn any_of(flags: &[u32], out: &mut [u32]) {
    if warp::any(flags[global_id()]) {
        out[0] = 1;
    }
}

#[vortex::kernel]
fn down(x: &[f32], shift: i32, out: &mut [f32]) {
    let i = global_id();
    out[i] = warp::shuffle_down(x[i], shift);
}

#[vortex::kernel]
fn found(x: &[f32], out: &mut [u32]) {
    let mut found: u32 = -1;
    if x[global_id()] > 0.0 {
        found = 1;
    }
    out[0] = found;
}

#[derive(Clone, vortex::DeviceType)]
#[repr(C)]
struct Named {
    name: String,
    value: f32,
}

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Hit {
    t: f32,
    id: u32,
}

#[vortex::kernel]
fn nearest(x: &[Hit], out: &mut [f32]) {
    let i = global_id();
    let best = x[i].min(x[i + 1]);
    out[i] = best.t;
}

struct Sim;

impl Sim {
    #[vortex::kernel]
    fn run(&self, x: &mut [f32]) {
        x[global_id()] += 1.0;
    }
}

#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.alloc::<u32>(4)?;
    let n: i32 = 4;
    increment(&mut x).over(n).launch(&device)?;
    let points = device.upload(&[Point { x: 1.0 }])?;
    println!("{}", points.len());
    Sim.run(&mut device.alloc(1)?).over_each().launch(&device)?;
    Ok(())
}

// Mistakes: 9
