// Mistakes: 2
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct P {
    a: f32,
}

#[vortex::device]
impl P {
    fn scaled(s: f32) -> f32 {
        self.a * s
    }
}

impl P {
    fn double(a: f32) -> f32 {
        a * 2.0
    }
}

#[vortex::kernel]
fn k(x: &[P], out: &mut [f32]) {
    let i = global_id();
    out[0] = P::double(x[i].a);
    out[i] = P::scaled(x[i].a);
}

fn main() {}
