//! Names of fields that are none, of values, places and tuples, and a method where a field would be.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pixel {
    red: f32,
    at: Vec2<f32>,
}

#[vortex::device]
impl Pixel {
    fn grey(&self) -> f32 {
        self.red + self.green
    }
}

#[vortex::kernel]
fn fields(x: &[Pixel], y: &mut [Pixel], out: &mut [f32]) {
    let i = global_id();
    let p = x[i];
    out[0] = p.colour;
    out[1] = x[i].at.z;
    y[i].rad = 1.0;
    let mut q = p;
    q.at.w = 2.0;
    out[2] = q.red.x;
    out[4] = p.grey;
}

#[vortex::kernel]
fn tuples(out: &mut [f32]) {
    let t = (1.0f32, 2u32);
    out[3] = t.x;
}

fn main() {}

// Mistakes: 8
