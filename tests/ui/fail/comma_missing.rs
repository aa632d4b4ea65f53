//! Parameters without a comma between them.
// Mistakes: 3

use vortex::prelude::*;

#[vortex::kernel]
fn saxpy(#[comptime] alpha: f32 x: &[f32], mut n: usize mut y: &mut [f32]) {
    let i = global_id();
    n -= 1;
    y[i] += alpha * x[i] + blend(x[n], y[i], 0.5);
}

#[vortex::device]
fn blend(a: f32, b: f32 t: f32) -> f32 {
    a + (b - a) * t
}

#[vortex::kernel]
fn faded(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = blend(x[i], y[i], 0.25);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32; 8])?;
    let mut y = device.alloc::<f32>(8)?;
    saxpy(2.0, &x, 3, &mut y).over(8).launch(&device)?;
    faded(&x, &mut y).over(8).launch(&device)?;
    Ok(())
}
