//! What the embedded device watches for, as the author of a kernel meets it.

#![allow(clippy::unwrap_used)]

use vortex::Error;
use vortex::prelude::*;
use vortex::sim::{Checks, TrapKind};

#[vortex::kernel]
fn peek(from: *const u32, to: &mut [u32]) {
    // SAFETY: one launch below breaks this promise, to see what happens.
    to[global_id()] = unsafe { *from.add(global_id()) };
}

#[test]
fn a_dropped_buffer_is_used_after_free() {
    let device = Device::builder().released().open().unwrap();
    let mut to = device.alloc(4).unwrap();
    let buffer = device.upload(&[1, 2, 3, 4u32]).unwrap();
    let pointer = buffer.as_ptr();
    peek(pointer, &mut to).over(4).launch(&device).unwrap();
    drop(buffer);
    // What comes next does not end up where the pointer still points.
    let _other = device.upload(&[5, 6, 7, 8u32]).unwrap();
    let error = peek(pointer, &mut to).over(4).launch(&device).unwrap_err();
    let Error::Trap(report) = &error else {
        panic!("{error}")
    };
    assert!(matches!(report.trap.kind, TrapKind::UseAfterFree { .. }));
    let message = error.to_string();
    assert!(
        message.starts_with("kernel peek: use after free: load of 4 bytes at ")
            && message.contains("(16 bytes), which the host has freed")
            && message.contains("checks.rs:12:"),
        "{message}"
    );
    assert_eq!(to.download().unwrap(), [1, 2, 3, 4]);
}

#[vortex::kernel]
fn shift(values: *mut u32, n: usize) {
    let i = global_id();
    if i + 1 < n {
        // SAFETY: there are `n` values.
        unsafe {
            let next = *values.add(i + 1);
            *values.add(i) = next;
        }
    }
}

#[vortex::kernel]
fn spread(from: *const u32, to: *mut u32, n: usize) {
    let i = global_id();
    if i + 1 < n {
        // SAFETY: both have `n` values.
        unsafe { *to.add(i) = *from.add(i + 1) };
    }
}

#[test]
fn work_items_that_store_where_others_load() {
    let values: Vec<u32> = (0..40).collect();
    let watched = Device::builder()
        .cores(2)
        .warps(2)
        .threads(4)
        .checks(Checks::all());
    let device = watched.clone().open().unwrap();
    let mut buffer = device.upload(&values).unwrap();
    let error = shift(buffer.as_mut_ptr(), 40)
        .over(40)
        .launch(&device)
        .unwrap_err();
    let Error::Trap(report) = &error else {
        panic!("{error}")
    };
    assert!(matches!(report.trap.kind, TrapKind::DataRace { .. }));
    let message = error.to_string();
    assert!(
        message.starts_with("kernel shift: data race: "),
        "{message}"
    );
    // Both accesses, each with its line.
    assert!(
        message.contains("let next = *values.add(i + 1);"),
        "{message}"
    );
    assert!(message.contains("*values.add(i) = next;"), "{message}");

    let from = device.upload(&values).unwrap();
    let mut to = device.alloc(40).unwrap();
    for _ in 0..2 {
        spread(from.as_ptr(), to.as_mut_ptr(), 40)
            .over(40)
            .launch(&device)
            .unwrap();
    }
    assert_eq!(to.download().unwrap()[..39], values[1..]);

    let unwatched = watched.checks(Checks::default()).open().unwrap();
    let mut buffer = unwatched.upload(&values).unwrap();
    shift(buffer.as_mut_ptr(), 40)
        .over(40)
        .launch(&unwatched)
        .unwrap();
}
