//! `vortex debug`.

use std::process::Command;

use crate::{ELF, dir, refused, vortex};

#[test]
fn without_a_debugger() {
    assert_eq!(
        refused(&["debug", "--gdb", "no-such-gdb", "saxpy"]),
        "error: there is no `no-such-gdb` here: Debian's package gdb-multiarch has one that knows RISC-V, and `--gdb` \
         names another"
    );
    assert!(refused(&["debug"]).contains("<PROGRAM>"));
}

/// What runs a kernel of a file.
const RUN: [&str; 9] = [
    "run",
    "FILE",
    "--kernel",
    "saxpy",
    "--arg",
    "alpha=2",
    "--arg",
    "x=zeros:64",
    "--arg",
];

#[test]
fn a_kernel_of_a_file() {
    let version = Command::new("gdb-multiarch").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: there is no gdb-multiarch here, so no kernel is debugged (Debian's gdb-multiarch)"
        );
        return;
    }
    let source = include_str!("main.rs").lines();
    let line = 1 + source.take_while(|line| !line.contains("y[i] +=")).count();
    let stop = format!("break main.rs:{line} if item == 37");
    let mut args = vec!["debug", "--batch", "--ex", &stop, "--ex", "continue"];
    args.extend([
        "--ex",
        "print $item",
        "--ex",
        "print alpha",
        "--ex",
        "delete",
        "--ex",
        "continue",
    ]);
    args.push(env!("CARGO_BIN_EXE_vortex"));
    let elf = &*ELF;
    args.extend(RUN.map(|arg| if arg == "FILE" { elf.as_str() } else { arg }));
    let out = format!("y={}", dir().join("debugged.npy").display());
    args.extend(["y=zeros:64", "--out", &out, "--over", "64"]);
    let output = vortex(&args);
    let said = String::from_utf8_lossy(&output.stdout);
    for expected in [
        "Breakpoint 1 at 0x",
        "hit Breakpoint 1.",
        ", cli::saxpy (alpha=2, x=..., y=...) at",
        "tests/cli/main.rs",
        "$1 = 37",
        "$2 = 2",
        "exited normally",
    ] {
        assert!(
            said.contains(expected),
            "{expected:?} is not in\n{said}\n{output:?}"
        );
    }
    assert!(dir().join("debugged.npy").is_file());
}
