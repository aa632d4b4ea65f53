use vortex::prelude::*;

#[derive(DeviceType)]
#[repr(C)]
struct Particle {
    x: f32,
    kind: Kind,
}

#[derive(PartialEq, DeviceType)]
#[repr(u32)]
enum Kind {
    Heavy,
    Light,
}

#[derive(DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[vortex::device]
impl Particle {
    fn moved(&self, by: f32) -> f32 {
        self.x + by
    }
}

#[vortex::device]
fn doubled(particle: Particle) -> f32 {
    2.0 * particle.x
}

#[vortex::kernel]
fn kernel(by: Particle, from: &[Particle], to: &mut [Particle], pairs: &mut [Pair<f32>]) {
    let i = global_id();
    let mut particle = from[i];
    particle.x += by.moved(doubled(particle));
    to[i] = particle;
    if to[i].kind == Kind::Heavy {
        pairs[i] = Pair { a: 1.0, b: particle.x };
    }
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let from = device.alloc(5)?;
    let (mut to, mut pairs) = (device.alloc(5)?, device.alloc(5)?);
    let by = Particle { x: 1.0, kind: Kind::Light };
    kernel(by, &from, &mut to, &mut pairs).over(5).launch(&device)?;
    Ok(())
}

// Mistakes: 3
