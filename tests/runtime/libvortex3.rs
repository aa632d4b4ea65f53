//! The runtime through the interface of Vortex 3: a `libvortex.so` compiled here
//! (`vortex-host/capi/tests/libvortex3.c`) over the embedded device.
#![cfg(target_os = "linux")]

use std::path::PathBuf;

use vortex::prelude::*;
use vortex::sim::PerfClass;
use vortex::{Error, LaunchError, MemoryError, Report};

use super::add;
use super::libvortex::{
    endless, install_from, is_in_use, is_started_for, leaves_it_running, passed, scenario,
};

fn install(name: &str) -> PathBuf {
    install_from("libvortex3.c", name, &[])
}

fn launched(device: &Device) -> Report {
    let x = device.upload(&[3; 100]).unwrap();
    let mut y = device.alloc(100).unwrap();
    let report = add(4, &x, &mut y).over(100).launch(device).unwrap();
    assert_eq!(y.download().unwrap(), [7; 100]);
    report
}

/// Only means something when `kernels_run_and_are_counted` starts it.
#[test]
fn counts() {
    if !is_started_for("libvortex3::counts") {
        return;
    }
    // The first is kept when it is dropped: there must not be a second.
    let mut launches = 0;
    for _ in 0..2 {
        let device = Device::open().unwrap();
        assert_eq!(device.caps().harts(), 32);
        for _ in 0..2 {
            launches += 1;
            let report = launched(&device);
            // Cycles of the slower core, instructions of both.
            assert_eq!(report.cycles(), Some(1000 * launches + 1));
            assert_eq!(report.instructions(), Some(200 * launches + 1));
            assert_eq!(
                (report.lane_instructions(), report.exit_code()),
                (None, None)
            );
            let text = report.to_string();
            assert!(
                !text.contains("lane") && text.contains("\n  instructions/s  "),
                "{text}"
            );
        }
    }
}

#[test]
fn kernels_run_and_are_counted() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-3-counts");
    let test = "libvortex3::counts";
    passed(&scenario(&directory, test, &[("COUNT_ON", "1")]));
    passed(&scenario(&directory, test, &[("VORTEX_DRIVER", "simx")]));
}

/// Only means something when `there_is_one_device` starts it.
#[test]
fn devices() {
    if !is_started_for("libvortex3::devices") {
        return;
    }
    let device = Device::open().unwrap();
    let error = Device::open().unwrap_err().to_string();
    assert!(
        error.contains(
            "this process has a device of Vortex 3's runtime already (VORTEX_DRIVER=installed)"
        ),
        "{error}"
    );
    let shared = device.clone();
    drop(device);
    assert!(Device::open().is_err());
    launched(&shared);
    drop(shared);
    launched(&Device::open().unwrap());
    // Of which there can be no two.
    let Err(error) = Devices::open() else {
        panic!("there are two devices");
    };
    assert_eq!(
        error.to_string(),
        "VORTEX_DEVICES=2, but the runtime of VORTEX_DRIVER=installed allows one device per process: leave out \
         VORTEX_DEVICES and work with that one, or leave out VORTEX_DRIVER for 2 embedded devices"
    );
}

#[test]
fn there_is_one_device() {
    if is_in_use() {
        return;
    }
    passed(&scenario(
        &install("runtime-3-devices"),
        "libvortex3::devices",
        &[("VORTEX_DEVICES", "2")],
    ));
}

/// Only means something when `there_are_bounds` starts it.
#[test]
fn bounds() {
    if !is_started_for("libvortex3::bounds") {
        return;
    }
    let device = Device::open().unwrap();
    let error = device.alloc::<u8>(u32::MAX as usize).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Memory(MemoryError::OutOfMemory { bytes: u32::MAX })
        ),
        "{error}"
    );
    let error = device.raw_image(&super::raw::program(0x1000)).unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::ImageAddresses { .. })),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("memory for programs and data is from 0x10000 to 0x"),
        "{text}"
    );
    launched(&device);
}

#[test]
fn there_are_bounds() {
    if is_in_use() {
        return;
    }
    passed(&scenario(
        &install("runtime-3-bounds"),
        "libvortex3::bounds",
        &[],
    ));
}

/// Only means something when `a_kernel_that_does_not_end_takes_the_device_along` starts it.
#[test]
fn give_up() {
    if !is_started_for("libvortex3::give_up") {
        return;
    }
    let device = Device::open().unwrap();
    let mut out = device.alloc(1).unwrap();
    let error = endless(&mut out).over(1).launch(&device).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Refused {
                cause: LaunchError::TimedOut { .. },
                ..
            }
        ),
        "{error}"
    );
    let error = endless(&mut out)
        .over(1)
        .launch(&device)
        .unwrap_err()
        .to_string();
    assert!(error.contains("an earlier kernel did not end"), "{error}");
    leaves_it_running(device, out);
    let error = Device::open().unwrap_err().to_string();
    assert!(
        error.contains("a kernel of this process was given up and may still run"),
        "{error}"
    );
}

#[test]
fn a_kernel_that_does_not_end_takes_the_device_along() {
    if is_in_use() {
        return;
    }
    let timeout = [("VORTEX_TIMEOUT", "0.05")];
    let directory = install("runtime-3-timeout");
    passed(&scenario(&directory, "libvortex3::give_up", &timeout));
}

/// Only means something when `what_a_device_has_is_told` starts it.
#[test]
fn has() {
    if !is_started_for("libvortex3::has") {
        return;
    }
    let caps = std::env::var("FAKE_CAPS").unwrap_or_default();
    let said = match caps.as_str() {
        // RV32IMF with Zicond and local memory; without A, and with tensor units, copies, or both.
        "7:23340901120" => "Zicond, no atomics, votes and shuffles, tensor units (TCU)",
        "7:43340901120" => "Zicond, no atomics, votes and shuffles, asynchronous copies (DXA)",
        "7:63340901120" => {
            "Zicond, no atomics, votes and shuffles, asynchronous copies (DXA), tensor units (TCU)"
        }
        // With A, and a second level of cache, or both cores in one socket.
        "7:3740901121" | "11:2" => "Zicond, atomics, votes and shuffles",
        // Each core has a last cache of its own, which would lose what the other's atomic operations do.
        _ => "Zicond, no atomics, votes and shuffles",
    };
    let has_clusters = caps == "10:2" || std::env::var_os("VORTEX_CLUSTERS").is_some();
    let clusters = if has_clusters { "2 clusters with " } else { "" };
    let device = Device::open().unwrap();
    assert_eq!(
        device.caps().to_string(),
        format!(
            "Vortex 3, {clusters}2 cores x 4 warps x 4 threads, groups of up to 16 items, \
             16384 bytes of local memory, {said}"
        )
    );
    launched(&device);
}

#[test]
fn what_a_device_has_is_told() {
    if is_in_use() {
        return;
    }
    let directory = install_from("libvortex3q.c", "runtime-3-has", &[]);
    let run = |test: &str, caps: &str| {
        let variables = [("VORTEX_GENERATION", "3"), ("FAKE_CAPS", caps)];
        scenario(&directory, test, &variables)
    };
    for caps in [
        "",
        "10:2",
        "7:23340901120",
        "7:43340901120",
        "7:63340901120",
        "7:3740901121",
        "11:2",
    ] {
        passed(&run("libvortex3::has", caps));
    }
    let variables = [("VORTEX_GENERATION", "3"), ("VORTEX_CLUSTERS", "2")];
    passed(&scenario(&directory, "libvortex3::has", &variables));
    let output = run("libvortex::opens", "10:3");
    let err = super::libvortex::text(&output.stderr);
    let expected = "reports 3 as its number of clusters; possible is 1 to 2";
    assert!(!output.status.success() && err.contains(expected), "{err}");
}

/// Only means something when `the_runtime_takes_times` starts it.
#[test]
fn times() {
    if !is_started_for("libvortex3::times") {
        return;
    }
    let report = launched(&Device::open().unwrap());
    let text = report.to_string();
    let Some(times) = report.runtime_times() else {
        let faked = std::env::var("FAKE_TIMES").unwrap();
        assert!(["none", "disordered"].contains(&faked.as_str()));
        assert!(!text.contains("by Vortex's runtime"), "{text}");
        return;
    };
    assert_eq!(std::env::var("FAKE_TIMES").unwrap(), "");
    let times = [times.queued, times.submitted, times.ran];
    assert_eq!(times.map(|time| time.as_nanos()), [1000, 3000, 5000]);
    let expected =
        "  by Vortex's runtime 0.001 ms queued, 0.003 ms until started, 0.005 ms running\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_runtime_takes_times() {
    if is_in_use() {
        return;
    }
    let directory = install_from("libvortex3q.c", "runtime-3-times", &[]);
    for faked in ["", "none", "disordered"] {
        let variables = [("VORTEX_GENERATION", "3"), ("FAKE_TIMES", faked)];
        passed(&scenario(&directory, "libvortex3::times", &variables));
    }
}

/// Only means something when `counters_are_read_by_class` starts it.
#[test]
fn classes() {
    if !is_started_for("libvortex3::classes") {
        return;
    }
    let device = Device::open().unwrap();
    for _ in 0..2 {
        let report = launched(&device);
        let counters = report.counters().unwrap();
        assert_eq!(counters.class(), PerfClass::Core);
        // Of this launch alone, though counters go on.
        assert_eq!(counters.total(0xb06), report.instructions());
        // Floats there are none, and this driver library counts no stalls.
        assert_eq!([0xb14, 0xb0a].map(|n| counters.total(n)), [Some(0); 2]);
        assert_eq!(counters.total(0xb01), None);
        let text = report.to_string();
        let instructions = report.instructions().unwrap();
        let expected = format!(
            "    counters of the cores (class 1)\n      instructions scheduled: {instructions}\n      lanes of these: "
        );
        assert!(text.contains(&expected), "{text}");
    }
    device.count(PerfClass::DataCache);
    let report = launched(&device);
    let text = report.counters().unwrap().to_string();
    assert_eq!(
        text,
        "counters of data caches (class 4): all are zero, as in hardware that is built without them"
    );
    device.count(None);
    assert!(launched(&device).counters().is_none());
}

#[test]
fn counters_are_read_by_class() {
    if is_in_use() {
        return;
    }
    let directory = install_from("libvortex3q.c", "runtime-3-classes", &[]);
    let run = |test: &str, class: &str| {
        let variables = [("VORTEX_GENERATION", "3"), ("VORTEX_PROFILING", class)];
        scenario(&directory, test, &variables)
    };
    passed(&run("libvortex3::classes", "1"));
    let err = super::libvortex::text(&run("libvortex::opens", "2").stderr);
    assert!(
        err.contains("VORTEX_PROFILING=2 is not a class of performance counters: 1 for the cores"),
        "{err}"
    );
}

/// The same on the embedded device, which reads what its cycle model has.
#[test]
fn classes_of_the_embedded_device() {
    if is_in_use() {
        return;
    }
    let builder = Device::builder().cores(2).warps(4).threads(4);
    let device = builder.generation(vortex::Generation::V3);
    let device = device.model(vortex::sim::Model::cycle()).open().unwrap();
    assert!(launched(&device).counters().is_none());
    device.count(PerfClass::Core);
    let report = launched(&device);
    let counters = report.counters().unwrap();
    assert_eq!(counters.total(0xb06), report.instructions());
    assert!(counters.all().all(|(_, cores)| cores.len() == 2));
    // What it does not know is not there, and no zero.
    assert_eq!(counters.total(0xb0a), None);
    let other = Device::builder().open().unwrap();
    other.count(PerfClass::Core);
    assert!(launched(&other).counters().is_none());
}

/// Each group adds up its items' numbers in local memory.
#[vortex::kernel]
fn of_groups(out: &mut [u32]) {
    let part = local::<[u32; 8]>();
    part[local_id()] = global_id() as u32;
    barrier();
    if local_id() == 0 {
        let mut sum = 0;
        for n in 0..local_size() {
            sum += part[n];
        }
        out[group_id()] = sum;
    }
}

/// Only means something when `the_hardware_hands_out_groups` starts it.
#[test]
fn grids() {
    if !is_started_for("libvortex3::grids") {
        return;
    }
    for _ in 0..2 {
        let device = Device::open().unwrap();
        assert_eq!(device.caps().generation, vortex::Generation::V3);
        let module = vortex::Module::builder("m").device(&device).kernel::<add>();
        let module = module.build().unwrap();
        assert_eq!(module.info().kernels[0].facts.generation, Some(3));
        let first = launched(&device).instructions();
        assert!(first > Some(100), "{first:?}");
        assert_eq!(launched(&device).instructions(), first);
        for groups in [1, 3, 100] {
            let mut out = device.alloc(groups).unwrap();
            of_groups(&mut out)
                .grid(groups)
                .block(8)
                .launch(&device)
                .unwrap();
            let expected = |group: u32| 8 * 8 * group + 28;
            let expected: Vec<u32> = (0..groups as u32).map(expected).collect();
            assert_eq!(out.download().unwrap(), expected);
        }
    }
}

/// Only means something when `the_hardware_hands_out_groups` starts it.
#[test]
fn grids_that_do_not_end() {
    if !is_started_for("libvortex3::grids_that_do_not_end") {
        return;
    }
    let device = Device::open().unwrap();
    let mut y = device.alloc(1).unwrap();
    let error = endless(&mut y).over(1).launch(&device).unwrap_err();
    let Error::Refused { cause, .. } = &error else {
        panic!("{error}");
    };
    assert!(matches!(cause, LaunchError::TimedOut { .. }), "{cause}");
    leaves_it_running(device, y);
}

#[test]
fn the_hardware_hands_out_groups() {
    if is_in_use() {
        return;
    }
    let directory = install_from("libvortex3q.c", "runtime-3-grids", &[]);
    let generation = ("VORTEX_GENERATION", "3");
    passed(&scenario(&directory, "libvortex3::grids", &[generation]));
    let test = "libvortex3::grids_that_do_not_end";
    let variables = [
        generation,
        ("VORTEX_TIMEOUT", "0.2"),
        ("VORTEX_BUDGET", "none"),
    ];
    passed(&scenario(&directory, test, &variables));
}
