use vortex::prelude::*;

#[vortex::kernel]
fn double(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = 2.0 * x[i];
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32; 16]);
    let mut y = device.alloc::<f32>(16);
    double(&x, &mut y).over(16).launch(&device)?;
    Ok(())
}

// Mistakes: 2
