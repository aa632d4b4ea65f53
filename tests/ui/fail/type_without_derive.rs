use vortex::prelude::*;

struct Particle {
    mass: f32,
}

#[vortex::kernel]
fn weigh(particles: &[Particle], out: &mut [f32]) {
    let i = global_id();
    out[i] = particles[i].mass;
    for particle in particles {
        out[i] += particle.mass;
    }
}

#[vortex::device]
fn heavier(a: Particle, b: &Particle) -> bool {
    a.mass > b.mass
}

fn main() {}

// Mistakes: 2
