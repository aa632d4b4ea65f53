use vortex::prelude::*;

#[vortex::kernel]
fn equal(key: u32, x: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i] = match x[i] {
        Key => 1,
        _ => 0,
    };
}

fn main() {}
