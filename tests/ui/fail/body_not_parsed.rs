// As in every editor at every moment: rustc's own error, and no other for what the function is used for.

#[vortex::device]
fn twice(x: f32) -> f32 {
    let y = x + x
    y
}

#[vortex::kernel]
fn doubled(x: &[f32], y: &mut [f32]) {
    let i = global_id()
    y[i] = twice(x[i]);
}

fn main() -> vortex::Result<()> {
    let device = vortex::Device::open()?;
    let x = device.upload(&[1.0f32; 8])?;
    let mut y = device.upload(&[0.0f32; 8])?;
    doubled(&x, &mut y).over(8).launch(&device)?;
    Ok(())
}

// Mistakes: 2
