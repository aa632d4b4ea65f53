use vortex::prelude::*;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Particle {
    at: f32,
    speed: f32,
}

#[vortex::kernel]
fn step(dt: f32, particles: &mut [Particle]) {
    let i = global_id();
    particles[i].at += particles[i].speed * dt;
}

#[vortex::kernel]
fn scale(by: f32, y: &mut [f32]) {
    y[global_id()] *= by;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut particles = device.upload(&[Particle { at: 0.0, speed: 1.0 }; 8])?;
    step(0.1, &mut particles).over_each().launch(&device)?;
    println!("{:?}", particles.download()?[0]);

    let mut y = device.upload(&vec![0.5f64; 8])?;
    scale(0.1, &mut y).over_each().launch(&device)?;
    println!("{:?}", y.download()?);
    Ok(())
}

// Mistakes: 2
// One more error: the kernel's signature and the upload each name a type without the derive.
// One more error: the launch is of `f32`s, and `f64`s have been uploaded.
