use vortex::prelude::*;

#[vortex::kernel]
fn expected(x: &[u32], y: &mut [u32]) {
    y[0] = u8::try_from(x[0]).expect("a byte") as u32;
    let old = y.atomic(0).compare_exchange(0, 1, Relaxed, Relaxed);
    y[1] = old.expect("a free place");
    y[2] = x[0].expect("two");
}

fn main() {}

// Mistakes: 3
