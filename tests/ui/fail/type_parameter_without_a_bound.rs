use vortex::prelude::*;

#[vortex::kernel]
fn scale<T>(by: T, x: &mut [T]) {
    let i = global_id();
    if x[i] < by {
        x[i] = x[i] * by;
    }
    x[i] += by;
}

#[vortex::device]
fn middle<T>(a: T, b: T) -> T {
    a + b
}

fn main() {}

// Mistakes: 2
