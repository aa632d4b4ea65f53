//! Pointers that are added to, and written through where they only read.

use vortex::prelude::*;

#[vortex::kernel]
unsafe fn moved(p: *const u32, out: &mut [u32]) {
    let i = global_id();
    out[i] = unsafe { *(p + i) };
    unsafe { *p.add(i) = 1 };
}

fn main() {}

// Mistakes: 2
