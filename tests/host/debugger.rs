//! A kernel under `rust-gdb`: a session of docs/debugging.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const SESSION: [&str; 9] = [
    "break blur::blur::run_item",
    "run",
    "delete",
    "tbreak blur.rs:11 if i == 2",
    "continue",
    "info locals",
    "print x",
    "backtrace 1",
    "continue",
];

/// The library, as it has been built for this test, newest first: there may be others, with other features.
fn libraries(beside: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(beside).unwrap().filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?;
        let is_one = name.starts_with("libvortex-") && name.ends_with(".rlib");
        let written = path.metadata().and_then(|file| file.modified());
        is_one.then(|| (written.unwrap_or(SystemTime::UNIX_EPOCH), path.clone()))
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.into_iter().rev().map(|(_, path)| path).collect()
}

/// The program with all that a debugger wants to know of it, which the profile of the tests does without.
fn program() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/programs/blur.rs");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blur");
    let test = std::env::current_exe().unwrap();
    let beside = test.parent().unwrap();
    let is_built = libraries(beside).iter().any(|library| {
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc
            .args(["--edition=2024", "-g", "-o"])
            .arg(&program)
            .arg(&source);
        rustc
            .arg("--extern")
            .arg(format!("vortex={}", library.display()));
        rustc
            .arg("-L")
            .arg(format!("dependency={}", beside.display()));
        rustc.output().unwrap().status.success()
    });
    assert!(is_built, "{} does not compile", source.display());
    program
}

#[test]
fn breakpoints_and_locals() {
    let is_there = |tool: &str| {
        Command::new(tool)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !is_there("gdb") || !is_there("rust-gdb") {
        eprintln!("skipped: there is no gdb here, so no kernel is stepped through (Debian's gdb)");
        return;
    }
    let mut gdb = Command::new("rust-gdb");
    gdb.args(["-q", "-nx", "--batch"])
        .args(SESSION.iter().flat_map(|command| ["-ex", command]));
    let output = gdb.arg(program()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for expected in [
        "blur::blur::run_item (",
        "11\t    y[i] = mean;",
        "mean = 5\n",
        "left = 6\n",
        "i = 2\n",
        "$1 = &[f32](size=4) = {3, 6, 0, 9}",
        "= {4, 3, 0, 0}",
        "#0  blur::blur::run_item (",
        "[4.0, 3.0, 5.0, 6.0]",
    ] {
        assert!(
            said.contains(expected),
            "{expected:?} is not in\n{said}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
