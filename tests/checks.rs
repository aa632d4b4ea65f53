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

/// Sums up neighbours through local memory; what the last item of a group has on its right is not there unless it is written, too.
#[vortex::kernel]
fn neighbours(values: &[u32], sums: &mut [u32], pad: bool) {
    let tile = local::<[u32; 17]>();
    let i = local_id();
    tile[i] = values[global_id()];
    if pad {
        if i == 0 {
            tile[16] = 0;
        }
    }
    barrier();
    sums[global_id()] = tile[i] + tile[i + 1];
}

#[test]
fn local_memory_that_nobody_wrote() {
    let values: Vec<u32> = (0..32).collect();
    let device = Device::builder().threads(8).open().unwrap();
    let values = device.upload(&values).unwrap();
    let mut sums = device.alloc(32).unwrap();
    neighbours(&values, &mut sums, true)
        .grid(2)
        .block(16)
        .launch(&device)
        .unwrap();
    assert_eq!(sums.download().unwrap()[14..17], [29, 15, 33]);

    let error = neighbours(&values, &mut sums, false)
        .grid(2)
        .block(16)
        .launch(&device)
        .unwrap_err();
    let Error::Trap(report) = &error else {
        panic!("{error}")
    };
    assert!(matches!(report.trap.kind, TrapKind::Uninitialised { .. }));
    assert_eq!(report.trap.lane, Some(7));
    // Either group's last item.
    let place = report.item.unwrap();
    assert!([15, 31].contains(&place.item));
    assert_eq!(place.group, Some([place.item / 16, 0, 0]));
    let message = error.to_string();
    assert!(
        message
            .starts_with("kernel neighbours: use of uninitialised data: the store of 4 bytes at "),
        "{message}"
    );
    assert!(
        message.contains("sums[global_id()] = tile[i] + tile[i + 1];")
            && message.contains("\nit was loaded at "),
        "{message}"
    );
    let trusting = Device::builder().threads(8).checks(Checks::none());
    let trusting = trusting.open().unwrap();
    let values = trusting.upload(&[1; 32]).unwrap();
    let mut sums = trusting.alloc(32).unwrap();
    neighbours(&values, &mut sums, false)
        .grid(2)
        .block(16)
        .launch(&trusting)
        .unwrap();
}

/// Items of a grid of 10 x 6, of which one at (x, y) looks where nothing is.
#[vortex::kernel]
fn stray(from: *const u32, to: &mut [u32], x: usize, y: usize) {
    let (column, row) = global_id_2d();
    let at = if column == x && row == y {
        1 << 20
    } else {
        global_id()
    };
    // SAFETY: one item breaks this promise, to see what happens.
    to[global_id()] = unsafe { *from.add(at) };
}

/// The same item by item of groups of 5 x 2, with a barrier.
#[vortex::kernel]
fn stray_in_group(from: *const u32, to: &mut [u32], x: usize, y: usize) {
    let tile = local::<[u32; 10]>();
    let (column, row) = global_id_2d();
    let at = if column == x && row == y {
        1 << 20
    } else {
        global_id()
    };
    // SAFETY: as above.
    tile[local_id()] = unsafe { *from.add(at) };
    barrier();
    to[global_id()] = tile[local_id()];
}

#[test]
fn traps_name_the_work_item_and_its_group() {
    for (cores, warps, threads) in [(1, 1, 1), (1, 4, 4), (2, 3, 8), (4, 16, 32)] {
        let builder = Device::builder().cores(cores).warps(warps).threads(threads);
        let device = builder.open().unwrap();
        let from = device.upload(&[1; 60]).unwrap();
        let mut to = device.alloc(60).unwrap();
        for (x, y) in [(0, 0), (9, 0), (3, 4), (9, 5)] {
            let error = stray(from.as_ptr(), &mut to, x, y)
                .over((10, 6))
                .launch(&device)
                .unwrap_err();
            let item = y * 10 + x;
            assert_eq!(place(&error), (item, [x, y], None), "{error}");
            let name = match y {
                0 => format!(", work item {item}"),
                _ => format!(", work item {item} (x = {x}, y = {y})"),
            };
            assert!(error.to_string().contains(&name), "{error}");
            if warps * threads < 10 {
                continue;
            }
            let error = stray_in_group(from.as_ptr(), &mut to, x, y)
                .grid((2, 3))
                .block((5, 2))
                .launch(&device)
                .unwrap_err();
            let group = Some([x / 5, y / 2]);
            assert_eq!(place(&error), (item, [x, y], group), "{error}");
        }
    }
}

/// Item, its coordinates, and its group's.
fn place(error: &Error) -> (usize, [usize; 2], Option<[usize; 2]>) {
    let Error::Trap(report) = error else {
        panic!("{error}")
    };
    let two = |[x, y, _]: [u32; 3]| [x as usize, y as usize];
    match report.item {
        Some(place) => (
            place.item as usize,
            two(place.coordinates),
            place.group.map(two),
        ),
        None => panic!("{error}"),
    }
}
