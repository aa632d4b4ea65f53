//! Text tests of the passes, `tests/filetests/opt/*.vir`, and of code generation, `tests/filetests/rv32/*.vir`.
//!
//! A file starts with `; run: PASS, PASS` or `; target: EXTENSION, EXTENSION` (or `; target: bare`) and the input; what
//! the passes or the compiler make of it stands behind `;;; output`.
//! `VORTEX_BLESS=1 cargo test -p vortex-kernel --test filetests` rewrites the outputs, to be reviewed in the diff.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use vortex_kernel::codegen::{Options, Target, compile};
use vortex_kernel::ir::{Form, Function, LaunchConditions, LaunchTests, parse, verify};
use vortex_kernel::isa::Generation;
use vortex_kernel::opt;

const MARK: &str = ";;; output\n";

/// Of groups of a warp's 8 x 8 items.
const ROOM: opt::LocalRoom = opt::LocalRoom {
    bytes: 4096,
    lanes: 8,
    block: [8, 8, 1],
};

fn run_passes(names: &str, function: &mut Function) {
    for name in names.split(',').map(str::trim) {
        match name {
            "mask_returns" => opt::mask_returns(function),
            "privatize_exits" => opt::privatize_exits(function),
            "sroa" => opt::sroa(function),
            "structurise" => opt::structurise(function).unwrap(),
            "ssa" => opt::ssa(function),
            "legalize_i64" => opt::legalize_i64(function),
            "successive_guards" => opt::successive_guards(function),
            "bank_padding" => opt::bank_padding(function, &ROOM, &opt::Tuning::default()),
            _ => {
                let pass = opt::pass(name);
                let pass = pass.unwrap_or_else(|| panic!("no pass {name:?}"));
                pass.run(function, &opt::Tuning::default());
            }
        }
    }
}

fn compiled(text: &str) -> String {
    let target = text
        .lines()
        .next()
        .and_then(|l| l.strip_prefix("; target: "));
    let target = target.expect("the first line is `; target: EXTENSIONS`");
    let target = Target {
        generation: match target.contains("v3") {
            true => Generation::V3,
            false => Generation::V2,
        },
        zicond: target.contains("zicond"),
        atomics: target.contains("atomics"),
        warp_ops: target.contains("warp_ops"),
    };
    let staged = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut tuning = opt::Tuning::of(target.generation);
    tuning.split_barriers = text.starts_with("; target: v3 split");
    let image = compile(
        &staged,
        &target,
        &Options {
            listing: true,
            tuning: Some(tuning),
            ..Options::default()
        },
    );
    let listing = image.unwrap_or_else(|e| panic!("{e}")).listing.unwrap();
    listing.disassembly
}

fn optimised(text: &str) -> String {
    let passes = text.lines().next().and_then(|l| l.strip_prefix("; run: "));
    let passes = passes.expect("the first line is `; run: PASSES`");
    let mut function = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let form = |staged| match staged {
        true => Form::Staged,
        false => Form::Structured,
    };
    let staged = passes.contains("structurise") || passes == "mask_returns";
    verify(&function, form(staged)).unwrap_or_else(|e| panic!("input: {e}"));
    function.launch_conditions =
        LaunchConditions::of(match text.contains("\n; for usual launches") {
            true => LaunchTests::Assumed,
            false => LaunchTests::ByHost,
        });
    run_passes(passes, &mut function);
    verify(&function, form(passes == "mask_returns"))
        .unwrap_or_else(|e| panic!("output: {e}\n{function}"));
    function.to_string()
}

fn check(path: &Path, output: fn(&str) -> String, bless: bool) -> Result<(), String> {
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
    run("opt", optimised);
}

#[test]
fn rv32() {
    run("rv32", compiled);
}

fn run(dir: &str, output: fn(&str) -> String) {
    let bless = std::env::var_os("VORTEX_BLESS").is_some();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/filetests")
        .join(dir);
    let entries = std::fs::read_dir(dir).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "vir"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut failures = String::new();
    for path in &paths {
        if let Err(message) = check(path, output, bless) {
            writeln!(failures, "{}:\n{message}", path.display()).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
