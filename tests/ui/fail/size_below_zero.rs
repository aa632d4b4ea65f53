// What rustc says of a comparison that always holds.
#![deny(unused_comparisons)]

use vortex::prelude::*;

#[vortex::kernel]
fn backwards(x: &mut [u32]) {
    let mut k = x.len() - 1;
    while k >= 0 {
        x[k] = 1;
        k -= 1;
    }
}

#[vortex::kernel]
fn negative(n: u32, x: &mut [u32]) {
    if n < 0 {
        x[0] = 1;
    }
}

fn main() {}

// Mistakes: 2
