use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Hasher {
    state: u32,
}

#[vortex::device]
impl Hasher {
    fn write(&mut self, v: u32) -> &mut Self {
        self.state = (self.state ^ v) * 16777619;
        self
    }

    fn state(&self) -> &u32 {
        &self.state
    }
}

#[vortex::device]
fn larger<'a>(a: &'a f32, b: &'a f32) -> &'a f32 {
    if *a > *b { a } else { b }
}

#[vortex::kernel]
fn hash(x: &[u32], y: &[f32], out: &mut [u32]) {
    let i = global_id();
    let mut h = Hasher { state: 1 };
    h.write(x[i]).write(i as u32);
    out[i] = h.state() + larger(&y[i], &y[0]) as u32;
}

fn main() {}

// Mistakes: 3
