use vortex::prelude::*;

const HALF: f32 = 0.5;
const NAMES: [&str; 2] = ["a", "b"];

#[vortex::kernel]
fn halve(x: &mut [f32]) {
    let i = global_id();
    x[i] = NAMES;
    let n: u32 = HALF;
}

fn main() {}

// Two errors at one place: rustc says of what is nothing for the device that it is of another type, too.
// Mistakes: 2
