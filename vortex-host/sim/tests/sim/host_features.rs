//! Processors that have some of what the fast interpreter is compiled for, but not all: qemu plays them, where it is
//! installed (Debian's qemu-user). A processor that lacks an instruction which is used ends the program.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::env;
use std::process::{Command, Output};

/// A test of this program that runs many instructions, and is quick.
const SUBJECT: &str = "integer::results_may_replace_operands";

/// This program with that test only, on such a processor; nothing if there is no qemu.
fn on_processor(name: &str) -> Option<Output> {
    let mut command = Command::new("qemu-x86_64");
    command.args(["-cpu", name]);
    command.arg(env::current_exe().unwrap());
    command.args(["--exact", SUBJECT]);
    command.output().ok()
}

#[test]
fn nothing_is_used_that_a_processor_lacks() {
    // Haswell has all of it. Where there is BMI2 the C library uses BMI1 without a question.
    for lacks in [
        "",
        ",-avx2",
        ",-fma",
        ",-bmi2",
        ",-bmi2,-bmi1",
        ",-abm",
        ",-popcnt",
    ] {
        let processor = format!("Haswell{lacks}");
        let Some(output) = on_processor(&processor) else {
            println!("qemu-x86_64 is not installed: nothing was tested");
            return;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{processor}: {output:?}");
        assert!(said.contains("1 passed"), "{processor}: {said}");
    }
}
