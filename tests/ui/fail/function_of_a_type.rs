//! Functions named by their types, called with what they do not take.

use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    mass: f32,
}

#[vortex::device]
impl Ball {
    fn energy(&self, speed: f32) -> f32 {
        self.mass * speed
    }

    fn grow(&mut self) {
        self.mass *= 2.0;
    }

    fn of_mass(mass: f32) -> Ball {
        Ball { mass }
    }

    fn host(mass: u32) -> u32 {
        mass
    }
}

impl Ball {
    fn volume(&self) -> f32 {
        self.mass
    }
}

#[vortex::kernel]
fn wrong(balls: &[Ball], out: &mut [f32]) {
    let i = global_id();
    let ball = balls[i];
    out[i] = Ball::energy(&out[i], 1.0);
    out[i] = Ball::energy(&ball, i);
    out[i] = Ball::of_mass(i).mass;
    out[i] = Ball::weight(&ball);
    out[i] = Ball::volume(&ball);
}

#[vortex::kernel]
fn immutable(balls: &[Ball]) {
    let ball = balls[0];
    Ball::grow(&mut ball);
}

fn main() {}

// Mistakes: 6
