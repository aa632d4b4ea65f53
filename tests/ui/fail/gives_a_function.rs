// Functions that give functions, which are called.
// Mistakes: 4

use vortex::prelude::*;

#[vortex::device]
fn line(slope: f32, offset: f32) -> impl Fn(f32) -> f32 {
    move |x| slope * x + offset
}

#[vortex::device]
fn pointer() -> fn(f32) -> f32 {
    f32::sqrt
}

#[vortex::device]
fn boxed(scale: f32) -> Box<dyn Fn(f32, u32) -> f32> {
    move |x, n| scale * x.powi(n as i32)
}

#[vortex::kernel]
fn along(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let f = line(2.0, 1.0);
    let g = pointer();
    y[i] = f(x[i]) + line(0.5, 2.0)(x[i]) + g(x[i]) + boxed(3.0)(x[i], 2);
}

#[vortex::kernel]
fn along_one_of_two(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let f: fn(f32) -> f32 = if i == 0 { f32::sin } else { f32::cos };
    y[i] = f(x[i]);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32; 64])?;
    let mut y = device.alloc(64)?;
    along(&x, &mut y).over(64).launch(&device)?;
    along_one_of_two(&x, &mut y).over(64).launch(&device)?;
    Ok(())
}
