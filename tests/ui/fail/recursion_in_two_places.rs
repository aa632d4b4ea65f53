use vortex::prelude::*;

#[vortex::device]
fn fibonacci(n: u32) -> u32 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

#[vortex::kernel]
fn rabbits(x: &mut [u32]) {
    let i = global_id();
    x[i] = fibonacci(x[i]);
}

fn main() {}
