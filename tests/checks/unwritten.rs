//! Local memory that is read before it is written, in the words of the source.

use vortex::prelude::*;
use vortex::{Error, Report, TrapReport};

fn device() -> Device {
    let builder = Device::builder().cores(2).warps(4).threads(4);
    builder.open().unwrap()
}

/// The report of a launch that read what was not written; its message begins and goes on like this.
fn read(outcome: Result<Report, Error>, begins: &str, parts: &[&str]) -> TrapReport {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    assert!(message.starts_with(begins), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    *report
}

/// Without the barrier, other warps have not written their part.
#[vortex::kernel(block = 8)]
fn reversed(x: &[f32], out: &mut [f32]) {
    let tile = local::<[f32; 8]>();
    let t = local_id();
    tile[t] = x[global_id()];
    out[global_id()] = tile[7 - t];
}

#[test]
fn without_a_barrier() {
    let device = device();
    let x = device.upload(&[1.0f32; 16]).unwrap();
    let mut out = device.alloc(16).unwrap();
    let outcome = reversed(&x, &mut out).grid(2).launch(&device);
    let begins = "kernel reversed, work item 4 of group 0: `tile[3]` is read before any item of the group has \
        written it, at tests/checks/unwritten.rs:";
    let parts = [
        "|     out[global_id()] = tile[7 - t];\n",
        "\nlocal memory starts without values: if another item writes it later, put a `barrier()` in between; if none \
         does, write it before, for all items\n`out[4]` depends on it, at tests/checks/unwritten.rs:",
        "\nthe device says: use of uninitialised data: the store of 4 bytes at ",
    ];
    read(outcome, begins, &parts);
}

/// The sum of a row, of which no item writes what is after the end of `x`.
#[vortex::kernel(block = 8)]
fn sums(x: &[u32], out: &mut [u32]) {
    let part = local::<[u32; 8]>();
    let t = local_id();
    if global_id() < x.len() {
        part[t] = x[global_id()];
    }
    barrier();
    if t == 0 {
        let mut sum = 0;
        for k in 0..8 {
            sum += part[k];
        }
        out[group_id()] = sum;
    }
}

#[test]
fn what_no_item_writes() {
    let device = device();
    let x = device.upload(&[1u32; 12]).unwrap();
    let mut out = device.alloc(2).unwrap();
    let outcome = sums(&x, &mut out).grid(2).launch(&device);
    let begins = "kernel sums, work item 8 of group 1: `part[4]` is read before any item of the group has written it";
    read(outcome, begins, &["\n`out[1]` depends on it, at "]);
}

/// Rows and columns, behind another object, and copied once before it matters.
#[vortex::kernel(block = (4, 4))]
fn turned(x: &[u32], out: &mut [u32]) {
    let first = local::<u32>();
    let tile = local::<[[u32; 4]; 4]>();
    let copy = local::<[u32; 16]>();
    let (column, row) = local_id_2d();
    *first = 1;
    if row != 2 {
        tile[row][column] = x[local_id()];
    }
    barrier();
    copy[local_id()] = tile[column][row];
    barrier();
    if copy[local_id()] > *first {
        out[local_id()] = 1;
    }
}

#[test]
fn parts_of_rows_and_what_is_copied() {
    let device = device();
    let x = device.upload(&[1u32; 16]).unwrap();
    let mut out = device.alloc(16).unwrap();
    let outcome = turned(&x, &mut out).grid((1, 1)).launch(&device);
    let begins =
        "kernel turned, work item 14 (x = 2, y = 3) of group 0: `tile[2][3]` is read before ";
    read(outcome, begins, &["\na condition depends on it, at "]);
}

/// Memory whose size the launch says.
#[vortex::kernel]
fn given(first: &mut Local<[f32]>, second: &mut Local<[u32]>, out: &mut [u32]) {
    let t = local_id();
    first[t] = 1.0;
    if t > 0 {
        second[t] = 1;
    }
    barrier();
    out[global_id()] = second[t] + first[t] as u32;
}

#[test]
fn memory_that_the_launch_gives() {
    let device = device();
    let mut out = device.alloc(16).unwrap();
    let launch = given(LocalLen(9), LocalLen(8), &mut out);
    let begins = "kernel given, work item 0 of group 0: `second[0]` is read before ";
    read(
        launch.grid(2).block(8).launch(&device),
        begins,
        &["\n`out[0]` depends on it, at "],
    );
}
