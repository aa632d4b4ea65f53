use vortex::prelude::*;

#[vortex::device]
fn clear(x: mut [f32]) {
    x[0] = 0.0;
}

#[vortex::kernel]
fn add(a: &[f32], mut y: mut [f32], n: u32) {
    let i = global_id();
    y[i] += a[i] * n as f32;
    clear(y);
}

#[vortex::kernel]
fn in_the_other_order(y: mut &[f32]) {
    y[global_id()] = 1.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let a = device.upload(&[1.0f32, 2.0])?;
    let mut y = device.alloc(2)?;
    add(&a, &mut y, 3).over(2).launch(&device)?;
    in_the_other_order(&mut y).over(2).launch(&device)?;
    Ok(())
}

// Mistakes: 3
