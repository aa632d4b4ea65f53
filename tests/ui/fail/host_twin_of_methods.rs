use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    radius: f32,
}

#[vortex::device(host)]
impl Ball {
    fn volume(&self) -> f32 {
        self.radius * self.radius * self.radius * 4.18879
    }
}

#[vortex::device(host)]
trait Shape {
    fn area(&self) -> f32;
}

#[vortex::device(host)]
impl Shape for Ball {
    fn area(&self) -> f32 {
        self.radius
    }
}

fn main() {}

// Mistakes: 3
