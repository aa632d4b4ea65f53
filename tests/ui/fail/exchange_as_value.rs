//! `atomicCAS` gives the old value, `compare_exchange` a `Result` of it.
// Mistakes: 2

use vortex::prelude::*;

#[vortex::kernel]
fn claim(slots: &mut [u32], owners: &mut [u32]) {
    let i = global_id();
    if slots.atomic(i / 2).compare_exchange(0, 1, AcqRel, Relaxed) == 0 {
        owners[i] = 1;
    }
    if 3 > 2 && slots.atomic(i / 2).compare_exchange_weak(1, 2, AcqRel, Relaxed) != 1 {
        owners[i] = 2;
    }
}

fn main() {}
