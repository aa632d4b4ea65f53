use vortex::prelude::*;

#[vortex::device]
trait Field {
    fn weight() -> f32;
    fn value(&self, x: f32) -> f32;
    fn slope(&self, x: f32) -> f32;
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Parabola {
    a: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Line {
    a: f32,
}

#[vortex::device]
impl Field for Parabola {
    fn weight() -> f32 {
        1.0
    }
    fn value(&self, x: f32) -> f32 {
        self.a * x * x
    }
}

#[vortex::device]
impl Field for Line {
    fn weight() -> f32 {
        1.0
    }
    fn value(&self, x: f32) -> f32 {
        self.weight() * x
    }
    fn slope(&self, _x: f32) -> f32 {
        self.a
    }
}

fn main() {}

// Mistakes: 2
