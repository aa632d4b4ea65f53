use vortex::prelude::*;

#[vortex::kernel]
fn fill(x: &mut [f32]) {
    x[global_id()] = 1.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = vec![0.0f32; 10];
    fill(&mut x).over(10).launch(&device)?;
    fill(&mut x[..5]).over(5).launch(&device)?;
    // A part that is only read.
    let part = device.alloc::<f32>(10)?;
    let mut part = part.slice(..5)?;
    fill(&mut part).over(5).launch(&device)?;
    Ok(())
}

// Mistakes: 3
