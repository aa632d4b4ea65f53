use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    // Without a type, it is an `f32`.
    let x = device.upload(&[0.5])?;
    let y = device.upload(&['a', 'b'])?;
    let z = device.alloc::<usize>(4)?;
    Ok(())
}

// Mistakes: 2
