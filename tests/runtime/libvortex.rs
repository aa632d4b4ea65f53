//! The runtime through Vortex's own interface: a `libvortex.so` compiled here (`vortex-host/capi/tests/libvortex.c`)
//! that loads the embedded device as a driver library, as Vortex's does.
//!
//! The tests run on Vortex itself, too: with `LD_LIBRARY_PATH` and `VORTEX_DRIVER` set as for any program, and with
//! `VORTEX_GENERATION=3` if it is of version 3, which then needs `--test-threads=1`.
#![cfg(target_os = "linux")]

use crate::said::said;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vortex::prelude::*;

use super::add;

/// What the driver is called, so that it is not taken for the device that is built in.
pub(crate) const DRIVER: &str = "installed";

/// Whether this process was started to use a runtime of Vortex's interface.
pub(crate) fn is_in_use() -> bool {
    std::env::var_os("VORTEX_DRIVER").is_some_and(|name| name != "embedded")
}

/// Whether that is the one compiled here.
fn is_ours() -> bool {
    std::env::var_os("VORTEX_DRIVER").is_some_and(|name| name == DRIVER)
}

/// Whether it is one of version 3: it has no access rights, no exit codes, and only one device per process.
pub(crate) fn is_version_3() -> bool {
    std::env::var_os("VORTEX_GENERATION").is_some_and(|version| version == "3")
}

/// Whether another test has started this process for this one.
pub(crate) fn is_started_for(scenario: &str) -> bool {
    std::env::var_os("VORTEX_SCENARIO").is_some_and(|name| name == scenario)
}

/// Runs one test of this program in a process of its own, on the runtime in a directory.
pub(crate) fn scenario(directory: &Path, test: &str, variables: &[(&str, &str)]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("LD_LIBRARY_PATH", directory)
        .env("VORTEX_DRIVER", DRIVER)
        .env("VORTEX_CORES", "2")
        .env("VORTEX_WARPS", "4")
        .env("VORTEX_THREADS", "4")
        .env("VORTEX_SCENARIO", test)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// Sees to it that a scenario was run and passed.
#[track_caller]
pub(crate) fn passed(output: &Output) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{out}{err}", output.status);
    assert!(out.contains("1 passed"), "{out}{err}");
}

/// A directory with Vortex's runtime of version 2, as installed for the tests.
pub(crate) fn install(name: &str, flags: &[&str]) -> PathBuf {
    install_from("libvortex.c", name, flags)
}

/// A directory with a runtime.
pub(crate) fn install_from(source: &str, name: &str, flags: &[&str]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("vortex-host/capi/tests");
    let source = tests.join(source);
    let status = Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-std=c11",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Wextra",
            "-Werror",
        ])
        .args(flags)
        .arg("-o")
        .arg(directory.join("libvortex.so"))
        .arg(source)
        .args(["-ldl", "-lpthread"])
        .status()
        .unwrap();
    assert!(status.success());
    // Cargo has built the driver library beside this test.
    let test = std::env::current_exe().unwrap();
    let built = test.with_file_name("libvortex_embedded.so");
    for driver in [DRIVER, "simx"] {
        std::fs::copy(&built, directory.join(format!("libvortex-{driver}.so"))).unwrap();
    }
    directory
}

/// Runs tests of this program that `filter` selects, with that runtime.
fn rerun(directory: &Path, filter: &[&str]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(filter)
        .env("LD_LIBRARY_PATH", directory)
        .env("VORTEX_DRIVER", DRIVER)
        .env("VORTEX_CORES", "1")
        .env("VORTEX_WARPS", "4")
        .env("VORTEX_THREADS", "4")
        .output()
        .unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_suite_passes_on_vortexs_interface() {
    if is_in_use() {
        return;
    }
    let output = rerun(&install("runtime", &[]), &["--skip", "dump"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    assert!(
        out.contains("test memory::foreign_buffers_are_errors ... ok"),
        "{out}"
    );
}

/// Only means something when the suite above starts it.
#[test]
fn an_older_release_numbers_capabilities_otherwise() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-older", &["-DOLDER_RELEASE"]);
    let output = rerun(
        &directory,
        &["--exact", "libvortex::what_the_device_is_and_counts"],
    );
    let out = text(&output.stdout);
    assert!(output.status.success() && out.contains("1 passed"), "{out}");
}

#[test]
fn what_the_device_is_and_counts() {
    if !is_ours() {
        return;
    }
    let device = super::device();
    let caps = device.caps();
    assert_eq!((caps.cores, caps.warps, caps.threads), (1, 4, 4));
    assert!(caps.zicond && caps.atomics && !caps.warp_ops);
    assert_eq!(caps.local_memory, 16 << 10);

    let x = device.upload(&[3; 100]).unwrap();
    let mut y = device.alloc(100).unwrap();
    let report = super::add(4, &x, &mut y).over(100).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [7; 100]);
    assert_eq!(report.instructions(), None, "the counters count lanes");
    // The functional model counts a cycle per instruction of a warp, and there are four lanes in one.
    let (cycles, lanes) = (
        report.cycles().unwrap(),
        report.lane_instructions().unwrap(),
    );
    assert!(cycles < lanes && lanes < 4 * cycles, "{cycles} {lanes}");

    // The device goes on after a kernel that failed.
    #[vortex::kernel]
    fn wild(to: *mut u32) {
        // SAFETY: none; it is the mistake this is about.
        unsafe { *to.add(1 << 28) = 1 };
    }
    let mut z = device.alloc::<u32>(1).unwrap();
    let error = wild(z.as_mut_ptr()).over(1).launch(&device).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the device's driver failed: `vx_ready_wait` returned -2: the kernel was stopped for a mistake, of which stderr says more"
    );
    assert!(super::add(1, &x, &mut y).over(100).launch(&device).is_ok());
}

#[vortex::kernel]
pub(crate) fn endless(out: &mut [u32]) {
    loop {
        out[0] += 1;
    }
}

/// Only means something when `a_kernel_that_does_not_end_is_given_up` starts it.
#[test]
fn give_up() {
    if !is_started_for("libvortex::give_up") {
        return;
    }
    let device = Device::open().unwrap();
    let mut out = device.alloc(1).unwrap();
    let error = endless(&mut out).over(1).launch(&device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel endless: not done after 50ms; the device cannot be stopped, so it stays occupied"
    );
    let error = out.download().unwrap_err().to_string();
    assert!(error.contains("an earlier kernel did not end"), "{error}");
    leaves_it_running(device, out);
}

/// Drops a device on which a kernel runs. What runs it must still be there.
pub(crate) fn leaves_it_running(device: Device, out: vortex::Buffer<u32>) {
    drop(out);
    drop(device);
    std::thread::sleep(std::time::Duration::from_millis(50));
}

/// Only means something when `a_wait_that_fails_frees_nothing` starts it.
#[test]
fn fail_to_wait() {
    if !is_started_for("libvortex::fail_to_wait") {
        return;
    }
    let device = Device::open().unwrap();
    let mut out = device.alloc(1).unwrap();
    let error = endless(&mut out).over(1).launch(&device).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("`vx_ready_wait` returned 7 after ")
            && error.contains(", so that the kernel may still run; the device stays occupied"),
        "{error}"
    );
    let error = device.alloc::<u32>(1).unwrap_err().to_string();
    assert!(error.contains("an earlier kernel did not end"), "{error}");
    leaves_it_running(device, out);
}

#[test]
fn a_wait_that_fails_frees_nothing() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-wait", &[]);
    passed(&scenario(
        &directory,
        "libvortex::fail_to_wait",
        &[("FAKE_WAIT", "7")],
    ));
}

#[test]
fn what_no_device_can_be_is_not_believed() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-fakes", &[]);
    for (caps, expected) in [
        (
            "1:0",
            "reports 0 as its number of threads; possible is 1 to 32",
        ),
        (
            "1:21",
            "reports 33 as its number of threads; possible is 1 to 32",
        ),
        (
            "2:0",
            "reports 0 as its number of warps; possible is 1 to 64",
        ),
        ("2:100000004", "reports 4294967300 as its number of warps"),
        (
            "3:0",
            "reports 0 as its number of cores; possible is 1 to 255",
        ),
        (
            "3:ffffffffffffffff",
            "reports 18446744073709551615 as its number of cores",
        ),
        (
            "6:0",
            "reports 0 as its size of local memory; possible is 1 to 65536",
        ),
        (
            "6:80000000",
            "reports 2147483648 as its size of local memory",
        ),
        (
            "7:0",
            "has the ISA flags 0x0; kernels are compiled for RV32IMF",
        ),
    ] {
        let output = scenario(&directory, "libvortex::opens", &[("FAKE_CAPS", caps)]);
        let err = text(&output.stderr);
        assert!(!output.status.success() && err.contains(expected), "{err}");
    }
    let harts = [
        ("VORTEX_CORES", "255"),
        ("VORTEX_THREADS", "32"),
        ("FAKE_CAPS", "2:40"),
    ];
    let err = text(&scenario(&directory, "libvortex::opens", &harts).stderr);
    assert!(
        err.contains("reports 522240 as its number of threads of all cores, whose stacks must leave memory for data"),
        "{err}"
    );
}

/// Only means something when `where_no_buffer_can_be_is_not_believed` starts it.
#[test]
fn fake_buffers() {
    if !is_started_for("libvortex::fake_buffers") {
        return;
    }
    let device = Device::open().unwrap();
    match std::env::var("FAKE_ADDRESS").as_deref() {
        Ok("20000") => {
            let first = device.alloc::<u32>(1).unwrap();
            let error = device.alloc::<u32>(1).unwrap_err().to_string();
            assert!(
                error.contains("put a buffer at 0x20000, where another one is"),
                "{error}"
            );
            drop(first);
            device.alloc::<u32>(1).unwrap();
        }
        Ok("20001") => {
            let error = device.alloc::<u8>(1).unwrap_err().to_string();
            assert!(
                error.contains("at 0x20001, which no buffer's address can be"),
                "{error}"
            );
        }
        Ok(_) => {
            let error = device.alloc::<u32>(64).unwrap_err();
            assert!(
                matches!(
                    error,
                    vortex::Error::Memory(vortex::MemoryError::OutOfMemory { bytes: 256 })
                ),
                "{error}"
            );
        }
        Err(_) => {
            super::nothing().over(1).launch(&device).unwrap();
            let error = device
                .raw_image(&super::raw::program(0x8010_0000))
                .unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("`vx_mem_reserve` returned no buffer"),
                "{error}"
            );
        }
    }
}

#[test]
fn where_no_buffer_can_be_is_not_believed() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-buffers", &[]);
    for address in [
        "0",
        "ff00",
        "20000",
        "20001",
        "ffffff80",
        "ffffffffffffff00",
    ] {
        let fake = [("FAKE_ADDRESS", address)];
        passed(&scenario(&directory, "libvortex::fake_buffers", &fake));
    }
    let null = [("FAKE_RESERVE", "null")];
    passed(&scenario(&directory, "libvortex::fake_buffers", &null));
}

#[test]
fn a_missing_runtime_says_where_it_is_looked_for() {
    if is_in_use() {
        return;
    }
    let error = |directory: &Path, driver: &OsStr| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "libvortex::opens", "--nocapture"])
            .env("LD_LIBRARY_PATH", directory)
            .env("VORTEX_DRIVER", driver)
            .output()
            .unwrap();
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let nowhere = error(Path::new("/nowhere"), "simx".as_ref());
    assert!(
        nowhere.contains(
            "VORTEX_DRIVER=simx: cannot load Vortex's runtime: libvortex.so: cannot open"
        ),
        "{nowhere}"
    );
    assert!(nowhere.contains("must be in LD_LIBRARY_PATH"), "{nowhere}");
    let driver = error(&install("runtime-without-driver", &[]), "absent".as_ref());
    assert!(
        driver.contains("could not open a device (`vx_dev_open` returned 1)"),
        "{driver}"
    );
}

/// Opens what the environment asks for; fails only when started with an environment that cannot work.
#[test]
fn opens() {
    if let Err(error) = Device::open() {
        panic!("{error}");
    }
}

/// Only means something when `several_devices` starts it.
#[test]
fn several() {
    if !is_started_for("libvortex::several") {
        return;
    }
    let devices = Devices::open().unwrap();
    assert_eq!(devices.len(), 3);
    let split = devices.split(100).build().unwrap();
    let x = SplitBuffer::scatter(&split, &[3; 100]).unwrap();
    let mut y = SplitBuffer::alloc(&split).unwrap();
    let run = devices.run((&x, &mut y), |device, (x, mut y)| {
        add(4, &x, &mut y).over_each().launch(device)
    });
    run.unwrap();
    assert_eq!(y.gather().unwrap(), [7; 100]);
}

#[test]
fn several_devices() {
    if is_in_use() {
        return;
    }
    let three = [("VORTEX_DEVICES", "3")];
    passed(&scenario(
        &install("runtime-several", &[]),
        "libvortex::several",
        &three,
    ));
}

#[test]
fn a_kernel_that_does_not_end_is_given_up() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-timeout", &[]);
    let timeout = [("VORTEX_TIMEOUT", "0.05")];
    passed(&scenario(&directory, "libvortex::give_up", &timeout));
}
