use vortex::DeviceType;
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Silent {
    x: f32,
}

#[vortex::kernel]
fn show(all: &[Silent]) {
    println!("{:?}", all[global_id()]);
    println!("{:?}", all);
}

fn main() {}

// Mistakes: 2
