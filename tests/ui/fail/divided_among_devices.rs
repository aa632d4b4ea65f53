use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let devices = Devices::embedded(2, Device::builder())?;
    let split = devices.split(10).build()?;
    let x = SplitBuffer::scatter(&split, &[3u32; 10])?;
    let on_host = vec![1u32; 10];
    let on_one = Device::open()?.upload(&on_host)?;
    devices.run((&x, &on_host), |_, _| Ok(()))?;
    devices.run(&on_one, |_, _| Ok(()))?;
    devices.run((&x, 3.0f32), |_, _| Ok(()))?;
    devices.run(x, |_, _| Ok(()))?;
    Ok(())
}

// Mistakes: 4
