use vortex::prelude::*;

#[vortex::device]
fn factorial(n: u32) -> u32 {
    if n == 0 {
        return 1;
    }
    n * factorial(n - 1)
}

#[vortex::kernel]
fn factorials(x: &mut [u32]) {
    let i = global_id();
    x[i] = factorial(x[i]);
}

fn main() {}
