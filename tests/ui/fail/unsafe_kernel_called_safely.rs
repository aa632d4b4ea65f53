use vortex::prelude::*;

#[vortex::kernel]
unsafe fn clear(x: *mut f32) {
    unsafe { *x.add(global_id()) = 0.0 };
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.upload(&[1.0f32])?;
    clear(x.as_mut_ptr()).over(1).launch(&device)?;
    Ok(())
}
