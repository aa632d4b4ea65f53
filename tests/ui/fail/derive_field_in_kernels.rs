use vortex::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct Vel { x: f32, y: f32 }

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Particle { pos: Vec2<f32>, vel: Vel }

#[vortex::kernel]
fn step(dt: f32, ps: &mut [Particle]) {
    let i = global_id();
    ps[i].pos.x += ps[i].vel.x * dt;
    ps[i].pos.y += ps[i].vel.y * dt;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut ps = device.upload(&[Particle { pos: vec2(0.0, 0.0), vel: Vel { x: 1.0, y: 2.0 } }; 8])?;
    step(0.1, &mut ps).over(8).launch(&device)?;
    Ok(())
}
