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

#[vortex::kernel]
fn mapped<F: Fn(f32) -> f32>(f: F, out: &mut [f32]) {
    out[global_id()] = f(1.0);
}

#[vortex::kernel]
fn folded<T: Num, F>(f: &F, x: &[T], out: &mut [T])
where
    F: Fn(T, T) -> T + Copy,
{
    out[0] = f(x[0], x[1]);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32; 4])?;
    let mut out = device.alloc(4)?;
    map(|v| v * 2.0, &x, &mut out).over(4).launch(&device)?;
    mapped(|v| v * 2.0, &mut out).over(4).launch(&device)?;
    folded(&|a, b| a + b, &x, &mut out).over(1).launch(&device)?;
    Ok(())
}

// Mistakes: 5
