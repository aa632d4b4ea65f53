use vortex::prelude::*;

#[vortex::kernel]
fn pick(x: &mut [f32]) {
    let i = global_id();
    let value = x[i];
    x[i] = value[i];
}

fn main() {}
