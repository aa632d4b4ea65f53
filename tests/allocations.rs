//! A launch that has happened before allocates nothing on the host. In a program of its own, for its allocator.

#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use vortex::Generation;
use vortex::prelude::*;

/// The system's, counting what this thread allocates.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as for the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as for the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in a call of `f` that is not the first.
fn allocations(mut f: impl FnMut()) -> u64 {
    for _ in 0..3 {
        f();
    }
    let before = ALLOCATIONS.get();
    for _ in 0..50 {
        f();
    }
    ALLOCATIONS.get() - before
}

#[vortex::kernel]
fn nothing() {}

#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += alpha * x[i];
}

#[vortex::kernel]
fn sums(x: &[u32], out: &mut [u32]) {
    let sum = group::reduce_add(x[global_id()]);
    if local_id() == 0 {
        out[group_id()] = sum;
    }
}

#[vortex::kernel]
fn scale<T: Num>(by: T, x: &mut [T]) {
    let i = global_id();
    x[i] = x[i] * by;
}

#[test]
fn launches_allocate_nothing() {
    for generation in Generation::ALL {
        launches_allocate_nothing_on(&Device::builder().generation(generation).open().unwrap());
    }
}

fn launches_allocate_nothing_on(device: &Device) {
    assert_eq!(
        allocations(|| {
            nothing().over(1).launch(device).unwrap();
        }),
        0
    );
    let x = device.upload(&[1.0f32; 1000]).unwrap();
    let mut y = device.alloc(1000).unwrap();
    assert_eq!(
        allocations(|| {
            saxpy(2.0, &x, &mut y).over(1000).launch(device).unwrap();
        }),
        0
    );
    let x = device.upload(&[1u32; 1024]).unwrap();
    let mut out = device.alloc(16).unwrap();
    assert_eq!(
        allocations(|| {
            let launch = sums(&x, &mut out).grid(16).block(64);
            launch.launch(device).unwrap();
        }),
        0
    );
    let mut z = device.upload(&[1u32; 100]).unwrap();
    assert_eq!(
        allocations(|| {
            scale(3, &mut z).over(100).launch(device).unwrap();
        }),
        0
    );
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(Box::new(1))), 50);
}
