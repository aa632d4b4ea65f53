use vortex::prelude::*;

#[vortex::kernel]
fn shared(counts: &[u32], p: *const u32) {
    counts.atomic(0).fetch_add(1, Relaxed);
    unsafe { p.atomic().fetch_add(1, Relaxed) };
}

#[vortex::kernel]
fn value(count: u32) {
    count.atomic(0).fetch_add(1, Relaxed);
}

fn main() {}

// Mistakes: 3
