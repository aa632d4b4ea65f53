use vortex::prelude::*;

#[vortex::kernel]
unsafe fn copy(from: *const f32, to: *mut f32) {
    let i = global_id();
    unsafe { *to.add(i) = *from.add(i) };
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32])?;
    let mut y = device.upload(&[1u32])?;
    unsafe { copy(x.as_ptr(), y.as_mut_ptr()) }.over(1).launch(&device)?;
    unsafe { copy(&x, x.as_ptr()) }.over(1).launch(&device)?;
    Ok(())
}

// Mistakes: 2
