//! Methods that change what they are called on, of locals and parameters without `mut`.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Rng {
    state: u32,
}

#[vortex::device]
impl Rng {
    fn next(&mut self) -> u32 {
        self.state += 1;
        self.state
    }
}

#[vortex::device]
fn one(rng: Rng) -> u32 {
    rng.next()
}

#[vortex::kernel]
fn draws(x: &[Rng], out: &mut [u32]) {
    let i = global_id();
    let rng = x[i];
    out[i] = rng.next();
}

fn main() {}

// Mistakes: 2
