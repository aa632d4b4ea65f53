// Mistakes: 2

use vortex::prelude::*;

#[vortex::device]
trait Shape {
    fn area(&self, scale: f32) -> f32;
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Square {
    side: f32,
}

#[vortex::device]
impl Shape for Square {
    fn area(&self) -> f32 {
        self.side * self.side
    }
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Circle {
    radius: f32,
}

#[vortex::device]
impl Shape for Circle {
    fn area(&mut self, scale: f32) -> f32 {
        self.radius * self.radius * scale
    }
}

#[vortex::kernel]
fn areas(squares: &[Square], circles: &[Circle], out: &mut [f32]) {
    let i = global_id();
    out[i] = squares[i].area(1.0) + circles[i].area(2.0);
}

fn main() {}
