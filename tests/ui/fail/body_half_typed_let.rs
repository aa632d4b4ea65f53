// Nor here.

#[vortex::kernel]
fn doubled(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let v =
}

fn main() -> vortex::Result<()> {
    let device = vortex::Device::open()?;
    let x = device.upload(&[1.0f32; 8])?;
    let mut y = device.upload(&[0.0f32; 8])?;
    doubled(&x, &mut y).over(8).launch(&device)?;
    Ok(())
}
