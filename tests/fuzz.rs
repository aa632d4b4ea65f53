//! Each target of libFuzzer does with its seeds what it does in `fuzz`, where it is not built by the tests; and each
//! has seeds that are what it reads, which otherwise nobody would notice.
//!
//! `VORTEX_BLESS=1 cargo test --test fuzz` writes those seeds anew that this library writes.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use vortex::meta::ModuleInfo;
use vortex::prelude::*;
use vortex::{Bundle, Module};

#[path = "../fuzz/src/lib.rs"]
mod targets;

#[vortex::kernel]
fn scaled(by: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += by * x[i];
}

#[vortex::kernel]
fn told(x: &mut [u32], tile: &mut Local<[u32]>) {
    tile[local_id()] = x[global_id()];
    barrier();
    println!("{} {}", global_id(), tile[0]);
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a directory, in the order of their names.
fn files(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(directory)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    files
}

/// Seeds that this library writes.
fn write_seeds() {
    let module = Module::builder("both").kernel::<scaled>().kernel::<told>();
    let both = module.build().unwrap();
    let one = Module::builder("one").kernel::<scaled>().build().unwrap();
    let bundle = Bundle::new().with("one", &one).unwrap();
    let info: &ModuleInfo = both.info();
    let device = Device::builder().cores(1).warps(2).threads(4);
    let device = device.open().unwrap();
    let x = device.upload(&[1.0f32; 16]).unwrap();
    let mut y = device.upload(&[2.0f32; 16]).unwrap();
    let profile = scaled(2.0, &x, &mut y).over_each().profile(&device);
    let seeds = [
        ("modules/both.elf", both.to_elf()),
        ("modules/one.bundle", bundle.to_bytes()),
        ("metadata/both.vxmeta", info.to_bytes()),
        ("metadata/both.json", serde_json::to_vec(info).unwrap()),
        ("profile/scaled.json", profile.unwrap().to_json().into()),
    ];
    for (name, bytes) in seeds {
        std::fs::write(root().join("fuzz/seeds").join(name), bytes).unwrap();
    }
}

/// Nothing here builds that target: it needs libFuzzer.
#[test]
fn the_target_of_the_macros_has_all_their_modules() {
    let modules = |path: &str| -> Vec<String> {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        let is_module = |line: &&str| line.starts_with("mod ") && line.ends_with(';');
        text.lines().filter(is_module).map(str::to_owned).collect()
    };
    let wanted = modules("vortex-macros/src/lib.rs");
    assert!(wanted.len() > 20, "{wanted:?}");
    assert_eq!(modules("fuzz/fuzz_targets/macros.rs"), wanted);
}

#[test]
fn targets_do_with_their_seeds_what_they_should() {
    if std::env::var_os("VORTEX_BLESS").is_some() {
        write_seeds();
    }
    let mut all: Vec<String> = files("fuzz/fuzz_targets")
        .iter()
        .map(|file| file.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    all.sort();
    let mut known: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    // A test of vortex-macros has that one.
    known.push("macros");
    known.sort_unstable();
    assert_eq!(all, known);
    let mut bytes = 0;
    for (name, run) in targets::TARGETS {
        let mut seeds = files(&format!("fuzz/seeds/{name}"));
        let own = seeds.iter().map(|file| file.metadata().unwrap().len());
        bytes += own.sum::<u64>();
        // What other tests have of the same kind.
        match name {
            "ir" => seeds.extend(files("tests/filetests/opt")),
            "metadata" | "views" => seeds.extend(files("vortex-kernel/tests/metadata")),
            _ => {}
        }
        let began = std::time::Instant::now();
        let read = seeds.iter().filter(|file| {
            let seed = std::fs::read(file).unwrap();
            let caught = std::panic::catch_unwind(|| run(&seed));
            caught.unwrap_or_else(|_| panic!("{name} has found a mistake with {}", file.display()))
        });
        let read = read.count();
        println!(
            "{name}: {read} of {} seeds, {:.0?}",
            seeds.len(),
            began.elapsed()
        );
        assert!(read > 0, "{name} makes nothing of its seeds");
    }
    assert!(bytes < 200_000, "seeds are {bytes} bytes");
}
