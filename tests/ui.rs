//! What users read when they get something wrong: `ui/fail` holds one mistake per file, named by it,
//! with the message next to it; `ui/pass` holds what must compile without a word.
//!
//! The messages are rustc's as much as ours, so they are compared on the toolchain they were blessed
//! on, and elsewhere only our own lines are. `TRYBUILD=overwrite cargo test --test ui` blesses.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[path = "ui/pass/mod.rs"]
mod pass;

/// Where the messages were blessed.
const BLESSED_ON: &str = "rustc 1.95.0 ";

/// Set for the part of the test that [`own_lines_are_the_same`] runs.
const COPIES_ONLY: &str = "VORTEX_UI_COPIES_ONLY";

/// Names that mean nothing to someone who writes a kernel.
const FORBIDDEN: &[&str] = &[
    "__private",
    "__vortex",
    "vortex_kernel",
    "vortex_host",
    "vortex_macros",
    "::ir::",
    "kernel_items",
    " Repr",
    "::Repr",
    "Words",
    "Leaf",
    "Position",
    "Recorder",
    "Binder",
    "SliceArg",
    "TextureArg",
    "SliceParts",
    "ByNumber",
    "Numbered",
    "param_scalar",
    "param_ptr",
    "bytemuck",
];

#[test]
fn mistakes_are_explained() {
    let copies = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    if env::var_os(COPIES_ONLY).is_some() {
        trybuild::TestCases::new().compile_fail(copies.join("*.rs"));
    } else if rustc_version().starts_with(BLESSED_ON) {
        trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
    } else {
        own_lines_are_the_same(&copies);
    }
}

/// For another toolchain: has it write its messages next to copies of the cases, which fails for
/// what compiles, and looks for our lines in them.
fn own_lines_are_the_same(copies: &Path) {
    let _ = fs::remove_dir_all(copies);
    fs::create_dir_all(copies).unwrap();
    let cases = with_extension("rs");
    for case in &cases {
        fs::copy(case, copies.join(case.file_name().unwrap())).unwrap();
    }
    // A process of its own, since the variables are one for all threads.
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "mistakes_are_explained"])
        .env(COPIES_ONLY, "1")
        .env("TRYBUILD", "overwrite")
        .status()
        .unwrap();
    assert!(status.success(), "a mistake compiles");
    let mut lines = 0;
    for case in &cases {
        let message = case.with_extension("stderr");
        let other = fs::read_to_string(copies.join(message.file_name().unwrap())).unwrap();
        for line in our_lines(&fs::read_to_string(&message).unwrap()) {
            assert!(
                other.contains(line),
                "{} lacks `{line}`:\n{other}",
                case.display()
            );
            lines += 1;
        }
    }
    println!(
        "{}: compared only our own {lines} lines in {} messages, which are blessed on {BLESSED_ON}",
        rustc_version().trim(),
        cases.len()
    );
}

#[test]
fn messages_name_nothing_internal() {
    for path in with_extension("stderr") {
        let message = fs::read_to_string(&path).unwrap();
        for name in FORBIDDEN {
            assert!(
                !message.contains(name),
                "{} names `{name}`:\n{message}",
                path.display()
            );
        }
    }
}

/// How a case says that it has more than one mistake.
const MISTAKES: &str = "// Mistakes: ";

/// What it says of each error that is one more of the same mistake, elsewhere.
const ONCE_MORE: &str = "// One more error: ";

#[test]
fn as_many_errors_as_mistakes() {
    for path in with_extension("stderr") {
        let message = fs::read_to_string(&path).unwrap();
        let errors = message.lines().filter(|line| is_error(line)).count();
        let case = fs::read_to_string(path.with_extension("rs")).unwrap();
        let said = case.lines().find_map(|line| line.strip_prefix(MISTAKES));
        let mistakes: usize = said.map_or(1, |said| said.parse().unwrap());
        let more = |line: &&str| line.starts_with(TWICE) || line.starts_with(ONCE_MORE);
        assert_eq!(
            errors,
            mistakes + case.lines().filter(more).count(),
            "{}: a mistake is one error. Several in a case are noted by `{MISTAKES}3`, and why one is two errors by \
             `{ONCE_MORE}..`:\n{message}",
            path.display()
        );
    }
}

/// What a case says where two errors are at one place.
const TWICE: &str = "// Two errors at one place: ";

#[test]
fn a_mistake_is_one_error() {
    for path in with_extension("stderr") {
        let message = fs::read_to_string(&path).unwrap();
        let mut places = primary_places(&message);
        let errors = places.len();
        places.sort_unstable();
        places.dedup();
        let case = fs::read_to_string(path.with_extension("rs")).unwrap();
        assert_eq!(
            errors > places.len(),
            case.contains(TWICE),
            "{}: two errors at one place need a reason, `{TWICE}..`, and nothing else has one:\n{message}",
            path.display()
        );
    }
}

fn is_error(line: &str) -> bool {
    line.starts_with("error") && !line.starts_with("error: aborting")
}

/// Where the errors of a message are: the first place that each names.
fn primary_places(message: &str) -> Vec<&str> {
    let mut in_error = false;
    let mut places = Vec::new();
    for line in message.lines() {
        if is_error(line) {
            in_error = true;
        }
        if let (true, Some(place)) = (in_error, line.trim_start().strip_prefix("--> ")) {
            places.push(place);
            in_error = false;
        }
    }
    places
}

#[test]
fn every_message_has_its_mistake() {
    for path in with_extension("stderr") {
        assert!(
            path.with_extension("rs").exists(),
            "{} is of no case",
            path.display()
        );
    }
}

fn with_extension(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

/// The lines of a message that the macro wrote: an error without a number, and its help.
fn our_lines(message: &str) -> impl Iterator<Item = &str> {
    message.lines().filter(|line| {
        (line.starts_with("error: ") && !line.starts_with("error: aborting"))
            || line.starts_with("       help: ")
    })
}

fn rustc_version() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
