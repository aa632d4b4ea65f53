//! Traces of launches.

use vortex::prelude::*;
use vortex::trace::TraceLimits;
use vortex::{Generation, Trace};

#[vortex::kernel]
fn halves(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i % 2 == 0 {
        y[i] = x[i] / 2;
    }
}

fn traced(generation: Generation, limits: TraceLimits) -> Trace {
    let device = Device::builder()
        .cores(2)
        .warps(4)
        .threads(4)
        .generation(generation)
        .open()
        .unwrap();
    let x = device.upload(&(0..64u32).collect::<Vec<_>>()).unwrap();
    let mut y = device.upload(&[0u32; 64]).unwrap();
    halves(&x, &mut y).over(64).trace(&device, limits).unwrap()
}

#[test]
fn traces_have_all_instructions() {
    for generation in [Generation::V2, Generation::V3] {
        let trace = traced(generation, TraceLimits::default());
        let stores: Vec<_> = trace
            .instructions
            .iter()
            .filter(|at| trace.code[&at.pc].opcode == "sw")
            .collect();
        let lanes = |mask: u32| stores.iter().filter(|at| at.lanes == mask).count();
        assert!(lanes(0b0101) >= 16, "{generation}");
        let line = trace.code[&stores[0].pc].source.clone();
        assert!(
            stores.iter().any(|at| trace.code[&at.pc]
                .source
                .as_ref()
                .is_some_and(|(file, _)| file.ends_with("trace.rs"))),
            "{line:?}"
        );
        // The last socket of Vortex 3 has a core of its own.
        let path = if generation == Generation::V2 {
            "cluster0-socket0-core1"
        } else {
            "cluster0-socket1-core0"
        };
        assert_eq!(trace.path_of(1), path);
        assert_eq!(trace.instructions.len(), trace.to_csv().lines().count() - 1);
        // A store's operands are there, of the lanes that were on.
        let csv = trace.to_csv();
        assert!(csv.contains(",1010,,\"x"), "{csv}");
        assert_eq!(traced(generation, TraceLimits::default()).to_csv(), csv);
    }
}

#[test]
fn traces_end_where_they_are_to() {
    let limits = TraceLimits {
        instructions: 40,
        values: false,
        ..TraceLimits::default()
    };
    let trace = traced(Generation::V3, limits);
    assert_eq!(trace.instructions.len(), 40);
    assert!(trace.left_out > 100);
    assert!(
        trace
            .instructions
            .iter()
            .all(|at| at.operands.is_empty() && at.destination.is_none())
    );
    let limits = TraceLimits {
        cycles: 100..200,
        ..TraceLimits::default()
    };
    let trace = traced(Generation::V2, limits);
    assert!(
        trace
            .instructions
            .iter()
            .all(|at| (100..200).contains(&at.dispatched))
    );
    assert!(!trace.instructions.is_empty() && trace.left_out == 0);
}

#[vortex::kernel]
fn fails(y: &mut [u32]) {
    let i = global_id();
    y[i] = 1;
    assert!(i < 5, "too far");
}

/// In a process of its own, with `VORTEX_TRACE`: a launch that ends in an error, and one that does not.
#[test]
#[ignore = "run by `launches_that_fail_are_traced`"]
fn one_fails() {
    let device = Device::open().unwrap();
    let mut y = device.alloc::<u32>(8).unwrap();
    assert!(fails(&mut y).over_each().launch(&device).is_err());
    fails(&mut y).over(2).launch(&device).unwrap();
}

#[test]
fn launches_that_fail_are_traced() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fails.csv");
    let done = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "trace::one_fails", "--ignored"])
        .env("VORTEX_TRACE", &path)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    for name in ["fails.csv", "fails-2.csv", "fails.lines.csv"] {
        let text = std::fs::read_to_string(path.with_file_name(name)).unwrap();
        assert!(text.lines().count() > 20, "{name}");
    }
}
