//! Every example, run as a user would, on devices of several shapes and with work of several sizes.
//! The examples themselves check their results against plain Rust.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

#[path = "../examples/shared/picture.rs"]
mod picture;

use picture::{Picture, read_png, write_png};

/// Cores, warps, threads.
const SHAPES: [[&str; 3]; 4] = [
    ["1", "1", "1"],
    ["1", "4", "4"],
    ["2", "4", "8"],
    ["4", "8", "32"],
];

/// Examples that a test of their own, below, knows more of.
const OTHERS: [&str; 14] = [
    "dotproduct",
    "emit",
    "metadata",
    "rotate",
    "saxpy",
    "sgemm",
    "sobel",
    "sweep",
    "tensor_add",
    "tensor_matmul",
    "tensor_perceptron",
    "tensor_stencil",
    "tiled_sgemm",
    "vecadd",
];

/// All others: arguments of the run on the default device and of one on a small device, and what is in the last line
/// that both print. Files are in a directory of the test's own, where `in.png` is a picture.
const GALLERY: [(&str, &[&str], &[&str], &str); 24] = [
    ("bfs", &[], &["5"], "places were reached at once"),
    ("black_scholes", &[], &["9"], " options, off by "),
    (
        "convolution",
        &["in.png"],
        &["in.png"],
        "all 2700 pixels agree",
    ),
    (
        "devices",
        &["64"],
        &["9"],
        "the same, bit for bit, as those of plain Rust",
    ),
    (
        "edit_distance",
        &[],
        &["paralell"],
        "the table in plain Rust",
    ),
    ("fft", &["fft.png"], &["5", "5.png"], " frames, off by "),
    (
        "floyd_warshall",
        &[],
        &["Athens", "Dublin"],
        "as plain Rust finds them",
    ),
    ("heat", &[], &["3"], "as in plain Rust"),
    (
        "histogram",
        &["in.png"],
        &["in.png"],
        "all 2700 pixels are counted",
    ),
    ("kmeans", &[], &["100"], "the same as in plain Rust"),
    ("life", &[], &["3"], "the same as in plain Rust"),
    ("lu", &[], &["3"], "solved as in plain Rust"),
    (
        "mandelbrot",
        &["mandelbrot.png"],
        &["7", "7.png"],
        "as in plain Rust",
    ),
    (
        "monte_carlo_pi",
        &[],
        &["1000"],
        "plain Rust counts the same",
    ),
    ("nbody", &[], &["33"], "where plain Rust has them"),
    ("prefix_filter", &[], &["1000"], "the same as in plain Rust"),
    (
        "ray_tracer",
        &["ray_tracer.png"],
        &["7", "8.png"],
        "as rustc computes them",
    ),
    ("scan", &[], &["1001"], "bookings: the balance went"),
    ("sha256", &[], &["100"], "hashes are those of plain Rust"),
    ("softmax", &[], &["0.5"], " rows of probabilities, off by "),
    ("sort", &[], &["1001"], "records are sorted"),
    ("spmv", &[], &["50"], "ranked as in plain Rust"),
    (
        "string_search",
        &[],
        &["divergent"],
        "the same as in plain Rust",
    ),
    ("tuned", &["1"], &["1"], "are those of plain Rust"),
];

#[test]
fn every_example_is_run_and_listed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = files(&directory);
    let names: BTreeSet<&str> = names
        .iter()
        .filter_map(|name| name.strip_suffix(".rs"))
        .collect();
    let run = OTHERS.into_iter().chain(GALLERY.map(|row| row.0));
    assert_eq!(names, run.collect());
    let page = fs::read_to_string(directory.join("README.md")).unwrap();
    for name in names {
        let row = format!("| [`{name}`]({name}.rs) |");
        assert!(page.contains(&row), "examples/README.md has no row `{row}`");
    }
}

#[test]
fn gallery() {
    let dir = scratch("gallery");
    let picture = drawn(60, 45, |x, y| (x * 3 + y * y) as u8);
    write_png(&dir.join("in.png"), &picture).unwrap();
    for (name, default, small, says) in GALLERY {
        for (arguments, shape) in [(default, ["4", "16", "32"]), (small, SHAPES[1])] {
            let is_picture = |argument: &str| argument.ends_with(".png");
            let paths: Vec<PathBuf> = (arguments.iter())
                .map(|argument| match is_picture(argument) {
                    true => dir.join(argument),
                    false => argument.into(),
                })
                .collect();
            let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            let out = succeed(name, &paths, shape);
            let last = out.lines().last().unwrap_or_default();
            assert!(last.contains(says), "{name} {arguments:?}: {out}");
        }
    }
    // The pictures of examples/README.md; what is computed on the host may be rounded otherwise elsewhere.
    for name in ["fft", "mandelbrot", "ray_tracer"] {
        let name = format!("{name}.png");
        let made = read_png(&dir.join(&name)).unwrap();
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pictures");
        let shown = read_png(&shown.join(&name)).unwrap();
        assert_eq!(
            (made.width, made.height),
            (shown.width, shown.height),
            "{name}"
        );
        let pixels = made.pixels.iter().zip(&shown.pixels);
        assert!(
            pixels.fold(0, |most, (a, b)| most.max(a.abs_diff(*b))) <= 1,
            "{name}"
        );
    }
}

#[test]
fn gallery_refuses_what_it_cannot_do() {
    for (name, arguments, says) in [
        (
            "heat",
            &["many"][..],
            "a whole number from 0 to 100000, not `many`",
        ),
        (
            "mandelbrot",
            &["0"],
            "a whole number from 1 to 4096, not `0`",
        ),
        (
            "fft",
            &["a.png", "b.png"],
            "the size and a file whose name ends in .png",
        ),
        ("softmax", &["hot"], "a number from 0.1 to 10, not `hot`"),
        ("floyd_warshall", &["Lisbon"], "expected two cities"),
        (
            "floyd_warshall",
            &["Lisbon", "Oz"],
            "`Oz` is not on the map",
        ),
        (
            "edit_distance",
            &["two words"],
            "1 to 32 letters from a to z, not `two words`",
        ),
        (
            "string_search",
            &[""],
            "neither the word nor the text may be empty",
        ),
        ("string_search", &["a", "missing.txt"], "missing.txt: "),
    ] {
        let arguments: Vec<&Path> = arguments.iter().map(Path::new).collect();
        let message = fail(name, &arguments);
        assert!(message.contains(says), "{name}: {message}");
    }
}

/// The example's program; `cargo test` has built it already, `cargo test --test examples` has not.
fn program(name: &str) -> PathBuf {
    static BUILD: Once = Once::new();
    let test = std::env::current_exe().unwrap();
    // target/PROFILE/deps/examples-HASH -> target/PROFILE/examples/NAME
    let profile = test.parent().and_then(Path::parent).unwrap();
    BUILD.call_once(|| {
        let mut cargo = Command::new(env!("CARGO"));
        // The whole workspace, as above: for fewer packages cargo would choose other features of what they depend on.
        cargo.args(["build", "--quiet", "--workspace", "--examples"]);
        cargo.arg("--manifest-path");
        cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
    });
    profile
        .join("examples")
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION)
}

fn run(name: &str, arguments: &[&Path], shape: [&str; 3]) -> Output {
    let mut command = Command::new(program(name));
    command
        .args(arguments)
        .env_remove("VORTEX_DRIVER")
        .env_remove("VORTEX_DUMP");
    command.envs(
        ["VORTEX_CORES", "VORTEX_WARPS", "VORTEX_THREADS"]
            .into_iter()
            .zip(shape),
    );
    command.output().unwrap()
}

/// Runs an example that should succeed; returns what it printed.
#[track_caller]
fn succeed(name: &str, arguments: &[&Path], shape: [&str; 3]) -> String {
    let output = run(name, arguments, shape);
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "{name} {arguments:?} on {shape:?}:\n{out}{err}"
    );
    assert_eq!(err, "");
    out.into_owned()
}

/// Runs an example that should fail with one line and exit code 1; returns the line.
#[track_caller]
fn fail(name: &str, arguments: &[&Path]) -> String {
    let output = run(name, arguments, SHAPES[1]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{name} {arguments:?}: {err}");
    assert!(
        err.starts_with("error: ") && err.lines().count() == 1,
        "{name} {arguments:?}: {err}"
    );
    err
}

fn every_size(name: &str, sizes: &[&str]) {
    for shape in SHAPES {
        for size in sizes {
            succeed(name, &[Path::new(size)], shape);
        }
    }
    let out = succeed(name, &[], SHAPES[3]);
    assert!(out.contains("lane-instructions/s"), "{out}");
    for absurd in [
        "-1",
        "many",
        "1e9",
        "18446744073709551616",
        "9999999999999",
        "",
    ] {
        assert!(fail(name, &[Path::new(absurd)]).contains("a whole number from 0 to"));
    }
    assert!(fail(name, &[Path::new("1"), Path::new("2")]).contains("at most one argument"));
}

#[test]
fn emit() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emitted");
    let written = succeed("emit", &["--emit".as_ref(), &directory], SHAPES[1]);
    assert!(written.contains("threshold.elf\n"), "{written}");
    for shape in SHAPES {
        succeed("emit", &[], shape);
    }
    for extension in ["vxbin", "vxmeta", "elf"] {
        let file = directory.join("brighten").with_extension(extension);
        assert!(fs::metadata(file).unwrap().len() > 100);
    }
}

#[test]
fn sweep() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("swept");
    let written = succeed("sweep", &[&directory], SHAPES[1]);
    assert!(written.contains("vortex sweep "), "{written}");
    for file in ["kernels.elf", "sweep.toml"] {
        assert!(fs::metadata(directory.join(file)).unwrap().len() > 500);
    }
}

#[test]
fn vecadd() {
    every_size("vecadd", &["0", "1", "4097", "100003"]);
}

#[test]
fn saxpy() {
    every_size("saxpy", &["0", "1", "4097", "100003"]);
}

#[test]
fn sgemm() {
    every_size("sgemm", &["0", "1", "37", "64"]);
}

#[test]
fn tiled_sgemm() {
    every_size("tiled_sgemm", &["0", "1", "37", "64"]);
}

/// Those with tensors have groups of up to 64 items.
#[test]
fn tensors() {
    for shape in [["1", "8", "8"], ["2", "4", "16"], ["4", "8", "32"]] {
        for (name, says) in [
            (
                "tensor_matmul",
                "all 65536 elements are right, the worst by ",
            ),
            (
                "tensor_add",
                "all 16384 elements are right, in 8 x 8 shards\n",
            ),
            ("tensor_stencil", "on the device as in plain Rust\n"),
            ("tensor_perceptron", "96 of 96 points are told their ring\n"),
        ] {
            let out = succeed(name, &[], shape);
            assert!(out.contains(says), "{name}: {out}");
        }
    }
}

#[test]
fn dotproduct() {
    every_size("dotproduct", &["0", "1", "4097", "300007"]);
}

#[test]
fn metadata() {
    for shape in SHAPES {
        let out = succeed("metadata", &[], shape);
        let expected = "kernel metadata_kernel: 4 arguments, 16 bytes\n\
                        [0] count : offset=0, size=4, type=scalar (i32)\n\
                        [1] input : offset=4, size=4, type=pointer (*const i32)\n\
                        [2] scale : offset=8, size=4, type=scalar (f32)\n\
                        [3] output : offset=12, size=4, type=pointer (*mut i32)\n";
        assert!(out.starts_with(expected), "{out}");
    }
}

/// A directory of this test run's own.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// Names of the files in a directory.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A picture whose pixels are given by column and row.
fn drawn(width: usize, height: usize, pixel: impl Fn(usize, usize) -> u8) -> Picture {
    let at = |index| pixel(index % width, index / width);
    Picture {
        width,
        height,
        pixels: (0..width * height).map(at).collect(),
    }
}

#[test]
fn sobel() {
    let dir = scratch("sobel");
    for (width, height) in [(1, 1), (1, 7), (13, 1), (33, 17), (200, 150)] {
        let path = dir.join(format!("{width}x{height}.png"));
        let picture = drawn(width, height, |x, y| (x * x + y * 31 + x * y / 3) as u8);
        write_png(&path, &picture).unwrap();
        for shape in SHAPES {
            let out = succeed("sobel", &[&path], shape);
            assert!(
                out.contains(&format!("all {} pixels agree", width * height)),
                "{out}"
            );
        }
        let edges = read_png(&path.with_extension("edges.png")).unwrap();
        assert_eq!((edges.width, edges.height), (width, height));
    }
    assert!(files(&dir).iter().all(|name| name.ends_with(".png")));
}

#[test]
fn rotate() {
    let dir = scratch("rotate");
    for (width, height, angle) in [
        (1, 1, "45"),
        (13, 1, "-90"),
        (33, 17, "180"),
        (60, 70, "12.5"),
    ] {
        let path = dir.join(format!("{width}x{height}.png"));
        let picture = drawn(width, height, |x, y| (x * x + y * 31) as u8);
        write_png(&path, &picture).unwrap();
        for shape in SHAPES {
            let out = succeed("rotate", &[&path, Path::new(angle)], shape);
            let all = format!("all {} pixels agree", width * height);
            assert!(out.contains(&all), "{out}");
        }
        let rotated = read_png(&path.with_extension("rotated.png")).unwrap();
        assert_eq!((rotated.width, rotated.height), (width, height));
    }
    let path = dir.join("1x1.png");
    assert!(fail("rotate", &[&path, Path::new("much")]).contains("not `much`"));
}

#[test]
fn sobel_of_the_default_picture() {
    let out = succeed("sobel", &[], SHAPES[3]);
    assert!(out.contains("all 442368 pixels agree"), "{out}");
}

#[test]
fn sobel_refuses_what_is_no_picture() {
    let dir = scratch("sobel-errors");
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let good = dir.join("good.png");
    write_png(&good, &drawn(40, 30, |x, y| (x * y) as u8)).unwrap();
    let good = fs::read(&good).unwrap();
    let sized = |width: u32, height: u32| {
        let mut png = good.clone();
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        let checksum = crc32(&png[12..29]);
        png[29..33].copy_from_slice(&checksum.to_be_bytes());
        png
    };
    let before = files(&dir);
    let bad = [
        write("empty.png", b""),
        write("text.png", b"this is no picture"),
        write("cut.png", &good[..good.len() / 2]),
        write("flat.png", &sized(0, 30)),
        write("absurd.png", &sized(1_000_000, 1_000_000)),
        write("huge.png", &sized(u32::MAX, u32::MAX)),
        dir.join("missing.png"),
        dir.clone(),
    ];
    for path in &bad {
        let message = fail("sobel", &[path]);
        assert!(message.contains(&path.display().to_string()), "{message}");
    }
    assert!(fail("sobel", &[&bad[4]]).contains("1000000 x 1000000 pixels"));
    assert!(fail("sobel", &[&bad[0], &bad[1]]).contains("at most one argument"));
    // Nothing was written.
    assert_eq!(files(&dir).len(), before.len() + 6);
}

#[test]
fn sobel_leaves_no_half_written_file() {
    let dir = scratch("sobel-unwritable");
    let path = dir.join("picture.png");
    write_png(&path, &drawn(8, 8, |_, _| 0)).unwrap();
    // The target's name is taken by a directory, so the last step fails.
    fs::create_dir(dir.join("picture.edges.png")).unwrap();
    assert!(fail("sobel", &[&path]).contains("picture.edges.png"));
    assert_eq!(files(&dir), ["picture.edges.png", "picture.png"]);
}

/// The checksum of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

#[test]
fn the_environment_is_checked() {
    let with = |variable: &str, value: &str| {
        let output = Command::new(program("metadata"))
            .env(variable, value)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(with("VORTEX_DRIVER", "nonesuch").starts_with("Error: VORTEX_DRIVER=nonesuch: "));
    assert_eq!(
        with("VORTEX_CORES", "few"),
        "Error: VORTEX_CORES=few is not a number of cores\n"
    );
    assert_eq!(
        with("VORTEX_MODEL", "quick"),
        "Error: VORTEX_MODEL=quick is not a model: `functional` and `cycle` are, the latter also with settings such as \
         `cycle,l2,dcache.size=8K`\n"
    );
    assert_eq!(
        with("VORTEX_MODEL", "cycle,l2.size=3"),
        "Error: VORTEX_MODEL=cycle,l2.size=3 is not a model: `l2.size` cannot be `3`: powers of two from 8K to 64M can be\n"
    );
    assert!(
        with("VORTEX_CHECKS", "speling")
            .starts_with("Error: VORTEX_CHECKS=speling is not a list of `all`,")
    );
    assert_eq!(
        with("VORTEX_BUDGET", "little"),
        "Error: VORTEX_BUDGET=little is not a number of instructions or `none`\n"
    );
    assert!(with("VORTEX_BUDGET", "10").contains("still running after 10 instructions"));
    assert!(with("VORTEX_THREADS", "0").starts_with("Error: cannot build this device: "));
    assert!(with("VORTEX_WARPS", "1000000").starts_with("Error: cannot build this device: "));
}
