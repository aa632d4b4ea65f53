use vortex::prelude::*;

const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

#[vortex::kernel]
fn step(x: &mut [i32]) {
    let i = global_id();
    x[i] += STEPS[i % 4].0;
}

fn main() {}
