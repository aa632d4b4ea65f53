//! Results of exchanges, searches and conversions, where a value is wanted. `atomicCAS` gives the old value itself.
// Mistakes: 6

use vortex::prelude::*;

#[vortex::kernel]
fn claim(slots: &mut [u32], owners: &mut [u32], old: u32) {
    let i = global_id();
    if slots.atomic(i / 2).compare_exchange(0, 1, AcqRel, Relaxed) == 0 {
        owners[i] = 1;
    }
    let exchanged = slots.atomic(i).compare_exchange_weak(1, 2, AcqRel, Relaxed);
    if old != 1 && exchanged != old {
        owners[i] = slots.atomic(i).compare_exchange(2, 3, AcqRel, Relaxed) + 1;
    }
}

#[vortex::kernel]
fn search(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if x.binary_search(&3) == 2 {
        y[i] = x.binary_search(&4) as u32;
    }
    if u8::try_from(x[i]) == 3 {
        y[i] = 1;
    }
}

fn main() {}
