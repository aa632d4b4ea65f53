use vortex::prelude::*;

struct Square;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Cube;

#[vortex::kernel]
fn squared(y: &mut [f32]) {
    let f = Square;
    y[global_id()] = f.of(2.0);
}

fn main() {}

// Mistakes: 2
