//! The runtime through Vortex's own interface: a `libvortex.so` compiled here (`vortex-host/capi/tests/libvortex.c`) that loads the
//! embedded device as a driver library, as Vortex's does.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vortex::prelude::*;

/// What the driver is called, so that it is not taken for the device that is built in.
const DRIVER: &str = "installed";

/// Whether this process was started to use it.
pub(crate) fn is_in_use() -> bool {
    std::env::var_os("VORTEX_DRIVER").is_some_and(|name| name == DRIVER)
}

/// A directory with Vortex's runtime, as installed for the tests.
fn install(name: &str, flags: &[&str]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("vortex-host/capi/tests/libvortex.c");
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
        .arg("-ldl")
        .status()
        .unwrap();
    assert!(status.success());
    // Cargo has built the driver library beside this test.
    let test = std::env::current_exe().unwrap();
    let built = test.with_file_name("libvortex_embedded.so");
    let installed = directory.join(format!("libvortex-{DRIVER}.so"));
    std::fs::copy(built, installed).unwrap();
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

fn text(bytes: &[u8]) -> String {
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
        out.contains("test foreign_buffers_are_errors ... ok"),
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
    if !is_in_use() {
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
    let (cycles, lanes) = (report.cycles().unwrap(), report.lane_instructions());
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
        "the device's driver failed: `vx_ready_wait` returned -1"
    );
    assert!(super::add(1, &x, &mut y).over(100).launch(&device).is_ok());
}

/// Only means something when `a_kernel_that_does_not_end_is_given_up` starts it.
#[test]
fn give_up() {
    if std::env::var_os("VORTEX_TIMEOUT").is_none() {
        return;
    }
    #[vortex::kernel]
    fn endless(out: &mut [u32]) {
        loop {
            out[0] += 1;
        }
    }
    let device = Device::open().unwrap();
    let mut out = device.alloc(1).unwrap();
    let error = endless(&mut out).over(1).launch(&device).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel endless: not done after 50ms; the device cannot be stopped, so it stays occupied"
    );
    let error = out.download().unwrap_err().to_string();
    assert!(error.contains("an earlier kernel did not end"), "{error}");
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
    let driver = error(&install("runtime-without-driver", &[]), "simx".as_ref());
    assert!(
        driver.contains("could not open a device (`vx_dev_open` returned 1)"),
        "{driver}"
    );
    let newer = error(&install("runtime-3", &["-DRELEASE_3"]), DRIVER.as_ref());
    assert!(
        newer.contains("is of Vortex 3, whose interface differs"),
        "{newer}"
    );
}

/// Opens what the environment asks for; fails only when started with an environment that cannot work.
#[test]
fn opens() {
    if let Err(error) = Device::open() {
        panic!("{error}");
    }
}

#[test]
fn a_kernel_that_does_not_end_is_given_up() {
    if is_in_use() {
        return;
    }
    let directory = install("runtime-timeout", &[]);
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "libvortex::give_up"])
        .env("LD_LIBRARY_PATH", directory)
        .env("VORTEX_DRIVER", DRIVER)
        .env("VORTEX_TIMEOUT", "0.05")
        .output()
        .unwrap();
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}");
    assert!(out.contains("1 passed"), "{out}");
}
