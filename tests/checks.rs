//! What the embedded device watches for, as the author of a kernel meets it.

#![allow(clippy::unwrap_used)]

use vortex::Error;
use vortex::prelude::*;
use vortex::sim::TrapKind;

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
