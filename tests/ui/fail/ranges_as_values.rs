use vortex::prelude::*;

#[vortex::device]
fn start(range: std::ops::Range<usize>) -> usize {
    range.start
}

#[vortex::kernel]
fn ranges(n: usize, x: &mut [u32]) {
    let named = 0..n;
    x[0] = start(named.clone());
    x[1] = start(0..n);
    let mut changed = 0..4;
    let open = 2..;
    let pair = (0..n, 4);
    x[2] = if n > 3 { 0..3 } else { 0..4 };
}

fn main() {}

// Mistakes: 8
