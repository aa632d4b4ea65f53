// Mistakes: 2
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    at: f32,
    speed: f32,
    trail: [f32; 4],
}

#[vortex::device]
impl Ball {
    fn step(&mut self, dt: f32) {
        at += self.speed * dt;
        trail[0] = self.at;
    }
}

#[vortex::kernel]
fn fly(balls: &mut [Ball]) {
    balls[global_id()].step(0.1);
}

fn main() {}
