// Mistakes: 3
use vortex::prelude::*;

const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const TOO_MANY: [(i32, i32, i32, i32, i32); 1] = [(1, 2, 3, 4, 5)];

#[vortex::kernel]
fn parts(x: &mut [i32]) {
    x[0] += TOO_MANY[0].4;
}

#[vortex::kernel]
fn written(x: &mut [i32]) {
    STEPS[0].1 = x[0];
}

#[vortex::kernel]
fn of_a_local(x: &mut [i32]) {
    let steps = [(1, 0), (0, 1)];
    x[0] += steps[1].0;
}

fn main() {}
