use vortex::prelude::*;

#[vortex::kernel]
fn bytes(counts: &mut [u8]) {
    counts.atomic(0).store(1, Relaxed);
}

#[vortex::kernel]
fn floats(sums: &mut [f32], counts: &mut [u32]) {
    sums.atomic(0).fetch_or(1.0, Relaxed);
    counts.atomic(0).fetch_add(1.0, Relaxed);
}

fn main() {}

// Mistakes: 3
