//! Help, completions, and what devices there are.

use crate::{ELF, dir, path, printed, refused, vortex};
use std::process::Command;

#[test]
fn help_and_completions() {
    let help = printed(&["--help"]);
    for command in [
        "inspect",
        "disasm",
        "run",
        "devices",
        "doctor",
        "completions",
        "Examples:",
    ] {
        assert!(help.contains(command), "{help}");
    }
    for command in ["inspect", "disasm", "run"] {
        assert!(printed(&[command, "--help"]).contains("--kernel <NAME>"));
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            printed(&["completions", shell]).contains("doctor"),
            "{shell}"
        );
    }
    assert_eq!(
        refused(&["inspekt"]),
        "error: unrecognized subcommand 'inspekt' (a similar subcommand exists: 'inspect')"
    );
    assert_eq!(
        refused(&["run", &ELF, "--kernel", "saxpy"]),
        "error: the following required arguments were not provided: --over <ITEMS>"
    );
    assert_eq!(vortex(&[]).status.code(), Some(1));
}

#[test]
fn devices_and_doctor() {
    let devices = printed(&["devices"]);
    assert!(
        devices.contains(
            "embedded (chosen): Vortex 2, 4 cores x 16 warps x 32 threads, groups of up to 512 items"
        ),
        "{devices}"
    );
    assert!(
        devices.contains("as Vortex is released: Vortex 2, 1 core x 4 warps x 4 threads"),
        "{devices}"
    );
    assert!(
        devices.contains("16384 bytes of local memory, Zicond, atomics, votes and shuffles\n")
            && devices.contains("16384 bytes of local memory, Zicond, no atomics\n"),
        "{devices}"
    );
    assert!(
        devices.contains("Vortex's own runtime: there is no libvortex.so here; ")
            || devices.contains("libvortex.so\n"),
        "{devices}"
    );
    let doctor = printed(&["doctor"]);
    assert_eq!(
        doctor
            .lines()
            .filter(|line| line.starts_with("ok "))
            .count(),
        4,
        "{doctor}"
    );
}

#[test]
fn the_runtime_that_is_installed_is_found() {
    let installed = dir().join("installed");
    std::fs::create_dir_all(&installed).unwrap();
    for name in ["libvortex.so", "libvortex-broken.so"] {
        std::fs::write(installed.join(name), "no library").unwrap();
    }
    let run = |command: &str| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_vortex"));
        process.arg(command).env_remove("VORTEX_DRIVER");
        process.env("LD_LIBRARY_PATH", &installed).output().unwrap()
    };
    let devices = String::from_utf8(run("devices").stdout).unwrap();
    let runtime = path(&installed.join("libvortex.so"));
    assert!(
        devices.contains(&format!("Vortex's own runtime: {runtime}\n")),
        "{devices}"
    );
    assert!(devices.contains("  broken: chosen by VORTEX_DRIVER=broken\n"));
    let doctor = run("doctor");
    assert_eq!(doctor.status.code(), Some(1));
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(
        doctor.contains(
            "WRONG  Vortex's own runtime, VORTEX_DRIVER=broken: VORTEX_DRIVER=broken: cannot load Vortex's runtime: "
        ),
        "{doctor}"
    );
}
