//! What other libraries write on the host: rustc shows the line of the method, and with it what to write here.

use vortex::prelude::*;

#[vortex::kernel]
fn fill(x: &mut [f32]) {
    x[global_id()] = 1.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut x = device.alloc::<f32>(128)?;
    fill(&mut x).grid(4, 32).launch(&device)?;
    fill(&mut x).over(4, 64).launch(&device)?;
    fill(&mut x).over(128).launch(&stream)?;
    let n = &128;
    fill(&mut x).over(n).launch(&device)?;
    let mut host = vec![0.0; 128];
    x.download(&mut host)?;
    Ok(())
}

// Mistakes: 5
