//! Of a kernel that runs on the host, too, rustc checks borrows and moves; and that nothing refers to what other items
//! may change while these run.

use vortex::prelude::*;

#[vortex::device(host)]
fn add(a: &mut f32, b: &mut f32) {
    *a += *b;
}

#[vortex::device(host)]
fn largest(values: &[f32]) -> usize {
    values.len() - 1
}

#[vortex::kernel(host)]
fn used_after_it_was_moved(y: &mut [f32]) {
    let a = y;
    a[0] = 1.0;
    y[1] = 2.0;
}

#[vortex::kernel(host)]
fn two_of_one(y: &mut [f32]) {
    let i = global_id();
    let a = &mut y[i];
    let b = &mut y[i + 1];
    add(a, b);
}

#[vortex::kernel(host)]
fn held_over_a_barrier(y: &mut [f32]) {
    let first = &mut y[global_id()];
    *first = 1.0;
    barrier();
    *first += 1.0;
}

#[vortex::kernel(host)]
fn of_local_memory(y: &mut [f32]) {
    let tile = local::<[f32; 4]>();
    let row = &tile[0..2];
    barrier();
    y[global_id()] = row[0];
}

fn main() {}

// Mistakes: 4
