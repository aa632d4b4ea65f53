// Rust cannot tell how the statement goes on.

#[vortex::kernel]
fn doubled(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[i].
}

fn main() -> vortex::Result<()> {
    let device = vortex::Device::open()?;
    let x = device.upload(&[1.0f32; 8])?;
    let mut y = device.upload(&[0.0f32; 8])?;
    doubled(&x, &mut y).over(8).launch(&device)?;
    Ok(())
}
