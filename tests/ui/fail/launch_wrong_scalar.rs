use vortex::prelude::*;

#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i];
    }
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32])?;
    let mut y = device.upload(&[1.0f32])?;
    saxpy(3, &x, &mut y).over(1).launch(&device)?;
    saxpy(3.0f64, &x, &mut y).over(1).launch(&device)?;
    Ok(())
}

// Mistakes: 2
