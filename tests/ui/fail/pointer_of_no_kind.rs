use vortex::prelude::*;

#[vortex::kernel]
fn add(x: *f32, n: u32) {
    let i = global_id();
    *x.add(i) += n as f32;
}

fn main() {}
