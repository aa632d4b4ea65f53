use vortex::prelude::*;

#[vortex::kernel]
fn waves(x: &mut [f32]) {
    let i = global_id();
    x[i] = f32::cbrt(x[i]);
}

fn main() {}
