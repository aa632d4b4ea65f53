//! Which work item did it, wherever it is stopped.

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
            && message.contains("places.rs:10:"),
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
        .checks(Checks::default());
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
        message.starts_with("kernel shift, work items ")
            && message.contains(" what the other ")
            && message.contains("the device says: data race: "),
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

    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    let unwatched = watched.checks(checks).open().unwrap();
    let mut buffer = unwatched.upload(&values).unwrap();
    shift(buffer.as_mut_ptr(), 40)
        .over(40)
        .launch(&unwatched)
        .unwrap();
}

/// Sums up neighbours through local memory; what the last item of a group has on its right is not there unless it is
/// written, too.
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
    let begins =
        format!("kernel neighbours, {place}: `tile[16]` is read before any item of the group has");
    assert!(message.starts_with(&begins), "{message}");
    let depends = format!("`sums[{}]` depends on it, at ", place.item);
    assert!(
        message.contains("sums[global_id()] = tile[i] + tile[i + 1];")
            && message.contains(&depends)
            && message.contains("the device says: use of uninitialised data: the store of 4 bytes"),
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

/// More values at once than there are registers, while one item looks where nothing is: first, in between and last.
#[vortex::kernel]
fn stray_in_a_crowd(from: *const u32, to: &mut [u32], item: usize, when: u32) {
    let i = global_id();
    let far = if i == item { 1 << 20 } else { 0 };
    let mut kept = [0; 48];
    let mut sum = 0;
    // SAFETY: one item breaks this promise, to see what happens.
    unsafe {
        if when == 0 {
            sum += *from.add(far);
        }
        #[unroll]
        for k in 0..48 {
            kept[k] = *from.add(i % 8 + k);
        }
        if when == 1 {
            sum += *from.add(far);
        }
        #[unroll]
        for k in 0..48 {
            sum = sum.rotate_left(3) ^ kept[k] * kept[47 - k];
        }
        if when == 2 {
            sum += *from.add(far);
        }
    }
    to[i] = sum;
}

/// The same in groups.
#[vortex::kernel]
fn stray_in_a_crowded_group(from: *const u32, to: &mut [u32], item: usize, when: u32) {
    let tile = local::<[u32; 4]>();
    let i = global_id();
    let far = if i == item { 1 << 20 } else { 0 };
    let mut kept = [0; 48];
    let mut sum = 0;
    // SAFETY: as above.
    unsafe {
        if when == 0 {
            sum += *from.add(far);
        }
        #[unroll]
        for k in 0..48 {
            kept[k] = *from.add(i % 8 + k);
        }
        tile[local_id()] = kept[7];
        barrier();
        if when == 1 {
            sum += *from.add(far);
        }
        #[unroll]
        for k in 0..48 {
            sum = sum.rotate_left(3) ^ kept[k] * kept[47 - k];
        }
        if when == 2 {
            sum += *from.add(far);
        }
    }
    to[i] = sum + tile[3 - local_id()];
}

#[test]
fn traps_name_the_work_item_when_registers_are_short() {
    for (cores, warps, threads) in [(1, 1, 4), (2, 3, 8)] {
        let builder = Device::builder().cores(cores).warps(warps).threads(threads);
        let device = builder.open().unwrap();
        let from = device.upload(&[1; 56]).unwrap();
        let mut to = device.alloc(100).unwrap();
        for when in 0..3 {
            for item in [0, 3, 50, 99] {
                let error = stray_in_a_crowd(from.as_ptr(), &mut to, item, when)
                    .over(100)
                    .launch(&device)
                    .unwrap_err();
                assert_eq!(place(&error), (item, [item, 0], None), "{error}");
                let error = stray_in_a_crowded_group(from.as_ptr(), &mut to, item, when)
                    .grid(25)
                    .block(4)
                    .launch(&device)
                    .unwrap_err();
                let group = Some([item / 4, 0]);
                assert_eq!(place(&error), (item, [item, 0], group), "{error}");
            }
        }
    }
}

/// The load is the same for all work items, so it is made before the first of them.
#[vortex::kernel]
fn scaled(x: &[u32], far: usize, to: &mut [u32]) {
    to[global_id()] = x[far] * 2;
}

/// The same in groups.
#[vortex::kernel]
fn scaled_in_groups(x: &[u32], far: usize, to: &mut [u32]) {
    to[global_id()] = x[far] + local_id() as u32;
}

#[test]
fn traps_before_the_first_work_item_name_it() {
    for (warps, threads) in [(1, 4), (4, 2)] {
        let device = Device::builder().cores(2).warps(warps).threads(threads);
        let device = device.open().unwrap();
        let mut to = device.alloc(16).unwrap();
        let table = device.upload(&[2, 0, 7, 0]).unwrap();
        scaled(&table, 2, &mut to).over(16).launch(&device).unwrap();
        assert_eq!(to.download().unwrap(), [14; 16]);
        // SAFETY: it reaches further than there is memory, to see what happens.
        let long = unsafe { device.slice_from_raw(table.as_ptr(), 1 << 20) }.unwrap();
        let error = scaled(&long, 1 << 16, &mut to)
            .over(16)
            .launch(&device)
            .unwrap_err();
        let (item, ..) = place(&error);
        // Of the first warp to come there, on whichever core.
        assert_eq!(item % (2 * threads as usize), 0, "{error}");
        let error = scaled_in_groups(&long, 1 << 16, &mut to)
            .grid(8)
            .block(2)
            .launch(&device)
            .unwrap_err();
        let (item, _, group) = place(&error);
        assert_eq!(group, Some([item / 2, 0]), "{error}");
        assert!(item.is_multiple_of(2), "{error}");
    }
}

/// Groups that a kernel does not ask for, but its launch does.
#[test]
fn groups_of_the_launch_are_named() {
    let device = Device::builder().threads(4).open().unwrap();
    let from = device.upload(&[1; 60]).unwrap();
    let mut to = device.alloc(60).unwrap();
    let error = stray(from.as_ptr(), &mut to, 7, 3)
        .grid((2, 3))
        .block((5, 2))
        .launch(&device)
        .unwrap_err();
    assert_eq!(place(&error), (37, [7, 3], Some([1, 1])), "{error}");
    assert!(
        error.to_string().contains(
            ", work item 37 (x = 7, y = 3) of group (x = 1, y = 1), at tests/checks/places.rs:"
        ),
        "{error}"
    );
}

#[vortex::kernel]
fn tell_where(places: &mut [u32], item: usize) {
    let i = global_id();
    places[3 * i] = core_id() as u32;
    places[3 * i + 1] = warp_id() as u32;
    places[3 * i + 2] = lane_id() as u32;
    assert!(i != item);
}

/// The same for what the kernel language checks.
#[test]
fn failures_name_the_group_and_where_the_work_item_ran() {
    for (cores, warps, threads) in [(1, 1, 2), (2, 3, 8)] {
        let builder = Device::builder().cores(cores).warps(warps).threads(threads);
        let device = builder.open().unwrap();
        let mut places = device.alloc(24).unwrap();
        let error = tell_where(&mut places, 5)
            .grid((2, 2))
            .block((2, 1))
            .launch(&device)
            .unwrap_err();
        let message = error.to_string();
        let start = "kernel tell_where, work item 5 (x = 1, y = 1) of group (x = 0, y = 1): ";
        assert!(message.starts_with(start), "{message}");
        let Error::Fault(fault) = error else {
            panic!("{message}")
        };
        assert_eq!(fault.group, Some([0, 1, 0]));
        let place = [fault.core, fault.warp, fault.lane];
        assert_eq!(places.download().unwrap()[15..18], place);
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

#[vortex::kernel]
fn peek_by_table(table: &[*const u32], to: &mut [u32]) {
    let i = global_id();
    // SAFETY: the launches below break this promise, to see what happens.
    to[i] = unsafe { *table[i] };
}

#[vortex::kernel]
fn poke_by_table(table: &[RawPtrMut<u32>]) {
    // SAFETY: as above.
    unsafe { *table[global_id()] = 1 };
}

#[test]
fn stray_pointers_in_memory_are_found() {
    let device = Device::builder().released().open().unwrap();
    let mut to = device.alloc(2).unwrap();
    let mut x = device.upload(&[1, 2u32]).unwrap();
    let freed = device.upload(&[3u32]).unwrap();
    let (good, gone) = (RawPtr::from(x.as_ptr()), RawPtr::from(freed.as_ptr()));
    drop(freed);
    let far = RawPtr::new(good.addr() + 8);
    for (stray, message) in [
        (
            RawPtr::null(),
            "null pointer: load of 4 bytes at 0x0; a null pointer leads nowhere: ask `is_null()` before",
        ),
        (gone, "use after free: load of 4 bytes at "),
        (far, "out-of-bounds load of 4 bytes at "),
        (
            RawPtr::new(good.addr() + 2),
            "misaligned load of 4 bytes at ",
        ),
    ] {
        let table = device.upload(&[good, stray]).unwrap();
        let error = peek_by_table(&table, &mut to).over(2).launch(&device);
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("kernel peek_by_table")
                && error.contains(message)
                && error.contains("work item 1"),
            "{error}"
        );
    }
    let table = device.upload(&[RawPtrMut::from(x.as_mut_ptr())]).unwrap();
    poke_by_table(&table).over(1).launch(&device).unwrap();
    // What the kernel is given to read it may not store to, whatever way it gets there.
    let mut lent = device.upload(&[RawPtrMut::<u32>::null()]).unwrap();
    let itself = RawPtrMut::new(lent.as_ptr().addr());
    lent.write(&[itself]).unwrap();
    let error = poke_by_table(&lent).over(1).launch(&device).unwrap_err();
    let Error::Trap(report) = &error else {
        panic!("{error}")
    };
    assert!(
        matches!(report.trap.kind, TrapKind::LentMemory { .. }),
        "{error}"
    );
    assert_eq!(x.download().unwrap(), [1, 2]);
}
