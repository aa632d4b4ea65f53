// Operations that atomics have elsewhere, on elements that have none, and with one order of two.

use vortex::prelude::*;

#[vortex::kernel]
fn least(x: &[u32], out: &mut [u32]) {
    out.atomic(0).min(x[global_id()]);
}

#[vortex::kernel]
fn products(x: &[u32], out: &mut [u32]) {
    out.atomic(0).fetch_mul(x[global_id()], Relaxed);
}

#[vortex::kernel]
fn locked(out: &mut [u32]) {
    if out.atomic(0).compare_exchange(0, 1, Acquire).is_ok() {
        out[1] = 1;
    }
}

#[vortex::kernel]
fn wide(x: &[u64], out: &mut [u64]) {
    out.atomic(0).fetch_add(x[global_id()], Relaxed);
}

#[vortex::kernel]
fn flags(x: &[u32], out: &mut [u8]) {
    out.atomic(x[global_id()] as usize).fetch_or(1, Relaxed);
}

fn main() {}

// Mistakes: 5
