//! Types that are being typed: rustc says what is missing, and nobody says more.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    height: f32,
    mass:
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct First {
    x: , y: f32
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct NoComma {
    x: f32
    y: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Mode {
    Add,
    Scale = ,
}

#[vortex::kernel]
fn fall(items: &mut [Particle], firsts: &[First], others: &[NoComma], modes: &[Mode]) {
    let i = global_id();
    items[i].height -= 9.75 * items[i].mass;
    items[i].height += firsts[i].x + firsts[i].y + others[i].x + others[i].y;
    items[i].height += match modes[i] {
        Mode::Add => 1.0,
        _ => 2.0,
    };
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut items = device.upload(&[Particle { height: 1.0, mass: 1.0 }; 8])?;
    let firsts = device.upload(&[First { x: 1.0, y: 1.0 }; 8])?;
    let others = device.upload(&[NoComma { x: 1.0, y: 1.0 }; 8])?;
    let modes = device.upload(&[Mode::Add; 8])?;
    fall(&mut items, &firsts, &others, &modes).over_each().launch(&device)?;
    Ok(())
}

// Mistakes: 4
