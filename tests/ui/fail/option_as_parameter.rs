use vortex::prelude::*;

#[vortex::kernel]
fn k(a: Option<u32>, b: &[Option<f32>], mask: Option<&[f32]>, out: &mut [u32]) {
    out[0] = 1;
}

#[vortex::kernel]
fn into_either(x: Option<&mut [f32]>, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut y = device.alloc(16)?;
    let x = device.upload(&[1.0f32; 16])?;
    into_either(None, &mut y).over_each().launch(&device)?;
    k(None, &x, Some(&x), &mut device.alloc(1)?).over_each().launch(&device)?;
    Ok(())
}

// Mistakes: 4
