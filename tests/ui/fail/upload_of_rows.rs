use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let rows = vec![vec![1.0f32; 16]; 16];
    let x = device.upload(&rows)?;
    let samples: Vec<f64> = vec![0.5; 16];
    let y = device.upload(&samples)?;
    // One row after the other, and whatever derefs to a slice.
    let flat = device.upload(&rows.concat())?;
    let numbers = [device.upload(&[1, 2])?, device.upload(&vec![1u32; 2])?];
    Ok(())
}

// Mistakes: 2
