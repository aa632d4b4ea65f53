use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32])?;
    let pending = stream.enqueue_read(&x);
    drop(x);
    pending.wait()?;
    Ok(())
}
