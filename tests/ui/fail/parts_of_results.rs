// Mistakes: 3
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Hit {
    at: f32,
    of: u32,
}

#[vortex::device]
fn pair(x: f32) -> (f32, u32) {
    (x, 3)
}

#[vortex::device]
fn nested(x: f32) -> (Hit, bool) {
    (Hit { at: x, of: 1 }, x > 1.0)
}

#[vortex::kernel]
fn too_many(x: &mut [f32]) {
    let p = pair(x[0]);
    x[1] = p.2 - p.0;
}

#[vortex::kernel]
fn by_a_name(x: &mut [f32]) {
    let p = pair(x[0]);
    x[1] = p.x;
}

#[vortex::kernel]
fn of_a_part(x: &mut [f32]) {
    let hit = nested(x[0]);
    x[1] = hit.0.distance;
}

fn main() {}
