//! One kernel for each mistake that a kernel can make, and one close to it that makes none. docs/device.md lists them.
//!
//! Whatever the mistake, its error names kernel, core, warp, lane, group and work item, address, disassembly and source
//! line, and says what would be right. Mistakes that no kernel of this language can make are those of programs in
//! vortex-host/sim/tests/sim.

use vortex::prelude::*;
use vortex::sim::{Checks, TrapKind, UninitialisedUse};
use vortex::{Error, Report, TrapReport, WaitingWarp};

use crate::barriers::skipped;

/// One core of two warps of four threads, watched in all respects.
fn device() -> Device {
    watched(1)
}

fn watched(cores: u32) -> Device {
    let builder = Device::builder().cores(cores).warps(2).threads(4);
    builder
        .checks(Checks::all())
        .instruction_budget(100_000)
        .open()
        .unwrap()
}

/// The report of a launch that was stopped at the line of `source`, and says what would be right.
fn stopped(outcome: Result<Report, Error>, source: &str, right: &str) -> TrapReport {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    let trap = &report.trap;
    let inst = trap.inst().unwrap();
    let item = report.item.unwrap();
    let mut parts = vec![
        format!("{:#010x}: {}", trap.pc, inst.at(trap.pc)),
        format!("core {}, warp {}", trap.core, trap.warp),
        format!("at {}", report.at.as_ref().unwrap()),
        format!("| {source}"),
        right.to_owned(),
    ];
    match (&trap.kind, report.first_item) {
        (TrapKind::DataRace { .. } | TrapKind::StoreCollision { .. }, Some(other)) => {
            let [first, second] = [item.item.min(other.item), item.item.max(other.item)];
            parts.push(match item.group == other.group {
                true => format!("kernel {}, work items {first} and {second}", report.kernel),
                false => format!("kernel {}, work item {first} of group ", report.kernel),
            });
            parts.extend(trap.lane.map(|lane| format!(", lane {lane}")));
        }
        _ => {
            parts.push(format!("kernel {}: ", report.kernel));
            parts.push(format!("work item {}", item.item));
            parts.extend(trap.lane.map(|lane| format!(", lane {lane}, work item")));
        }
    }
    parts.extend(item.group.map(|[x, ..]| format!(" of group {x}")));
    for part in parts {
        assert!(message.contains(&part), "{part:?} is not in: {message}");
    }
    *report
}

/// The report of a launch that was stopped at the line of `source`, where something depends on an element of local
/// memory that no item had written.
fn unwritten(outcome: Result<Report, Error>, source: &str, element: &str) -> TrapReport {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    let trap = &report.trap;
    let parts = [
        format!(": {element} is read before any item of the group has written it"),
        format!("at {}", report.first.as_ref().unwrap()),
        format!("depends on it, at {}", report.at.as_ref().unwrap()),
        format!("| {source}"),
        format!("{:#010x}: {}", trap.pc, trap.inst().unwrap().at(trap.pc)),
        format!("core {}, warp {}", trap.core, trap.warp),
    ];
    for part in parts {
        assert!(message.contains(&part), "{part:?} is not in: {message}");
    }
    let reader = format!("kernel {}, {}: ", report.kernel, report.first_item.unwrap());
    assert!(message.starts_with(&reader), "{message}");
    *report
}

/// Reads through a pointer that nothing is known of, and writes likewise.
#[vortex::kernel]
fn through(from: *const u32, to: *mut u32, far: usize) {
    let i = global_id();
    // SAFETY: some launches break this promise, to see what happens.
    let value = unsafe { *from.add(i) };
    // SAFETY: likewise.
    unsafe { *to.add(far + i) = value };
}

const READS: &str = "    let value = unsafe { *from.add(i) };";
const WRITES: &str = "    unsafe { *to.add(far + i) = value };";

#[test]
fn out_of_bounds() {
    let device = device();
    let (five, six) = (
        device.upload(&[1; 5]).unwrap(),
        device.upload(&[1; 6]).unwrap(),
    );
    let mut to = device.alloc(6).unwrap();
    let mut run = |from: &Buffer<u32>, far| {
        let launch = through(from.as_ptr(), to.as_mut_ptr(), far);
        launch.grid(3).block(2).launch(&device)
    };
    run(&six, 0).unwrap();
    let past = "0 bytes past the end of the allocation at 0x";
    let report = stopped(run(&five, 0), READS, past);
    assert!(matches!(report.trap.kind, TrapKind::OutOfBounds { .. }));
    assert_eq!(report.item.unwrap().item, 5);
    let report = stopped(run(&six, 1), WRITES, past);
    assert!(matches!(report.trap.kind, TrapKind::OutOfBounds { .. }));
    assert_eq!(report.item.unwrap().item, 5);
}

#[test]
fn use_after_free() {
    let device = device();
    let mut to = device.alloc(8).unwrap();
    let from = device.upload(&[1; 8]).unwrap();
    let pointer = from.as_ptr();
    let mut run = || through(pointer, to.as_mut_ptr(), 0).over(8).launch(&device);
    run().unwrap();
    drop(from);
    let right = "which the host has freed; a buffer has to live as long as kernels use it";
    let report = stopped(run(), READS, right);
    assert!(matches!(report.trap.kind, TrapKind::UseAfterFree { .. }));
}

#[test]
fn writes_to_the_program() {
    let device = device();
    let from = device.upload(&[1; 8]).unwrap();
    let mut to = device.alloc::<u32>(8).unwrap();
    let start = to.as_ptr().addr();
    let mut run = |far| {
        let launch = through(from.as_ptr(), to.as_mut_ptr(), far);
        launch.over(8).launch(&device)
    };
    run(0).unwrap();
    // Where the program is: an error says it.
    let pc = stopped(run(1), WRITES, "allocation").trap.pc;
    let far = (pc - start) as usize / 4;
    let report = stopped(run(far), WRITES, "this memory is read-only");
    assert!(matches!(report.trap.kind, TrapKind::AccessDenied { .. }));
    run(0).unwrap();
}

/// Copies what may be nothing; what becomes of the copy is another matter.
#[vortex::kernel]
fn uncertain(table: &[u32], to: &mut [u32], what: u32, written: bool) {
    let kept = local::<[u32; 4]>();
    let copied = local::<[u32; 4]>();
    let i = local_id();
    if written {
        kept[i] = i as u32;
    }
    copied[i] = kept[i];
    let copy = copied[i];
    if what == 1 {
        if copy == 7 {
            to[i] = 0;
        }
    } else if what == 2 {
        to[i] = table[copy as usize];
    } else if what == 3 {
        to[i] = copy;
    } else {
        to[i] = 1;
    }
}

#[test]
fn uninitialised() {
    let device = device();
    let table = device.upload(&[1; 4]).unwrap();
    let mut to = device.alloc(4).unwrap();
    let mut run = |what, written| {
        let launch = uncertain(&table, &mut to, what, written);
        launch.grid(1).block(4).launch(&device)
    };
    for what in 0..4 {
        run(what, true).unwrap();
    }
    // Copies alone are fine.
    run(0, false).unwrap();
    for (what, source) in [
        (1, "        if copy == 7 {"),
        (2, "        to[i] = table[copy as usize];"),
        (3, "        to[i] = copy;"),
    ] {
        let report = unwritten(run(what, false), source, "`kept[0]`");
        let TrapKind::Uninitialised { what: used, .. } = report.trap.kind else {
            panic!("{report}")
        };
        // The check of an index is a branch.
        let expected = match what {
            1 | 2 => matches!(
                used,
                UninitialisedUse::Branch | UninitialisedUse::ThreadMask
            ),
            _ => matches!(used, UninitialisedUse::Store { .. }),
        };
        assert!(expected, "{report}");
    }
}

/// An address made of what is in local memory.
#[vortex::kernel]
fn pointed(from: *const u32, to: &mut [u32], written: bool) {
    let offsets = local::<[u32; 4]>();
    let i = local_id();
    if written {
        offsets[i] = i as u32;
    }
    // SAFETY: there are four.
    to[i] = unsafe { *from.add(offsets[i] as usize) };
}

#[test]
fn uninitialised_addresses() {
    let device = device();
    let from = device.upload(&[1; 4]).unwrap();
    let mut to = device.alloc(4).unwrap();
    let mut run = |written| {
        let launch = pointed(from.as_ptr(), &mut to, written);
        launch.grid(1).block(4).launch(&device)
    };
    run(true).unwrap();
    let source = "    to[i] = unsafe { *from.add(offsets[i] as usize) };";
    let report = unwritten(run(false), source, "`offsets[0]`");
    let TrapKind::Uninitialised { what, .. } = report.trap.kind else {
        panic!("{report}")
    };
    assert!(matches!(what, UninitialisedUse::Address(_)));
}

/// The neighbour's value, by way of local memory.
#[vortex::kernel]
fn turned(x: &mut [u32], waits: bool) {
    let tile = local::<[u32; 8]>();
    let i = local_id();
    tile[i] = x[global_id()];
    if waits {
        barrier();
    }
    x[global_id()] = tile[7 - i];
}

#[test]
fn races_in_a_group_between_barriers() {
    let device = device();
    let mut x = device.upload(&[1; 8]).unwrap();
    let mut run = |waits| turned(&mut x, waits).grid(1).block(8).launch(&device);
    run(true).unwrap();
    // Of the two accesses, either may come last. Without a barrier what nobody wrote may be what is loaded, too.
    let unwatched = Checks {
        uninitialised: false,
        ..Checks::all()
    };
    let builder = Device::builder().cores(1).warps(2).threads(4);
    let device = builder.checks(unwatched).open().unwrap();
    let mut x = device.upload(&[1; 8]).unwrap();
    let outcome = turned(&mut x, false).grid(1).block(8).launch(&device);
    let right = "a `barrier();` between them, which all items of the group come to";
    let report = stopped(outcome, "", right);
    let TrapKind::DataRace { first, .. } = report.trap.kind else {
        panic!("{report}")
    };
    assert_eq!(first.warp + report.trap.warp, 1);
    assert_eq!(first.lane + report.trap.lane.unwrap(), 3);
    let items = [report.item, report.first_item].map(|item| item.unwrap());
    assert_eq!(items.map(|item| item.group), [Some([0; 3]); 2]);
    assert_eq!(items[0].item + items[1].item, 7, "{report}");
    let lines = [report.at.as_ref(), report.first.as_ref()].map(|at| at.unwrap().line);
    assert_eq!(lines[0].abs_diff(lines[1]), 4, "{report}");
    let message = report.to_string();
    for source in [
        "| \x20   tile[i] = x[global_id()];",
        "| \x20   x[global_id()] = tile[7 - i];",
    ] {
        assert!(message.contains(source), "{message}");
    }
}

/// Each group's items store to where the next group's load.
#[vortex::kernel]
fn passed_on(from: *const u32, to: *mut u32) {
    let i = global_id();
    // SAFETY: there is one more than items.
    let value = unsafe { *from.add(i) };
    // SAFETY: likewise.
    unsafe { *to.add(i + 4) = value };
}

#[test]
fn races_between_groups() {
    let device = watched(2);
    let values: [u32; 12] = std::array::from_fn(|i| i as u32);
    let mut x = device.upload(&values).unwrap();
    let mut y = device.upload(&values).unwrap();
    let launch = passed_on(x.as_ptr(), y.as_mut_ptr());
    launch.grid(2).block(4).launch(&device).unwrap();
    let launch = passed_on(x.as_ptr(), x.as_mut_ptr());
    let outcome = launch.grid(2).block(4).launch(&device);
    let right = "read from one slice and write to another, or do the second in a launch of its own";
    let report = stopped(outcome, "", right);
    let TrapKind::DataRace { first, .. } = report.trap.kind else {
        panic!("{report}")
    };
    // One group is on each core.
    assert_eq!(first.core + report.trap.core, 1);
    assert_eq!(Some(first.lane), report.trap.lane);
    let message = report.to_string();
    let other = report.first_item.unwrap();
    assert_eq!(report.item.unwrap().item.abs_diff(other.item), 4);
    let told = |access: &str| message.contains(&format!("\n{other} {access} it at tests/checks/"));
    assert!(told("reads") || told("writes"), "{message}");
    for source in [
        "let value = unsafe { *from.add(i) };",
        "unsafe { *to.add(i + 4) = value };",
    ] {
        assert!(message.contains(source), "{message}");
    }
}

/// All items store to one place.
#[vortex::kernel]
fn crowded(to: *mut u32, same: bool) {
    let value = if same { 1 } else { global_id() as u32 };
    // SAFETY: the value may be anybody's.
    unsafe { *to = value };
}

#[test]
fn lanes_that_store_to_one_place() {
    let device = device();
    let mut to = device.alloc(1).unwrap();
    let mut run = |same| crowded(to.as_mut_ptr(), same).over(4).launch(&device);
    run(true).unwrap();
    let source = "    unsafe { *to = value };";
    let report = stopped(
        run(false),
        source,
        "let each work item write an element of its own, or one of them alone",
    );
    let TrapKind::StoreCollision { other, .. } = report.trap.kind else {
        panic!("{report}")
    };
    assert_ne!(Some(other), report.trap.lane);
    assert_eq!(report.first_item.unwrap().item, other);
}

#[test]
fn deadlocks() {
    // Races are the cause, and are not watched for.
    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    let device = Device::builder().cores(1).warps(2).threads(4);
    let device = device.checks(checks).open().unwrap();
    let (been, mut other) = (device.upload(&[0]).unwrap(), device.upload(&[0]).unwrap());
    let pointer = other.as_mut_ptr();
    let mut sums = device.alloc(8).unwrap();
    let mut run = |been: &Buffer<u32>| {
        let launch = skipped(been, pointer, &mut sums);
        launch.grid(1).block(8).launch(&device)
    };
    run(&been).unwrap();
    other.write(&[0]).unwrap();
    // The first warp sees that the second has been there, and comes to no barrier at all.
    let right = "all warps of a group have to come to the same barriers";
    let report = stopped(run(&other), "        barrier();", right);
    assert!(matches!(report.trap.kind, TrapKind::Deadlock { .. }));
    let message = report.to_string();
    let waits = "core 0, warp 1, first work item 4 of group 0: barrier 0, where 1 of 2 warps arrived, at 0x";
    assert!(message.contains(waits), "{message}");
    let WaitingWarp {
        waiting, item, at, ..
    } = &report.waiting[0];
    assert_eq!((waiting.core, waiting.warp), (0, 1));
    assert_eq!(item.unwrap().item, 4);
    assert_eq!((at, waiting.pc), (&report.at, report.trap.pc));
}

/// Looks for what is not there.
#[vortex::kernel]
fn search(x: &[u32], to: &mut [u32]) {
    let mut i = global_id();
    while x[i] != 9 {
        i = (i + 1) % x.len();
    }
    to[global_id()] = i as u32;
}

#[test]
fn runaways() {
    let device = device();
    let mut to = device.alloc(4).unwrap();
    let found = device.upload(&[1, 2, 9, 3]).unwrap();
    search(&found, &mut to).over(4).launch(&device).unwrap();
    let lost = device.upload(&[1, 2, 3, 4]).unwrap();
    let outcome = search(&lost, &mut to).over(4).launch(&device);
    let right = "still running after 100000 instructions of warps, which is the budget: an endless loop, unless a larger budget is needed";
    let report = stopped(outcome, "", right);
    assert!(matches!(report.trap.kind, TrapKind::BudgetSpent { .. }));
    let line = report.at.as_ref().unwrap().line;
    let looping = line!() - 18;
    assert!((looping..looping + 2).contains(&line), "{report}");
}
