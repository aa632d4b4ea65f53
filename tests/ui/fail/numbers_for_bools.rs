//! Numbers on either side of `&&` and `||`.

use vortex::prelude::*;

#[vortex::kernel]
fn flags(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    if i > 0 && x[i] {
        out[i] = 1;
    }
    let n = x[i];
    if n || i == 0 {
        out[i] = 2;
    }
}

fn main() {}

// Mistakes: 2
