use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let doubles = vec![0.5f64; 16];
    let x = device.upload(&doubles)?;
    let names = device.upload(&["a", "b"])?;
    let sizes = device.alloc::<usize>(4)?;
    Ok(())
}

// Mistakes: 3
