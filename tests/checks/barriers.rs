//! Warps of a group that come to different barriers, and what only looks as if they did.

use vortex::prelude::*;
use vortex::sim::{Checks, TrapKind};
use vortex::{Error, Report, TrapReport};

/// One core of two warps of four threads that does not watch for data races: they are the cause of what is found here.
fn racing(barriers: bool) -> Device {
    let checks = Checks {
        races: false,
        barriers,
        ..Checks::default()
    };
    let builder = Device::builder().cores(1).warps(2).threads(4);
    builder.checks(checks).open().unwrap()
}

/// The report of a warp that comes to another barrier than the one where others of its core wait.
fn elsewhere(outcome: Result<Report, Error>) -> TrapReport {
    let error = outcome.unwrap_err();
    let message = error.to_string();
    let Error::Trap(report) = error else {
        panic!("{message}")
    };
    assert!(
        matches!(report.trap.kind, TrapKind::OtherBarrier { .. }),
        "{message}"
    );
    *report
}

/// Waits at one of two barriers, and in between leaves a word for others.
#[vortex::kernel]
fn torn(been: &[u32], to: *mut u32, sums: &mut [u32], other: bool) {
    let tile = local::<[u32; 8]>();
    let i = local_id();
    tile[i] = 1;
    let first = been[group_id()] == 0;
    // SAFETY: what is behind a shared slice does not change, which a launch below does not keep to.
    // It depends on what was loaded, so that it comes after that.
    unsafe { *to = 1 + first as u32 };
    if first {
        barrier();
    } else if other {
        tile[i] = 2;
        barrier();
    }
    sums[global_id()] = tile[i];
}

#[test]
fn barriers_at_different_places() {
    let device = racing(true);
    let (been, mut flag) = (device.upload(&[0]).unwrap(), device.upload(&[0]).unwrap());
    let pointer = flag.as_mut_ptr();
    let mut sums = device.alloc(8).unwrap();
    for other in [true, false] {
        let mut run = |been: &Buffer<u32>| {
            let launch = torn(been, pointer, &mut sums, other);
            launch.grid(1).block(8).launch(&device)
        };
        run(&been).unwrap();
        flag.write(&[0]).unwrap();
        // Warp 1 comes first, and waits. Warp 0 sees that it was there.
        let report = elsewhere(run(&flag));
        let (own, waits) = (report.item.unwrap(), report.first_item.unwrap());
        assert_eq!((own.item, waits.item), (0, 4));
        assert_eq!((report.trap.core, report.trap.warp), (0, 0));
        let line = report.first.as_ref().unwrap().line;
        let message = report.to_string();
        for part in [
            "kernel torn: barrier mismatch: core 0, warp 1 waits for this warp, but elsewhere or for another group (barrier 0, where 1 of 2 warps arrived, at 0x",
            "all warps of a group have to come to the same barriers",
            "core 0, warp 0, first work item 0 of group 0, ",
            "\nthe other warp, first work item 4 of group 0, waits at tests/checks/barriers.rs:",
        ] {
            assert!(message.contains(part), "{part:?} is not in: {message}");
        }
        match &report.at {
            // The barrier in the other arm.
            Some(at) if other => assert_eq!(at.line, line + 3, "{message}"),
            None if !other => {
                let ends = ", first work item 0 of group 0, where its group ends\n";
                assert!(message.contains(ends), "{message}");
            }
            _ => panic!("{message}"),
        }
        // Nothing is held against the next launch.
        run(&been).unwrap();
    }
}

/// The same without local memory: groups do not end with a barrier.
#[vortex::kernel]
pub(crate) fn skipped(been: &[u32], to: *mut u32, sums: &mut [u32]) {
    let seen = been[group_id()];
    let first = seen == 0;
    // SAFETY: as above. What is stored depends on what was seen, so this is not done before.
    unsafe { *to = seen | 1 };
    if first {
        barrier();
    }
    sums[global_id()] = 1;
}

#[test]
fn one_barrier_of_two_groups() {
    let device = racing(true);
    let been = device.upload(&[0; 3]).unwrap();
    let mut flags = device.upload(&[0; 3]).unwrap();
    let pointer = flags.as_mut_ptr();
    let mut sums = device.alloc(24).unwrap();
    let mut run = |been: &Buffer<u32>| {
        let launch = skipped(been, pointer, &mut sums);
        launch.grid(3).block(8).launch(&device)
    };
    run(&been).unwrap();
    flags.write(&[0; 3]).unwrap();
    // In the first group warp 0 goes past the barrier at which warp 1 waits, and comes to it in the second.
    let report = elsewhere(run(&flags));
    let (own, waits) = (report.item.unwrap(), report.first_item.unwrap());
    assert_eq!((own.item, waits.item), (8, 4), "{report}");
    assert_eq!((own.group, waits.group), (Some([1, 0, 0]), Some([0; 3])));
    assert_eq!(report.at, report.first);
    assert!(report.at.is_some());

    // Nobody looks: what meets is no one's business, and the last group is left waiting, or nobody is.
    let device = racing(false);
    let mut flags = device.upload(&[0; 3]).unwrap();
    let mut sums = device.alloc(24).unwrap();
    let pointer = flags.as_mut_ptr();
    let outcome = skipped(&flags, pointer, &mut sums);
    let error = outcome.grid(3).block(8).launch(&device).unwrap_err();
    assert!(error.to_string().contains("deadlock"), "{error}");
}

#[vortex::device]
fn settle(tile: &mut Local<[u32; 64]>, by: u32) {
    let i = local_id();
    tile[i] += by;
    barrier();
}

/// Barriers in loops that are unrolled, or of which there are two versions; in functions, at several places; under
/// conditions that groups, but not launches agree about; in library functions; and some items have returned.
#[vortex::kernel]
fn much(x: &[u32], out: &mut [u32], turns: usize) {
    let tile = local::<[u32; 64]>();
    let i = local_id();
    let n = local_size();
    tile[i] = i as u32;
    barrier();
    for turn in 0..3usize {
        let next = tile[(i + 1) % n];
        barrier();
        tile[i] = next + turn as u32;
        barrier();
    }
    let mut sum = 0;
    for turn in 0..turns {
        // In bounds for some warps only.
        let at = global_id() * turns + turn;
        if at < x.len() {
            sum += x[at];
        }
        settle(&mut tile, 1);
    }
    if group_id() % 2 == 0 {
        settle(&mut tile, 2);
    } else {
        settle(&mut tile, 3);
        barrier();
    }
    sum += group::reduce_add(sum);
    if i % 3 == 0 {
        return;
    }
    barrier();
    let all = group::reduce_max(sum);
    out[global_id()] = sum + all + tile[(i + 2) % n];
}

/// The same on the host: what each item of a group of `n` gets, unless it has returned.
fn expected(x: &[u32], n: usize, turns: usize, group: usize) -> Vec<u32> {
    let tile: Vec<u32> = (0..n)
        .map(|i| {
            let settled = 2 + (group % 2) as u32 + turns as u32;
            ((i + 3) % n) as u32 + 3 + settled
        })
        .collect();
    let own = |i: usize| {
        let first = (group * n + i) * turns;
        let there = first.min(x.len())..(first + turns).min(x.len());
        x[there].iter().sum::<u32>()
    };
    let total: u32 = (0..n).map(own).sum();
    let sums: Vec<u32> = (0..n).map(|i| own(i) + total).collect();
    let left = (0..n).filter(|i| i % 3 != 0);
    let most = left.map(|i| sums[i]).max().unwrap_or(0);
    (0..n)
        .map(|i| match i % 3 {
            0 => 0,
            _ => sums[i] + most + tile[(i + 2) % n],
        })
        .collect()
}

#[test]
fn what_is_one_barrier_is_taken_for_one() {
    for (cores, warps, threads, n) in [(1, 2, 4, 8), (2, 4, 4, 10), (1, 8, 2, 5), (1, 16, 4, 64)] {
        for checks in [Checks::default(), Checks::all()] {
            let builder = Device::builder().cores(cores).warps(warps).threads(threads);
            let device = builder.checks(checks).open().unwrap();
            for turns in [0, 1, 4, 9] {
                let groups = 7;
                // What the last items would look at is missing.
                let x: Vec<u32> = (0..groups * n * turns * 2 / 3).map(|i| i as u32).collect();
                let buffer = device.upload(&x).unwrap();
                let mut out = device.alloc(groups * n).unwrap();
                much(&buffer, &mut out, turns)
                    .grid(groups)
                    .block(n)
                    .launch(&device)
                    .unwrap();
                let expected: Vec<u32> = (0..groups)
                    .flat_map(|group| expected(&x, n, turns, group))
                    .collect();
                assert_eq!(out.download().unwrap(), expected);
            }
        }
    }
}
