//! Data races are watched for unless somebody says otherwise; and what ordinary kernels do on purpose is none, next to
//! what is one.

use vortex::prelude::*;
use vortex::sim::{AccessKind, Checks, TrapKind};
use vortex::{DeviceError, Error, Faults, Report};

/// Three cores of two warps of four threads, as they are when nothing is said of checks.
fn device() -> Device {
    let builder = Device::builder().cores(3).warps(2).threads(4);
    builder.open().unwrap()
}

/// What a launch is stopped with for a race.
fn race(outcome: Result<Report, Error>) -> String {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    let kind = &report.trap.kind;
    let found = matches!(
        kind,
        TrapKind::DataRace { .. } | TrapKind::StoreCollision { .. }
    );
    assert!(found, "{message}");
    message
}

/// Each item stores to where the next group's load.
#[vortex::kernel]
fn shift(x: &mut [u32]) {
    let i = global_id();
    let old = x[(i + 4) % x.len()];
    x[i] = old;
}

#[test]
fn they_are_watched_for_by_default() {
    assert!(Checks::default().races && Checks::all().races);
    let values: Vec<u32> = (0..640).collect();
    let run = |device: &Device| {
        let mut x = device.upload(&values).unwrap();
        shift(&mut x).grid(160).block(4).launch(device)
    };
    for device in [Device::builder().open().unwrap(), device()] {
        let message = race(run(&device));
        for part in [
            "one reads `x[",
            "]`, the other writes it, and which comes first is chance",
            "read from one slice and write to another, or do the second in a launch of its own; a `barrier()` is for \
             the items of one group",
            "the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off",
        ] {
            assert!(message.contains(part), "{message}");
        }
    }
    let off = Checks {
        races: false,
        ..Checks::default()
    };
    for checks in [off, Checks::none(), "-races".parse().unwrap()] {
        let builder = Device::builder().cores(3).warps(2).threads(4);
        run(&builder.checks(checks).open().unwrap()).unwrap();
    }
}

#[test]
fn cores_on_host_threads_are_watched_only_where_somebody_asks() {
    let run = |device: &Device| {
        let mut x = device.upload(&[1; 24]).unwrap();
        crowded(&mut x, false).grid(6).block(1).launch(device)
    };
    let threads = || device_on_threads(None);
    run(&threads()).unwrap();
    race(run(&device_on_threads(Some(Checks::default()))));
    race(run(&device()));
}

fn device_on_threads(checks: Option<Checks>) -> Device {
    let builder = Device::builder().cores(3).warps(2).threads(4);
    let builder = match checks {
        Some(checks) => builder.checks(checks),
        None => builder,
    };
    builder.deterministic(false).open().unwrap()
}

/// All items store to one element.
#[vortex::kernel]
fn crowded(x: &mut [u32], same: bool) {
    x[0] = if same { 7 } else { global_id() as u32 };
}

#[test]
fn what_all_store_alike() {
    let device = device();
    let mut x = device.upload(&[0; 4]).unwrap();
    crowded(&mut x, true).over(100).launch(&device).unwrap();
    race(crowded(&mut x, false).over(100).launch(&device));
}

#[test]
fn launches_are_ordered() {
    let device = device();
    let mut x = device.upload(&[0; 96]).unwrap();
    // Items of other warps and cores store to what was stored and loaded before.
    for block in [4, 8, 2, 8, 3] {
        let launch = fill(&mut x, 1);
        launch
            .grid(96 / block)
            .block(block)
            .launch(&device)
            .unwrap();
    }
}

/// Each item changes its element.
#[vortex::kernel]
fn fill(x: &mut [u32], by: u32) {
    let i = global_id();
    x[i] += by;
}

/// Looks for a number; who finds it tells the others, who need not go on.
#[vortex::kernel]
fn search(x: &[u32], found: &mut [u32], atomically: bool) {
    let i = global_id();
    if atomically {
        if found.atomic(0).load(Relaxed) == 0 && x[i] == 5 {
            found.atomic(0).store(1, Relaxed);
        }
    } else if found[0] == 0 && x[i] == 5 {
        found[0] = 1;
    }
}

#[test]
fn a_flag_that_others_look_at() {
    let device = device();
    let x = device.upload(&[5; 48]).unwrap();
    let run = |atomically| {
        let mut found = device.upload(&[0]).unwrap();
        let outcome = search(&x, &mut found, atomically).over(48).launch(&device);
        outcome.inspect(|_| assert_eq!(found.download().unwrap(), [1]))
    };
    run(true).unwrap();
    race(run(false));
}

/// Reads what the neighbour in the group has stored, and waits for nobody.
#[vortex::kernel]
fn neighbours(x: &mut [u32]) {
    let tile = local::<[u32; 8]>();
    let i = local_id();
    tile[i] = x[global_id()];
    x[global_id()] = tile[(i + 1) % local_size()];
}

#[test]
fn lanes_of_a_warp_go_in_step() {
    let device = device();
    let mut x = device.upload(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    neighbours(&mut x).grid(2).block(4).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [2, 3, 4, 1, 6, 7, 8, 5]);
    // In two warps, what is loaded may have been stored by nobody, too.
    let checks = Checks {
        uninitialised: false,
        ..Checks::default()
    };
    let builder = Device::builder().cores(1).warps(2).threads(4);
    let device = builder.checks(checks).open().unwrap();
    let mut x = device.upload(&[1; 8]).unwrap();
    race(neighbours(&mut x).grid(1).block(8).launch(&device));
}

/// A tree of sums in local memory. All steps but the first may go without a barrier before them.
#[vortex::kernel]
fn tree(x: &[u32], sums: &mut [u32], careful: bool) {
    let tile = local::<[u32; 8]>();
    let i = local_id();
    tile[i] = x[global_id()];
    barrier();
    let mut half = local_size() / 2;
    while half > 0 {
        if i < half {
            tile[i] += tile[i + half];
        }
        if careful {
            barrier();
        }
        half /= 2;
    }
    if i == 7 {
        sums[group_id()] = tile[0];
    }
}

#[test]
fn steps_between_barriers() {
    let device = device();
    let x = device.upload(&[3; 48]).unwrap();
    let mut sums = device.alloc(6).unwrap();
    let mut run = |careful| {
        let launch = tree(&x, &mut sums, careful);
        launch.grid(6).block(8).launch(&device)
    };
    run(true).unwrap();
    // The last item, of the second warp, reads what the first warp has summed up.
    race(run(false));
}

/// The group that is the last to be done sums up the parts of all.
#[vortex::kernel]
fn last_done(parts: &mut [u32], done: &mut [u32], total: &mut [u32], sends: bool, receives: bool) {
    if local_id() == 0 {
        parts[group_id()] = 3;
        if sends {
            fence();
        }
        let before = done.atomic(0).fetch_add(1, Relaxed);
        if before as usize + 1 == group_count() {
            if receives {
                fence();
            }
            for group in 0..group_count() {
                total[0] += parts[group];
            }
        }
    }
}

#[test]
fn what_is_handed_over_by_a_counter() {
    let device = device();
    let run = |sends, receives| {
        // One group for each warp: the fence before its second part would do for a warp that has several.
        let mut parts = device.upload(&[0; 6]).unwrap();
        let mut done = device.upload(&[0]).unwrap();
        let mut total = device.upload(&[0]).unwrap();
        let launch = last_done(&mut parts, &mut done, &mut total, sends, receives);
        let outcome = launch.grid(6).block(4).launch(&device);
        outcome.inspect(|_| assert_eq!(total.download().unwrap(), [18]))
    };
    run(true, true).unwrap();
    race(run(true, false));
    race(run(false, true));
}

/// One item of each group adds to a sum under a lock.
#[vortex::kernel]
fn locked(lock: &mut [u32], sum: &mut [u32], ordered: bool) {
    if local_id() == 0 {
        if ordered {
            while lock.atomic(0).swap(1, Acquire) != 0 {}
            sum[0] += 1;
            lock.atomic(0).store(0, Release);
        } else {
            while lock.atomic(0).swap(1, Relaxed) != 0 {}
            sum[0] += 1;
            lock.atomic(0).store(0, Relaxed);
        }
    }
}

#[test]
fn what_a_lock_keeps() {
    let device = device();
    let run = |ordered| {
        let mut lock = device.upload(&[0]).unwrap();
        let mut sum = device.upload(&[0]).unwrap();
        let launch = locked(&mut lock, &mut sum, ordered);
        let outcome = launch.grid(12).block(4).launch(&device);
        outcome.inspect(|_| assert_eq!(sum.download().unwrap(), [12]))
    };
    run(true).unwrap();
    race(run(false));
}

/// Counts values, by atomic additions or as if nobody else did.
#[vortex::kernel]
fn histogram(x: &[u32], bins: &mut [u32], atomically: bool) {
    let bin = (x[global_id()] % 4) as usize;
    if atomically {
        bins.atomic(bin).fetch_add(1, Relaxed);
    } else {
        bins[bin] += 1;
    }
}

#[test]
fn counters_of_all() {
    let device = device();
    let values: Vec<u32> = (0..48).collect();
    let x = device.upload(&values).unwrap();
    let run = |atomically| {
        let mut bins = device.upload(&[0; 4]).unwrap();
        let outcome = histogram(&x, &mut bins, atomically)
            .over(48)
            .launch(&device);
        outcome.inspect(|_| assert_eq!(bins.download().unwrap(), [12; 4]))
    };
    run(true).unwrap();
    race(run(false));
}

/// The largest value: what may have changed since is compared again. Or not.
#[vortex::kernel]
fn largest(x: &[u32], most: &mut [u32], again: bool) {
    let value = x[global_id()];
    let mut seen = most.atomic(0).load(Relaxed);
    while seen < value {
        if again {
            match most
                .atomic(0)
                .compare_exchange(seen, value, Relaxed, Relaxed)
            {
                Ok(_) => break,
                Err(now) => seen = now,
            }
        } else {
            most[0] = value;
            seen = value;
        }
    }
}

#[test]
fn compare_and_exchange() {
    let values: Vec<u32> = (0..48).map(|i| i * 29 % 48).collect();
    let device = device();
    let x = device.upload(&values).unwrap();
    let run = |again| {
        let mut most = device.upload(&[0]).unwrap();
        let outcome = largest(&x, &mut most, again).over(48).launch(&device);
        outcome.inspect(|_| assert_eq!(most.download().unwrap(), [47]))
    };
    run(true).unwrap();
    race(run(false));
}

/// Who fails more than once stores what nobody reads.
#[vortex::kernel]
fn beyond(x: &mut [u32]) {
    let i = global_id();
    x[i + 100] = 1;
    x[i + 200] = 1;
}

#[test]
fn failures_of_many_items_are_no_races() {
    let device = device();
    let mut x = device.alloc::<u32>(8).unwrap();
    for _ in 0..2 {
        let error = beyond(&mut x).over(100).launch(&device).unwrap_err();
        assert!(matches!(error, Error::Fault(_)), "{error}");
    }
}

/// Each item moves a byte, of those that its neighbours change.
#[vortex::kernel]
fn moved(x: &mut [u8], by: usize) {
    let i = global_id();
    let old = x[(i + by) % x.len()];
    x[i] = old + 1;
}

#[test]
fn bytes_of_neighbouring_lanes_are_told_apart() {
    let device = Device::builder().cores(1).warps(2).threads(4);
    let device = device.open().unwrap();
    let mut x = device.upload(&[7u8; 8]).unwrap();
    moved(&mut x, 0).grid(1).block(8).launch(&device).unwrap();
    for by in 1..8 {
        let outcome = moved(&mut x, by).grid(1).block(8).launch(&device);
        let Err(Error::Trap(report)) = outcome else {
            panic!("{outcome:?}")
        };
        let TrapKind::DataRace {
            access,
            address,
            first,
            size: 1,
        } = report.trap.kind
        else {
            panic!("{report}")
        };
        let [own, other] = [report.item, report.first_item].map(|item| item.unwrap().item);
        let [stores, loads] = match access {
            AccessKind::Store => [own, other],
            _ => [other, own],
        };
        assert_eq!(stores, (loads + by as u32) % 8, "{report}");
        assert_eq!(address - x.as_ptr().addr(), stores, "{report}");
        assert_eq!(
            (report.trap.lane, first.lane),
            (Some(own % 4), other % 4),
            "{report}"
        );
    }
}

/// Each item changes what may be part of the slice that all read.
#[vortex::kernel]
fn overlapping(x: &[u32], to: *mut u32) {
    let i = global_id();
    let seen = x[i];
    // SAFETY: there are four elements, of which none is one of `x`.
    unsafe { *to.add(i) = seen + 1 };
}

#[test]
fn what_a_kernel_takes_by_reference_nobody_changes() {
    let device = device();
    let mut x = device.upload(&[1u32; 12]).unwrap();
    let to = x.as_mut_ptr();
    let run = |from| {
        let part = x.slice(from..from + 4).unwrap();
        overlapping(&part, to).grid(1).block(4).launch(&device)
    };
    run(4).unwrap();
    for from in [0, 1, 3] {
        let outcome = run(from);
        let Err(Error::Trap(report)) = outcome else {
            panic!("{outcome:?}")
        };
        let TrapKind::LentMemory {
            access: AccessKind::Store,
            address,
            size: 4,
        } = report.trap.kind
        else {
            panic!("{report}")
        };
        assert_eq!(address - to.addr(), 4 * from as u32, "{report}");
        assert_eq!(report.item.map(|item| item.item), Some(from as u32));
        assert!(report.to_string().contains("take it by `&mut`"), "{report}");
    }
    // What was given is given for a launch.
    run(4).unwrap();
    let mut y = device.upload(&[0u32; 4]).unwrap();
    overlapping(&device.upload(&[5u32; 4]).unwrap(), y.as_mut_ptr())
        .grid(1)
        .block(4)
        .launch(&device)
        .unwrap();
    assert_eq!(y.download().unwrap(), [6; 4]);
}

/// Each item copies an element.
#[vortex::kernel]
fn copied(from: &[u32], to: &mut [u32]) {
    let i = global_id();
    to[i] = from[i];
}

#[test]
fn a_launch_that_never_began_lends_nothing() {
    let faults = Faults {
        run: 2,
        ..Faults::default()
    };
    let builder = Device::builder().cores(3).warps(2).threads(4);
    let device = builder.faults(faults).open().unwrap();
    let values: Vec<u32> = (0..64).collect();
    let mut x = device.upload(&values).unwrap();
    let mut y = device.upload(&values).unwrap();
    let never_began = |outcome: &Result<Report, Error>| {
        matches!(outcome, Err(Error::Device(DeviceError::Driver { .. })))
    };
    // Until one that takes `x` by reference has failed, and the next one has not.
    let (mut stores, mut loads) = (false, false);
    while !stores || !loads {
        let failed = never_began(&copied(&x, &mut y).over(64).launch(&device));
        let outcome = copied(&y, &mut x).over(64).launch(&device);
        if !never_began(&outcome) {
            outcome.unwrap();
            stores |= failed;
        }
        let failed = never_began(&copied(&x, &mut y).over(64).launch(&device));
        let outcome = shift(&mut x).grid(16).block(4).launch(&device);
        if !never_began(&outcome) {
            race(outcome);
            loads |= failed;
        }
    }
}
