use std::sync::atomic::AtomicU32;

use vortex::prelude::*;

#[vortex::kernel]
fn histogram(x: &[u32], bins: &[AtomicU32]) {
    let bin = (x[global_id()] % 16) as usize;
    bins[bin].fetch_add(1, Relaxed);
}

fn main() {}

// Mistakes: 1
