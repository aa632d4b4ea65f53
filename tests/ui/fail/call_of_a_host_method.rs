use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    mass: f32,
}

impl Ball {
    fn weight(self) -> f32 {
        9.81 * self.mass
    }

    fn pull(&self, distance: f32) -> f32 {
        self.mass / (distance * distance)
    }
}

#[vortex::device]
impl Ball {
    fn energy(&self, speed: f32) -> f32 {
        0.5 * self.mass * speed * speed
    }
}

#[vortex::kernel]
fn weigh(balls: &[Ball], out: &mut [f32]) {
    let i = global_id();
    let ball = balls[i];
    out[i] = ball.weight();
    let pull = ball.pull(2.0);
    let distance = out[i];
    out[i] = pull + balls[i].pull(distance);
    out[i] = ball.energy(i);
}

fn main() {}

// Mistakes: 4
