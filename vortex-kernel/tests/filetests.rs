//! Text tests of the passes: `tests/filetests/opt/*.vir`.
//!
//! A file starts with `; run: PASS, PASS` and the input; what the passes make of it stands behind `;;; output`.
//! `VORTEX_BLESS=1 cargo test -p vortex-kernel --test filetests` rewrites the outputs, to be reviewed in the diff.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use vortex_kernel::ir::{Form, Function, parse, verify};
use vortex_kernel::opt;

const MARK: &str = ";;; output\n";

fn run_passes(names: &str, function: &mut Function) {
    for name in names.split(',').map(str::trim) {
        match name {
            "structurise" => opt::structurise(function).unwrap(),
            "ssa" => opt::ssa(function),
            _ => {
                let pass = opt::pass(name);
                pass.unwrap_or_else(|| panic!("no pass {name:?}"))(function);
            }
        }
    }
}

fn output(text: &str) -> String {
    let passes = text.lines().next().and_then(|l| l.strip_prefix("; run: "));
    let passes = passes.expect("the first line is `; run: PASSES`");
    let mut function = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let form = if passes.starts_with("structurise") {
        Form::Staged
    } else {
        Form::Structured
    };
    verify(&function, form).unwrap_or_else(|e| panic!("input: {e}"));
    run_passes(passes, &mut function);
    verify(&function, Form::Structured).unwrap_or_else(|e| panic!("output: {e}\n{function}"));
    function.to_string()
}

fn check(path: &Path, bless: bool) -> Result<(), String> {
    let file = std::fs::read_to_string(path).unwrap();
    let (input, wanted) = file.split_once(MARK).unwrap_or((&file, ""));
    let found = std::panic::catch_unwind(|| output(input));
    let found = found.map_err(|e| match e.downcast_ref::<String>() {
        Some(message) => message.clone(),
        None => "panicked".to_owned(),
    })?;
    if found == wanted {
        return Ok(());
    }
    if bless {
        let gap = if input.ends_with("\n\n") { "" } else { "\n" };
        std::fs::write(path, format!("{input}{gap}{MARK}{found}")).unwrap();
        return Ok(());
    }
    let mut diff = String::new();
    for (i, (a, b)) in wanted.lines().zip(found.lines()).enumerate() {
        if a != b {
            writeln!(diff, "output line {}\n  wanted {a}\n  found  {b}", i + 1).unwrap();
            break;
        }
    }
    Err(format!("{diff}the whole output:\n{found}"))
}

#[test]
fn opt() {
    let bless = std::env::var_os("VORTEX_BLESS").is_some();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests/opt");
    let entries = std::fs::read_dir(dir).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "vir"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut failures = String::new();
    for path in &paths {
        if let Err(message) = check(path, bless) {
            writeln!(failures, "{}:\n{message}", path.display()).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
