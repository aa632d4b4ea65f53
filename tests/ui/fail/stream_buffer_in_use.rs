use vortex::prelude::*;

#[vortex::kernel]
fn double(x: &mut [f32]) {
    x[global_id()] *= 2.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut x = device.upload(&[1.0f32])?;
    let pending = stream.launch(double(&mut x).over(1));
    let before = x.download()?;
    pending.wait()?;
    drop(before);
    Ok(())
}
