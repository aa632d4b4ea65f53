// Mistakes: 2
use vortex::prelude::{Device, global_id};

#[vortex::device]
fn clock() -> u32 {
    7
}

#[vortex::kernel]
fn ticks(x: &[u32], y: &mut [u32], z: &mut [f32]) {
    let i = global_id();
    y[i] = clock();
    z[i] = x[i].try_into().unwrap();
}

fn main() {
    let _ = Device::open();
}
