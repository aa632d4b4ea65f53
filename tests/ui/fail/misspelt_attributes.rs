use vortex::prelude::*;

#[derive(Clone, Copy, vortex::Device)]
#[repr(C)]
struct Ball {
    at: f32,
}

#[vortex::devices]
fn twice(x: f32) -> f32 {
    2.0 * x
}

#[vortex::kernal]
fn moved(balls: &[Ball], y: &mut [f32]) {
    let i = global_id();
    y[i] = twice(balls[i].at);
}

#[vortex::Kernel]
fn named_as_a_trait(y: &mut [f32]) {
    y[global_id()] = 0.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let balls = device.upload(&[Ball { at: 1.0 }; 100])?;
    let mut y = device.alloc::<f32>(100)?;
    moved(&balls, &mut y).over(100).launch(&device)?;
    named_as_a_trait(&mut y).over(100).launch(&device)?;
    Ok(())
}

// Mistakes: 4
