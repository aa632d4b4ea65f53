//! Values of several types that a loop and a block are left with.

use vortex::prelude::*;

#[vortex::kernel]
fn breaks(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut n = 0;
    let at = loop {
        if x[n] == 0 {
            break n;
        }
        n += 1;
        if n > 5 {
            break 1.5;
        }
    };
    let found = 'search: {
        if x[i] > 2 {
            break 'search x[i];
        }
        if x[i] > 1 {
            break 'search i;
        }
        7
    };
    y[i] = at as u32 + found;
}

fn main() {}

// Mistakes: 2
