use vortex::prelude::*;

#[vortex::kernel]
fn twice(#[builtin(global_invocation_id)] id: Vec3<u32>, x: &mut [f32]) {
    let i = id.x as usize;
    x[i] *= 2.0;
}

#[vortex::kernel(host)]
fn on_both(x: &mut [f32], #[builtin(local_invocation_index)] id: u32) {
    x[id as usize] *= 2.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.upload(&[1.0f32; 8])?;
    twice(&mut x).over(8).launch(&device)?;
    on_both(&mut x).over(8).launch(&device)?;
    on_both::on_host(&mut [1.0]).over(1).launch();
    Ok(())
}

// Mistakes: 2
