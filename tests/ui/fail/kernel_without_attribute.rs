// Mistakes: 3
use vortex::prelude::*;

fn scale(factor: f32, y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] *= factor;
    }
}

fn column(width: usize) -> usize {
    global_id() % width
}

#[vortex::kernel]
fn count(y: &mut [u32], size: u32) {
    y[local_id()] = size;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut y = device.upload(&[0u32; 64])?;
    count(&mut y, lane_count() as u32).over(64).launch(&device)?;
    Ok(())
}
