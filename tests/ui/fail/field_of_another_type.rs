use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    at: f32,
    age: u32,
}

#[vortex::kernel]
fn step(n: u32, dt: f32, particles: &mut [Particle]) {
    let i = global_id();
    particles[i].at = i;
    particles[i].age += dt;
    particles[i].at = particles[i].age;
    let mut last = particles[i].age;
    last = dt;
}

fn main() {}

// Mistakes: 4
