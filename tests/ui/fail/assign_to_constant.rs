use vortex::prelude::*;

const LIMIT: u32 = 4;

#[vortex::kernel]
fn clear(x: &mut [u32]) {
    LIMIT = 5;
    x[global_id()] = LIMIT;
}

fn main() {}
