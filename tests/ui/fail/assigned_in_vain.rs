// Mistakes: 5
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    at: f32,
    speed: f32,
}

#[vortex::kernel]
fn items(balls: &[Ball]) {
    for ball in balls {
        ball.at += ball.speed;
    }
}

#[vortex::kernel]
fn fields(balls: &mut [Ball]) {
    let ball = &mut balls[global_id()];
    *ball.at += *ball.speed;
}

#[vortex::kernel]
fn chained(x: &[f32], out: &mut [f32]) {
    let mut low = 0.0;
    let mut high = 0.0;
    low = high = x[0];
    out[0] = high - low;
}

#[vortex::kernel]
fn stack(out: &mut [u32]) {
    let mut stack = [0u32; 32];
    while let Some(node) = stack.pop() {
        out[0] += node;
    }
}

fn main() {}
