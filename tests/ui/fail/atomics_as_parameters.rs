// What is atomic is no type: by the name that atomics of other libraries for devices have.

use vortex::prelude::*;

#[vortex::kernel]
fn counts(count: &mut Atomic<u32>) {
    count.fetch_add(1, Relaxed);
}

#[vortex::kernel]
fn reads(total: &Atomic<i32>, out: &mut [i32]) {
    out[global_id()] = total.load(Relaxed);
}

fn main() {}

// Mistakes: 2
