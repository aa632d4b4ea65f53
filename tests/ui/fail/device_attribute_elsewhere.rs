use vortex::prelude::*;

#[vortex::device]
#[derive(Clone, Copy)]
struct Particle {
    x: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Filter {
    width: u32,
}

impl Filter {
    #[vortex::device]
    fn area(&self) -> u32 {
        self.width * self.width
    }
}

#[vortex::device]
fn checked(v: u32) -> Result<u32, &'static str> {
    if v > 3 { Ok(v) } else { Err("too small") }
}

#[vortex::kernel]
fn run(p: &[Particle], f: Filter, out: &mut [f32]) {
    let i = global_id();
    out[i] = p[i].x + (f.area() + checked(f.width).unwrap_or(0)) as f32;
}

fn main() {}

// Mistakes: 3
