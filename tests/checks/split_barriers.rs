//! Barriers in two halves: what they do not order, and who waits for ever.

use vortex::codegen::Tuning;
use vortex::prelude::*;
use vortex::sim::{Checks, TrapKind};
use vortex::{Error, Generation, TrapReport};

/// Both halves are instructions of their own on Vortex 3.
fn halves(generation: Generation) -> Tuning {
    let mut tuning = Tuning::of(generation);
    tuning.split_barriers = true;
    tuning
}

fn device(generation: Generation, races: bool) -> Device {
    let checks = Checks {
        races,
        ..Checks::default()
    };
    let builder = Device::builder()
        .generation(generation)
        .tuning(halves(generation));
    let builder = builder.cores(1).warps(4).threads(4);
    builder.checks(checks).open().unwrap()
}

/// Each item reads what one of the next warp wrote: before it waits, or after others have written again.
#[vortex::kernel]
fn hurried(x: &[u32], out: &mut [u32], reads: bool, writes: bool) {
    let tile = local::<[u32; 8]>();
    let (i, other) = (local_id(), (local_id() + 4) % 8);
    tile[i] = x[global_id()];
    let mut sum = 0;
    let token = barrier::arrive();
    if reads {
        sum += tile[other];
    }
    if writes {
        tile[i] = sum + 5;
    }
    token.wait();
    sum += tile[other];
    barrier();
    out[global_id()] = sum;
}

fn run(generation: Generation, reads: bool, writes: bool) -> Result<Vec<u32>, Box<TrapReport>> {
    let device = device(generation, true);
    let x = device.upload(&[1; 24]).unwrap();
    let mut out = device.alloc(24).unwrap();
    let launch = hurried(&x, &mut out, reads, writes);
    match launch.grid(3).block(8).launch(&device) {
        Ok(_) => Ok(out.download().unwrap()),
        Err(Error::Trap(report)) => Err(report),
        Err(error) => panic!("{error}"),
    }
}

/// The lines of source of both accesses, of a race.
fn lines(outcome: Result<Vec<u32>, Box<TrapReport>>) -> [String; 2] {
    let report = outcome.unwrap_err();
    let message = report.to_string();
    assert!(
        matches!(report.trap.kind, TrapKind::DataRace { .. }),
        "{message}"
    );
    let lines = message
        .lines()
        .filter_map(|line| Some(line.split_once(" | ")?.1.trim()));
    let lines = lines.filter(|line| *line != "^").map(str::to_owned);
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.try_into().unwrap_or_else(|_| panic!("{message}"))
}

#[test]
fn accesses_between_the_halves_are_not_ordered() {
    for generation in [Generation::V2, Generation::V3] {
        assert_eq!(run(generation, false, false).unwrap(), [1; 24]);
        assert_eq!(
            lines(run(generation, true, false)),
            ["sum += tile[other];", "tile[i] = x[global_id()];"]
        );
    }
    // What is written after the arrival is not there for those who wait.
    assert_eq!(
        lines(run(Generation::V3, false, true)),
        ["sum += tile[other];", "tile[i] = sum + 5;"]
    );
    // Where the second half is a whole barrier, it is.
    assert_eq!(run(Generation::V2, false, true).unwrap(), [5; 24]);
}

/// Groups of eight items fit a warp, in which only lockstep orders what the halves do not.
#[test]
fn nor_are_those_of_the_lanes_of_a_warp() {
    let run = |generation, reads, writes| {
        let builder = Device::builder()
            .generation(generation)
            .tuning(halves(generation));
        let builder = builder.cores(1).warps(2).threads(8);
        let checks: Checks = "lockstep".parse().unwrap();
        let device = builder.checks(checks).open().unwrap();
        let x = device.upload(&[1; 24]).unwrap();
        let mut out = device.alloc(24).unwrap();
        let launch = hurried(&x, &mut out, reads, writes);
        match launch.grid(3).block(8).launch(&device) {
            Ok(_) => true,
            Err(Error::Trap(report)) => {
                let kind = &report.trap.kind;
                assert!(matches!(kind, TrapKind::OnlyLockstep { .. }), "{report}");
                false
            }
            Err(error) => panic!("{error}"),
        }
    };
    for generation in [Generation::V2, Generation::V3] {
        assert!(run(generation, false, false));
        assert!(!run(generation, true, false));
    }
    assert!(!run(Generation::V3, false, true));
    assert!(run(Generation::V2, false, true));
}

/// Arrives at one of two barriers.
#[vortex::kernel]
fn torn(been: &[u32], to: *mut u32, out: &mut [u32]) {
    let first = been[group_id()] == 0;
    // SAFETY: what is behind a shared slice does not change, which a launch below does not keep to. It depends on
    // what was loaded, so that it comes after that.
    unsafe { *to = 1 + first as u32 };
    if first {
        let token = barrier::arrive();
        out[global_id()] = 1;
        token.wait();
    } else {
        let token = barrier::arrive();
        out[global_id()] = 2;
        token.wait();
    }
}

#[test]
fn arrivals_at_different_places() {
    for generation in [Generation::V2, Generation::V3] {
        let device = device(generation, false);
        let (been, mut flag) = (device.upload(&[0]).unwrap(), device.upload(&[0]).unwrap());
        let pointer = flag.as_mut_ptr();
        let mut out = device.alloc(8).unwrap();
        let mut run = |been: &Buffer<u32>| {
            let launch = torn(been, pointer, &mut out);
            launch.grid(1).block(8).launch(&device)
        };
        run(&been).unwrap();
        flag.write(&[0]).unwrap();
        let error = run(&flag).unwrap_err();
        let message = error.to_string();
        let Error::Trap(report) = error else {
            panic!("{message}")
        };
        let kind = &report.trap.kind;
        assert!(matches!(kind, TrapKind::OtherBarrier { .. }), "{message}");
        let (own, waits) = (report.item.unwrap(), report.first_item.unwrap());
        assert_eq!(own.item.abs_diff(waits.item), 4, "{message}");
        // Where it comes to, and where the other one waits.
        let [own, waits] = [&report.at, &report.first].map(|at| at.as_ref().unwrap().line);
        let from_wait = match generation {
            Generation::V2 => 4,
            Generation::V3 => 2,
        };
        assert_eq!(own, waits + from_wait, "{message}");
        // Nothing is held against the next launch.
        run(&been).unwrap();
    }
}

/// Comes to a barrier, or does not, and leaves a word for others.
#[vortex::kernel]
fn missing(been: &[u32], to: *mut u32, out: &mut [u32]) {
    let seen = been[group_id()];
    let first = seen == 0;
    // SAFETY: what is behind a shared slice does not change, which a launch below does not keep to. It depends on
    // what was loaded, so that it comes after that.
    unsafe { *to = seen | 1 };
    if first {
        let token = barrier::arrive();
        out[global_id()] = 1;
        token.wait();
    }
}

#[test]
fn warps_that_never_arrive_are_waited_for() {
    for generation in [Generation::V2, Generation::V3] {
        // Races are the cause, and are not watched for.
        let device = device(generation, false);
        let (been, mut flag) = (device.upload(&[0]).unwrap(), device.upload(&[0]).unwrap());
        let pointer = flag.as_mut_ptr();
        let mut out = device.alloc(8).unwrap();
        let mut run = |been: &Buffer<u32>| {
            let launch = missing(been, pointer, &mut out);
            launch.grid(1).block(8).launch(&device)
        };
        run(&been).unwrap();
        flag.write(&[0]).unwrap();
        let error = run(&flag).unwrap_err();
        let message = error.to_string();
        let Error::Trap(report) = error else {
            panic!("{message}")
        };
        assert!(
            matches!(report.trap.kind, TrapKind::Deadlock { .. }),
            "{message}"
        );
        for part in [
            "all warps of a group have to come to the same barriers",
            "token.wait();",
            match generation {
                Generation::V2 => "where 1 of 2 warps arrived",
                Generation::V3 => "the end of a phase of barrier 256, in which 1 warp arrived",
            },
        ] {
            assert!(message.contains(part), "{part:?} is not in: {message}");
        }
        flag.write(&[0]).unwrap();
        run(&been).unwrap();
    }
}
