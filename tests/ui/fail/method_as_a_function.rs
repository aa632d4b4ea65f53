use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct P {
    a: f32,
}

#[vortex::device]
fn half(a: f32) -> f32 {
    a * 0.5
}

#[vortex::device]
impl P {
    fn one(&self) -> f32 {
        self.a
    }

    fn half(self) -> f32 {
        half(self.a)
    }

    fn two(&self) -> f32 {
        one() * 2.0 + self.half()
    }
}

#[vortex::kernel]
fn k(x: &[P], out: &mut [f32]) {
    let i = global_id();
    out[i] = x[i].two();
}

fn main() {}
