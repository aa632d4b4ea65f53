use vortex::prelude::*;

#[vortex::kernel]
fn random(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = rand::random::<f32>() * x[i];
    y[i] += libm::sqrtf(x[i]);
    y[i] += fastrand::f32();
}

mod num {
    pub fn clamp(x: f32) -> f32 {
        x
    }
}

#[vortex::kernel]
fn of_the_host(y: &mut [f32]) {
    let i = global_id();
    y[i] = num::clamp(y[i]);
}

fn main() {}

// Mistakes: 4
