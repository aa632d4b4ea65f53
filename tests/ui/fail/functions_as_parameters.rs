use vortex::prelude::*;

#[vortex::device]
fn applied(f: &dyn Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[vortex::device]
fn double(x: f32) -> f32 {
    x * 2.0
}

#[vortex::device]
fn pointed(f: fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[vortex::kernel]
fn run(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = applied(&|v| v * 2.0, x[i]) + pointed(double, x[i]);
}

#[vortex::kernel]
fn map(f: impl Fn(f32) -> f32, x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = f(x[i]);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32; 4])?;
    let mut out = device.alloc(4)?;
    map(|v| v * 2.0, &x, &mut out).over(4).launch(&device)?;
    Ok(())
}

// Mistakes: 3
