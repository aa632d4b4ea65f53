//! Lost updates: lanes of a warp that change one element at once, each beginning with what was there before. Next to
//! what does the same and loses nothing.

use vortex::prelude::*;
use vortex::sim::{Checks, Model, TrapKind};
use vortex::{DeviceBuilder, Error, Report, TrapReport};

/// One warp of eight threads, as it is when nothing is said of checks.
fn builder() -> DeviceBuilder {
    Device::builder().cores(1).warps(1).threads(8)
}

/// The report of a launch that was stopped for a lost update by a line that has `source` in it.
fn lost(outcome: Result<Report, Error>, source: &str) -> TrapReport {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    let TrapKind::LostUpdate { other, .. } = report.trap.kind else {
        panic!("{message}")
    };
    assert!(Some(other) < report.trap.lane, "{message}");
    let line = message.lines().find(|line| line.contains(" | "));
    assert!(line.is_some_and(|line| line.contains(source)), "{message}");
    *report
}

/// What beginners launch first.
#[vortex::kernel]
fn count(c: &mut [u32]) {
    c[0] += 1;
}

/// The same in one step.
#[vortex::kernel]
fn count_in_one_step(c: &mut [u32]) {
    c.atomic(0).fetch_add(1, Relaxed);
}

#[test]
fn items_that_count_in_one_place() {
    let device = builder().open().unwrap();
    let mut c = device.upload(&[5u32]).unwrap();
    let report = lost(count(&mut c).over(8).launch(&device), "c[0] += 1;");
    assert_eq!(report.trap.lane, Some(1));
    let items = [report.item, report.first_item].map(|item| item.unwrap().item);
    assert_eq!(items, [1, 0]);
    let message = report.to_string();
    for part in [
        "kernel count, work items 0 and 1: both change `c[0]`, at tests/checks/updates.rs:",
        ": write `c.atomic(0).fetch_add(1, Relaxed)`, or leave it to a single work item",
        "the device says: lost update: lane 0 changes the same 4 bytes at 0x",
        "the check is `Checks::lost_updates`, and VORTEX_CHECKS=-lost-updates turns it off",
    ] {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    c.write(&[5]).unwrap();
    count(&mut c).over(1).launch(&device).unwrap();
    count_in_one_step(&mut c).over(8).launch(&device).unwrap();
    assert_eq!(c.download().unwrap(), [14]);
}

#[test]
fn items_of_several_warps_that_count_in_one_place() {
    let device = Device::builder().cores(2).warps(2).threads(1);
    let device = device.open().unwrap();
    let mut c = device.upload(&[0u32]).unwrap();
    let error = count(&mut c).over(8).launch(&device).unwrap_err();
    let message = error.to_string();
    for part in [
        "kernel count, work items ",
        ": both change `c[0]`, at tests/checks/updates.rs:",
        "one of the changes is lost: write `c.atomic(0).fetch_add(1, Relaxed)`",
        "the device says: data race: ",
    ] {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    let shown = message.matches("    c[0] += 1;").count();
    assert_eq!(shown, 1, "{message}");
}

#[test]
fn one_warp_after_the_other_and_one_item_after_the_other_lose_nothing() {
    let device = Device::builder().cores(1).warps(1).threads(1);
    let device = device.open().unwrap();
    let mut c = device.upload(&[0u32]).unwrap();
    count(&mut c).over(100).launch(&device).unwrap();
    assert_eq!(c.download().unwrap(), [100]);
}

#[test]
fn all_models_find_them_and_the_check_can_be_turned_off() {
    let run = |builder: DeviceBuilder| {
        let device = builder.open().unwrap();
        let mut c = device.upload(&[0u32]).unwrap();
        let outcome = count(&mut c).over(8).launch(&device);
        outcome.map(|report| (report, c.download().unwrap()))
    };
    let error = |builder| run(builder).map(|(report, _)| report);
    let source = "c[0] += 1;";
    lost(error(builder()), source);
    lost(error(builder().model(Model::cycle())), source);
    lost(error(builder().cores(3).deterministic(false)), source);
    let without_races = Checks {
        races: false,
        ..Checks::default()
    };
    lost(error(builder().checks(without_races)), source);
    let only: Checks = "none, lost-updates".parse().unwrap();
    lost(error(builder().checks(only)), source);
    for off in ["-lost-updates", "none"] {
        let checks: Checks = off.parse().unwrap();
        let (_, counted) = run(builder().checks(checks)).unwrap();
        assert_eq!(counted, [1], "{off}");
    }
}

/// Counts values, in memory of the device's or the group's.
#[vortex::kernel]
fn histogram(x: &[u32], bins: &mut [u32], locally: bool) {
    let counted = local::<[u32; 4]>();
    let bin = (x[global_id()] % 4) as usize;
    if locally {
        if local_id() < 4 {
            counted[local_id()] = 0;
        }
        barrier();
        counted[bin] = counted[bin] + 1;
        barrier();
        if local_id() < 4 {
            bins[local_id()] = counted[local_id()];
        }
    } else {
        bins[(x[global_id()] % 4) as usize] = bins[(x[global_id()] % 4) as usize] + 1;
    }
}

#[test]
fn a_histogram_without_atomic_operations() {
    let device = builder().open().unwrap();
    for (values, is_lost) in [([7, 2, 1, 4], false), ([7, 2, 3, 4], true)] {
        let x = device.upload(&values).unwrap();
        for (locally, source) in [(false, "bins[(x["), (true, "counted[bin] = ")] {
            let mut bins = device.upload(&[0u32; 4]).unwrap();
            let outcome = histogram(&x, &mut bins, locally)
                .grid(1)
                .block(4)
                .launch(&device);
            if is_lost {
                let report = lost(outcome, source);
                let items = [report.item, report.first_item].map(|item| item.unwrap().item);
                assert_eq!(items, [2, 0], "{report}");
            } else {
                outcome.unwrap();
                assert_eq!(bins.download().unwrap(), [1; 4]);
            }
        }
    }
}

/// All items do something to one element.
#[vortex::kernel]
fn crowd(c: &mut [u32], x: &[u32], what: u32) {
    let by = x[global_id()];
    if what == 0 {
        c[0] = 7;
    } else if what == 1 {
        if c[0] == 0 {
            c[0] = 7;
        }
    } else if what == 2 {
        c[0] |= by;
    } else if what == 3 {
        c[0] = c[0].max(by);
    } else if what == 4 {
        if by > c[0] {
            c[0] = by;
        }
    } else if what == 5 {
        c[0] ^= by;
    } else if what == 6 {
        c[0] = if c[0] == 0 { 1 } else { 0 };
    } else if what == 7 {
        for _ in 0..3 {
            c[0] += by;
        }
    } else if what == 8 {
        let mut sum = c[0];
        for k in 0..by {
            sum = sum * 3 + k;
        }
        c[0] = sum;
    } else if what == 9 {
        c[0] += warp::reduce_add(by);
    } else if what == 10 {
        c[0] = (c[0] & 6) | by;
    } else if what == 11 {
        let seen = c[0];
        c[1] = seen + 1;
    }
}

const CROWD: [&str; 12] = [
    "c[0] = 7;",
    "c[0] = 7;",
    "c[0] |= by;",
    "c[0] = c[0].max(by);",
    "c[0] = by;",
    "c[0] ^= by;",
    "c[0] = if c[0] == 0 { 1 } else { 0 };",
    "c[0] += by;",
    "c[0] = sum;",
    "c[0] += warp::reduce_add(by);",
    "c[0] = (c[0] & 6) | by;",
    "c[1] = seen + 1;",
];

#[test]
fn what_the_items_of_a_warp_do_to_one_element() {
    let device = builder().open().unwrap();
    let run = |by: [u32; 8], what: usize| {
        let mut c = device.upload(&[0u32, 0]).unwrap();
        let x = device.upload(&by).unwrap();
        let outcome = crowd(&mut c, &x, what as u32).over(8).launch(&device);
        outcome.map(|report| (report, c.download().unwrap()))
    };
    // As if one item went after the other, where all do the same.
    let same = [5u32; 8];
    for (what, left) in [
        (0, [7, 0]),
        (1, [7, 0]),
        (2, [5, 0]),
        (3, [5, 0]),
        (4, [5, 0]),
        (9, [40, 0]),
        (10, [5, 0]),
        (11, [0, 1]),
    ] {
        assert_eq!(run(same, what).unwrap().1, left, "{}", CROWD[what]);
    }
    for what in [5, 6, 7, 8] {
        lost(run(same, what).map(|(report, _)| report), CROWD[what]);
    }
    // Nothing is lost if nothing changes.
    for what in [2, 3, 4, 5, 7, 9] {
        assert_eq!(run([0; 8], what).unwrap().1, [0, 0], "{}", CROWD[what]);
    }
    let different = [1u32, 2, 3, 4, 5, 6, 7, 8];
    for what in [2, 3, 4, 5, 7, 8, 10] {
        lost(run(different, what).map(|(report, _)| report), CROWD[what]);
    }
    // Of those that take part, one is alone.
    let one = [0, 0, 0, 9, 0, 0, 0, 0];
    assert_eq!(run(one, 4).unwrap().1, [9, 0]);
}

/// A count with other things around it.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq, vortex::DeviceType)]
struct Bin {
    name: u32,
    count: f32,
}

/// Elements of other types, by other ways.
#[vortex::kernel]
fn typed(
    bytes: &mut [u8],
    wide: &mut [u64],
    bins: &mut [Bin],
    to: *mut f32,
    flags: &mut [bool],
    what: u32,
    at: usize,
) {
    let i = global_id() * at;
    if what == 0 {
        bytes[i] += 1;
    } else if what == 1 {
        wide[i] += 1;
    } else if what == 2 {
        bins[i].count = bins[i].count + 1.0;
    } else if what == 3 {
        add_one(&mut bins[i]);
    } else if what == 4 {
        // SAFETY: there are as many as items.
        unsafe { *to.add(i) += 1.0 };
    } else if what == 5 {
        flags[i] = flags[i] || bytes[i] == 0;
    } else if what == 6 {
        flags[i] = !flags[i];
    } else if what == 7 {
        bytes[i] = 0;
        bytes[i] += 1;
    } else if what == 8 {
        if global_id() % 2 == 1 {
            bytes[i] += 1;
        }
    }
}

#[vortex::device]
fn add_one(bin: &mut Bin) {
    bin.count += 1.0;
}

const TYPED: [&str; 9] = [
    "bytes[i] += 1;",
    "wide[i] += 1;",
    "bins[i].count = ",
    "add_one(&mut bins[i]);",
    "*to.add(i) += 1.0",
    "",
    "flags[i] = !flags[i];",
    "",
    "bytes[i] += 1;",
];

#[test]
fn elements_of_all_types() {
    let device = builder().open().unwrap();
    let run = |what: usize, at| {
        let mut bytes = device.upload(&[0u8; 8]).unwrap();
        let mut wide = device.upload(&[u64::from(u32::MAX); 8]).unwrap();
        let mut bins = device.upload(&[Bin::default(); 8]).unwrap();
        let mut floats = device.upload(&[0f32; 8]).unwrap();
        let mut flags = device.upload(&[false; 8]).unwrap();
        let launch = typed(
            &mut bytes,
            &mut wide,
            &mut bins,
            floats.as_mut_ptr(),
            &mut flags,
            what as u32,
            at,
        );
        launch.over(8).launch(&device)
    };
    for (what, line) in TYPED.into_iter().enumerate() {
        // Each its own element.
        run(what, 1).unwrap();
        let outcome = run(what, 0);
        match what {
            5 | 7 => _ = outcome.unwrap(),
            _ => {
                let message = lost(outcome, line).to_string();
                let says = match what {
                    0 | 8 => {
                        "`u8` has no atomic operations, and `u32` has, by which the change is one step, such as \
                         `bytes.atomic(i)."
                    }
                    1 => "`u64` has no atomic operations, and `u32` has",
                    2 | 3 => "`Bin` has no atomic operations, and `u32` has",
                    4 => "make it one step, such as `x.atomic(i).fetch_add(1, Relaxed)`, or leave",
                    _ => "`bool` has no atomic operations, and `u32` has",
                };
                assert!(message.contains(says), "{message}");
            }
        }
    }
}

/// Items that change each other's elements in a loop, all in step.
#[vortex::kernel]
fn rows(c: &mut [u32], n: usize, steps: usize) {
    let i = global_id();
    for k in 0..n {
        c[(k + i * steps) % n] += 1;
    }
}

#[test]
fn elements_that_change_from_iteration_to_iteration() {
    let device = builder().open().unwrap();
    let mut c = device.upload(&[0u32; 8]).unwrap();
    rows(&mut c, 8, 1).over(8).launch(&device).unwrap();
    assert_eq!(c.download().unwrap(), [8; 8]);
    let report = lost(rows(&mut c, 8, 4).over(8).launch(&device), "c[(k +");
    assert_eq!(report.trap.lane, Some(2));
}

/// All items go over all elements.
#[vortex::kernel]
fn everywhere(c: &mut [u32]) {
    for k in 0..c.len() {
        c[k] += 1;
    }
}

#[test]
fn loops_without_checks_of_the_index() {
    let device = builder().open().unwrap();
    for length in [4, 100] {
        let mut c = device.upload(&vec![0u32; length]).unwrap();
        lost(everywhere(&mut c).over(8).launch(&device), "c[k] += 1;");
        everywhere(&mut c).over(1).launch(&device).unwrap();
    }
}

/// Stores to its own element, then to one for all: the warp has stored to all of them before.
#[vortex::kernel]
fn own_then_one(x: &mut [u32], what: u32) {
    let i = global_id();
    x[i] = 1;
    if what == 0 {
        x[0] = i as u32;
    } else if what == 1 {
        x[i % 2] = i as u32;
    } else {
        x[7 - i] = i as u32;
    }
}

#[test]
fn values_that_collide_where_the_warp_has_stored_before() {
    let device = builder().open().unwrap();
    let mut x = device.alloc(8).unwrap();
    for what in 0..2 {
        let outcome = own_then_one(&mut x, what).over(8).launch(&device);
        let Err(Error::Trap(report)) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(matches!(report.trap.kind, TrapKind::StoreCollision { .. }));
    }
    own_then_one(&mut x, 2).over(8).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [7, 6, 5, 4, 3, 2, 1, 0]);
}
