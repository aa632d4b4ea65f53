use vortex::prelude::*;

#[vortex::kernel]
fn count(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    if x[i] = 3 {
        out[i] = 1;
    }
    let mut n = 0;
    while (n = x[i]) {
        n += 1;
    }
    out[i] = if n == 3 || (n = 2 && x[i] == 1) { 1 } else { 0 };
}

fn main() {}

// Mistakes: 3
