//! A kernel whose indices are not checked is launched by who answers for them.

use vortex::prelude::*;

#[vortex::kernel(checks = "none")]
fn trusting(x: &mut [u32]) {
    x[global_id()] = 1;
}

fn main() -> vortex::Result<()> {
    let device = Device::builder().open()?;
    let mut x = device.alloc::<u32>(4)?;
    trusting(&mut x).over(4).launch(&device)?;
    Ok(())
}
