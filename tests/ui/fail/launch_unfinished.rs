use vortex::prelude::*;

#[vortex::kernel]
fn fill(x: &mut [f32]) {
    x[global_id()] = 1.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.alloc::<f32>(10)?;
    fill(&mut x).over(10)?;
    fill(&mut x).over(10).launch()?;
    let n: u32 = 10;
    fill(&mut x).over(n).launch(&device)?;
    fill(&mut x).over(10 as f32 / 2.0).launch(&device)?;
    Ok(())
}

// Mistakes: 4
