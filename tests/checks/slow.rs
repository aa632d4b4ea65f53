//! Launches that take long: what is said of them while they run, and whether they get anywhere.

use std::process::Command;
use std::time::Duration;

use vortex::prelude::*;
use vortex::sim::{Model, TrapKind};
use vortex::{DeviceBuilder, Error, Report};

fn builder() -> DeviceBuilder {
    let builder = Device::builder().cores(2).warps(2).threads(4);
    builder.instruction_budget(60_000)
}

/// Each item takes the lock before it counts; the lanes of a warp go in step, so who has it waits for those that have
/// not.
#[vortex::kernel]
fn spin_lock(lock: &mut [u32], counted: &mut [u32]) {
    while lock.atomic(0).swap(1, Acquire) != 0 {}
    counted[0] += 1;
    lock.atomic(0).store(0, Release);
}

/// The same, and only who finds it open takes it.
#[vortex::kernel]
fn exchanged_lock(lock: &mut [u32], counted: &mut [u32]) {
    while lock
        .atomic(0)
        .compare_exchange(0, 1, Acquire, Relaxed)
        .is_err()
    {}
    counted[0] += 1;
    lock.atomic(0).store(0, Release);
}

/// Waits for all items of the launch, of which some have yet to begin.
#[vortex::kernel]
fn all_together(arrived: &mut [u32]) {
    arrived.atomic(0).fetch_add(1, Relaxed);
    while arrived.atomic(0).load(Relaxed) < global_size() as u32 {}
}

/// Takes its time, and something gets on.
#[vortex::kernel]
fn long(c: &mut [u32], what: u32) {
    let mut tries = 0u32;
    while c.atomic(0).load(Relaxed) < 0xffff_fff0 {
        if what == 0 {
            c.atomic(0).fetch_add(1, Relaxed);
        } else if what == 1 {
            tries += 1;
            if tries == 0xffff_fff0 {
                break;
            }
        } else if what == 2 {
            c[1 + global_id()] += 1;
        }
    }
}

/// Never looks at memory.
#[vortex::kernel]
fn endless(c: &mut [u32]) {
    let mut i = c[0];
    while i != 1 {
        i = i.wrapping_add(2);
    }
    c[0] = i;
}

/// Whether a launch that was stopped for its budget was a livelock.
fn livelock(outcome: Result<Report, Error>) -> bool {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    let TrapKind::BudgetSpent { livelock, .. } = report.trap.kind else {
        panic!("{message}")
    };
    let why = match livelock {
        true => "a livelock: all warps that run repeat atomic operations that change nothing",
        false => "an endless loop, unless a larger budget is needed",
    };
    assert!(message.contains(why), "{message}");
    assert!(report.at.is_some(), "{message}");
    livelock
}

#[test]
fn livelocks_are_told_from_long_loops() {
    for model in [Model::Functional, Model::cycle()] {
        let device = builder().model(model).open().unwrap();
        let zeros = || device.upload(&[0u32; 40]).unwrap();
        let (mut lock, mut counted) = (zeros(), zeros());
        let outcome = spin_lock(&mut lock, &mut counted).over(16).launch(&device);
        assert!(livelock(outcome));
        let (mut lock, mut counted) = (zeros(), zeros());
        let outcome = exchanged_lock(&mut lock, &mut counted)
            .over(16)
            .launch(&device);
        assert!(livelock(outcome));
        assert!(livelock(
            all_together(&mut zeros()).over(32).launch(&device)
        ));
        all_together(&mut zeros()).over(16).launch(&device).unwrap();
        for what in 0..3 {
            let outcome = long(&mut zeros(), what).over(16).launch(&device);
            assert!(!livelock(outcome), "{what}");
        }
        assert!(!livelock(endless(&mut zeros()).over(16).launch(&device)));
    }
}

/// All others wait for the first, which has more to do than is looked at.
#[vortex::kernel]
fn first_works(c: &mut [u32]) {
    if global_id() == 0 {
        let mut x = 1u32;
        for k in 0..40_000 {
            x = x.wrapping_mul(k + 3) ^ k;
        }
        c[1] = x;
        c.atomic(0).store(1, Release);
    } else {
        while c.atomic(0).load(Acquire) == 0 {}
    }
}

#[test]
fn what_never_ends_is_ended_as_soon_as_it_is_known() {
    let builder = || builder().instruction_budget(300_000);
    let patient = builder().patience(Duration::from_millis(1));
    let device = patient.open().unwrap();
    let zeros = || device.upload(&[0u32; 40]).unwrap();
    let never_ends = |outcome: Result<Report, Error>| {
        let error = outcome.unwrap_err();
        let message = error.to_string();
        let Error::Trap(report) = error else {
            panic!("{message}")
        };
        assert_eq!(report.trap.kind, TrapKind::Livelock, "{message}");
        for part in [
            ": it will never end, for it is a livelock: all warps that run repeat atomic operations",
            "`x.atomic(i).fetch_add(v, Relaxed)`",
            ", first work item ",
            ", at tests/checks/slow.rs:",
        ] {
            assert!(message.contains(part), "{part:?} is not in: {message}");
        }
    };
    let (mut lock, mut counted) = (zeros(), zeros());
    never_ends(spin_lock(&mut lock, &mut counted).over(16).launch(&device));
    let (mut lock, mut counted) = (zeros(), zeros());
    let locked = exchanged_lock(&mut lock, &mut counted).over(16);
    never_ends(locked.launch(&device));
    never_ends(all_together(&mut zeros()).over(32).launch(&device));
    for what in 0..3 {
        let outcome = long(&mut zeros(), what).over(16).launch(&device);
        assert!(!livelock(outcome), "{what}");
    }
    // Whatever is said of long launches.
    let silent = Device::builder().patience(None).open().unwrap();
    let mut lock = silent.upload(&[0u32; 1]).unwrap();
    let mut counted = silent.upload(&[0u32; 1]).unwrap();
    never_ends(
        exchanged_lock(&mut lock, &mut counted)
            .over(64)
            .launch(&silent),
    );
}

#[test]
fn waiting_for_one_that_works_is_none() {
    let device = Device::builder().cores(1).warps(2).threads(1);
    let device = device.patience(Duration::from_millis(1)).open().unwrap();
    let mut c = device.upload(&[0u32; 2]).unwrap();
    first_works(&mut c).over(2).launch(&device).unwrap();
}

#[test]
fn the_budget_is_what_it_was() {
    let device = builder().open().unwrap();
    let mut c = device.upload(&[0u32; 40]).unwrap();
    let before = device.progress().instructions();
    endless(&mut c).over(16).launch(&device).unwrap_err();
    let spent = device.progress().instructions() - before;
    assert_eq!(spent, 60_000);
}

/// What the test below runs in a process of its own.
#[test]
#[ignore = "says on stderr that it takes long"]
fn takes_long() {
    let model = match std::env::var("TAKES_LONG").unwrap().as_str() {
        "cycle" => Model::cycle(),
        _ => Model::Functional,
    };
    let builder = builder().model(model).instruction_budget(150_000);
    let builder = match std::env::var("TAKES_LONG").unwrap().as_str() {
        "threads" => builder
            .deterministic(false)
            .patience(Duration::from_millis(1)),
        "never" => builder.patience(None),
        _ => builder.patience(Duration::from_millis(1)),
    };
    let device = builder.open().unwrap();
    let mut arrived = device.upload(&[0u32]).unwrap();
    for _ in 0..2 {
        arrived.write(&[0]).unwrap();
        all_together(&mut arrived)
            .over(32)
            .launch(&device)
            .unwrap_err();
    }
}

#[test]
fn it_is_said_once_that_a_launch_takes_long() {
    let said = |how: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "slow::takes_long", "--ignored", "--nocapture"]);
        let output = child.env("TAKES_LONG", how).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    const BEGINS: &str = "kernel all_together is still running after 1ms, ";
    for how in ["cycle", "threads"] {
        let text = said(how);
        assert_eq!(text.matches(BEGINS).count(), 2, "{text}");
        let is_found_out = text.contains("  it is a livelock: ");
        assert_eq!(is_found_out, how == "cycle", "{text}");
        for part in [
            " instructions of warps so far",
            " at tests/checks/slow.rs:",
            ", with work item ",
            "  it is stopped after 150000 instructions (VORTEX_BUDGET), or by Ctrl-C; VORTEX_PATIENCE says when this is \
             said, and with `none` it is not",
        ] {
            assert!(text.contains(part), "{part:?} is not in: {text}");
        }
    }
    for how in ["functional", "never"] {
        assert!(!said(how).contains("still running"), "{how}");
    }
}
