use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ray {
    origin: Vec3,
    direction: Vec3<f32>,
}

#[vortex::kernel]
fn step(items: &mut [Ray]) {
    let i = global_id();
    items[i].origin = items[i].origin + items[i].direction * 0.5;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let rays = [Ray { origin: vec3(0.0, 0.0, 0.0), direction: vec3(1.0, 0.0, 0.0) }; 8];
    let mut items = device.upload(&rays)?;
    step(&mut items).over_each().launch(&device)?;
    Ok(())
}
