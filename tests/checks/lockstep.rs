//! Accesses that only lockstep orders, and what orders them.

use vortex::prelude::*;
use vortex::sim::{Checks, Model, TrapKind};
use vortex::{DeviceBuilder, Error, Report, TrapReport};

/// Groups of up to eight items fit one of the warps.
fn builder() -> DeviceBuilder {
    let checks: Checks = "lockstep".parse().unwrap();
    let builder = Device::builder().cores(2).warps(2).threads(8);
    builder.checks(checks)
}

/// The report of a launch that was stopped for what only lockstep orders.
fn only_lockstep(outcome: Result<Report, Error>) -> TrapReport {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    let TrapKind::OnlyLockstep { first, .. } = report.trap.kind else {
        panic!("{message}")
    };
    assert_eq!(
        (first.core, first.warp),
        (report.trap.core, report.trap.warp)
    );
    assert_ne!(Some(first.lane), report.trap.lane, "{message}");
    *report
}

/// Each item gives its value to the next one of its group, by local memory.
#[vortex::kernel]
fn passed(x: &[u32], out: &mut [u32], how: u32) {
    let tile = local::<[u32; 8]>();
    let i = local_id();
    tile[i] = x[global_id()];
    if how == 1 {
        barrier();
    } else if how == 2 {
        // All lanes come to it.
        let _ = warp::all(x[0] == 0);
    } else if how == 3 {
        fence();
    } else if how == 4 {
        if i < 4 {
            let _ = warp::all(x[0] == 0);
        }
    }
    out[global_id()] = tile[(i + 1) % local_size()];
}

#[test]
fn a_missing_barrier_is_found_in_one_warp() {
    let run = |builder: DeviceBuilder, how| {
        let device = builder.open().unwrap();
        let x = device.upload(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let mut out = device.alloc::<u32>(8).unwrap();
        let launch = passed(&x, &mut out, how).grid(1).block(8);
        let outcome = launch.launch(&device);
        outcome.inspect(|_| assert_eq!(out.download().unwrap(), [2, 3, 4, 5, 6, 7, 8, 1]))
    };
    // It goes unnoticed otherwise.
    run(Device::builder().threads(8), 0).unwrap();
    run(builder().checks(Checks::default()), 0).unwrap();
    for builder in [
        builder(),
        builder().model(Model::cycle()),
        builder().deterministic(false),
        builder().checks(Checks::all()),
    ] {
        let report = only_lockstep(run(builder, 0));
        let items = [report.item, report.first_item].map(|item| item.unwrap().item);
        assert_eq!(items, [0, 1]);
        let message = report.to_string();
        for part in [
            "kernel passed: ordered by lockstep alone: load of 4 bytes at 0x",
            "a barrier between them would order them, and so would an operation of `warp` that both lanes come to",
            "the check is `Checks::lockstep`, and VORTEX_CHECKS=-lockstep turns it off",
            ", work item 0 of group 0, at tests/checks/lockstep.rs:",
            "out[global_id()] = tile[(i + 1) % local_size()];",
            "\nthe other access, work item 1 of group 0, is at tests/checks/lockstep.rs:",
            "tile[i] = x[global_id()];",
        ] {
            assert!(message.contains(part), "{part:?} is not in: {message}");
        }
    }
    // Half of the lanes ask each other: the fourth loads what the fifth has stored.
    let report = only_lockstep(run(builder(), 4));
    let items = [report.item, report.first_item].map(|item| item.unwrap().item);
    assert_eq!(items, [3, 4]);
}

#[test]
fn what_orders_the_items_of_a_group() {
    for builder in [builder(), builder().warp_ops(false)] {
        let device = builder.open().unwrap();
        let x = device.upload(&[1u32; 80]).unwrap();
        let mut out = device.alloc::<u32>(80).unwrap();
        // Groups share local memory, one after the other.
        for how in 1..4 {
            for block in [8, 5, 16] {
                if block == 16 && how != 1 {
                    continue;
                }
                let launch = passed_by_16(&x, &mut out, how);
                let launch = launch.grid(80 / block).block(block);
                launch.launch(&device).unwrap();
                assert_eq!(out.download().unwrap(), [1; 80]);
            }
        }
    }
}

/// As `passed`, in larger groups.
#[vortex::kernel]
fn passed_by_16(x: &[u32], out: &mut [u32], how: u32) {
    let tile = local::<[u32; 16]>();
    let i = local_id();
    tile[i] = x[global_id()];
    if how == 1 {
        barrier();
    } else if how == 2 {
        let _ = warp::all(x[0] == 0);
    } else {
        fence();
    }
    out[global_id()] = tile[(i + 1) % local_size()];
}

/// What the library does for an item is none of its business.
#[vortex::kernel]
fn library(x: &[u32], sums: &mut [u32], floats: &mut [f32]) {
    let i = global_id();
    let sum = group::reduce_add(x[i]);
    let of_warp = warp::inclusive_add(x[i]);
    let other = warp::shuffle_xor(of_warp, 1);
    floats.atomic(0).fetch_add(0.5, Relaxed);
    if local_id() == 0 {
        sums[group_id()] = sum;
    }
    assert!(other <= 8, "{other}");
}

#[test]
fn operations_of_the_library() {
    for builder in [builder(), builder().warp_ops(false)] {
        let device = builder.open().unwrap();
        let x = device.upload(&[1u32; 48]).unwrap();
        let mut sums = device.alloc::<u32>(6).unwrap();
        let mut floats = device.alloc::<f32>(1).unwrap();
        for block in [8, 16] {
            let launch = library(&x, &mut sums, &mut floats);
            launch
                .grid(48 / block)
                .block(block)
                .launch(&device)
                .unwrap();
        }
        assert_eq!(sums.download().unwrap(), [16, 16, 16, 8, 8, 8]);
        assert_eq!(floats.download().unwrap(), [48.0]);
    }
}

/// Each item changes its element, and those of a row its neighbour's.
#[vortex::kernel]
fn shifted(x: &mut [u32], by: usize) {
    let i = global_id();
    let old = x[(i + by) % x.len()];
    x[i] = old + 1;
}

#[test]
fn launches_without_groups() {
    let device = builder().cores(1).warps(1).open().unwrap();
    let mut x = device.upload(&[1u32; 32]).unwrap();
    shifted(&mut x, 0).over(32).launch(&device).unwrap();
    let report = only_lockstep(shifted(&mut x, 1).over(32).launch(&device));
    let items = [report.item, report.first_item].map(|item| item.unwrap().item);
    assert_eq!(items[0].abs_diff(items[1]), 1, "{report}");
    // What the warp does later is ordered with what it has done before.
    let device = builder().cores(1).warps(1).open().unwrap();
    let mut x = device.upload(&[1u32; 32]).unwrap();
    shifted(&mut x, 8).over(24).launch(&device).unwrap();
}

/// All set a flag, which all have read; and a store of what is there already.
#[vortex::kernel]
fn flags(flag: &mut [u32], atomically: bool) {
    if atomically {
        if flag.atomic(0).load(Relaxed) == 0 {
            flag.atomic(0).store(1, Relaxed);
        }
    } else {
        if global_id() % 2 == 0 {
            flag[0] = 1;
        } else {
            flag[0] = 1;
        }
    }
}

#[test]
fn flags_in_one_warp() {
    let device = builder().cores(1).warps(1).open().unwrap();
    let mut flag = device.upload(&[0u32]).unwrap();
    for atomically in [true, false] {
        flags(&mut flag, atomically)
            .over(8)
            .launch(&device)
            .unwrap();
        assert_eq!(flag.download().unwrap(), [1]);
    }
}
