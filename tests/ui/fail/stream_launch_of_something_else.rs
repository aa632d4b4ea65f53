use vortex::prelude::*;

#[vortex::kernel]
fn double(x: &mut [f32]) {
    x[global_id()] *= 2.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    stream.launch(double).wait()?;
    Ok(())
}
