//! The `vortex` command, run.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use vortex::meta::ModuleInfo;
use vortex::prelude::*;
use vortex::{Bundle, Module};

/// Adds a multiple of one vector to another.
#[vortex::kernel(vec_hint = f32)]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i];
    }
}

#[vortex::device]
fn twice(x: i32) -> i32 {
    x * 2
}

#[vortex::kernel(block = 8)]
fn reversed(x: &[i32], out: &mut [i32]) {
    let tile = local::<[i32; 8]>();
    tile[local_id()] = twice(x[global_id()]);
    barrier();
    out[global_id()] = tile[local_size() - 1 - local_id()];
}

fn dir() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

static MODULE: LazyLock<Module> = LazyLock::new(|| {
    let builder = Module::builder("example").statistics();
    builder
        .kernel::<saxpy>()
        .kernel::<reversed>()
        .build()
        .unwrap()
});

static ELF: LazyLock<String> = LazyLock::new(|| path(&file("example.elf", MODULE.to_elf())));

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn vortex(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vortex"));
    for variable in [
        "DRIVER", "CORES", "WARPS", "THREADS", "MODEL", "CHECKS", "DUMP",
    ] {
        command.env_remove(format!("VORTEX_{variable}"));
    }
    command.args(args).output().unwrap()
}

/// What a command prints that succeeds.
fn printed(args: &[&str]) -> String {
    let output = vortex(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The line that a command prints that fails.
fn refused(args: &[&str]) -> String {
    let output = vortex(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?}");
    let line = error.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{line}");
    line.replace(&path(dir()), "DIR")
}

#[test]
fn inspect_prints_a_table() {
    let text = printed(&["inspect", &ELF]);
    for part in [
        "module example\n",
        "kernel saxpy: 3 arguments, 20 bytes\n[0] alpha : offset=0, size=4, type=scalar (f32)\n",
        "| Adds a multiple of one vector to another.\n",
        "vec_hint                   \"f32\"\n",
        "block                      [8, 1, 1]\n",
        "uses_barrier               true\n",
        "function_calls             [\"twice\"]\n",
        "local_memory               32\n",
        "cli::twice at vortex-host/cli/tests/cli.rs:",
        ", called by reversed\n",
        "checks removed",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let one = printed(&["inspect", &ELF, "--kernel", "saxpy", "--dump"]);
    assert_eq!(
        one,
        "kernel saxpy: 3 arguments, 20 bytes\n\
         [0] alpha : offset=0, size=4, type=scalar (f32)\n\
         [1] x : offset=4, size=8, type=slice (&[f32])\n\
         [2] y : offset=12, size=8, type=slice (&mut [f32])\n\
         padding: 0 bytes\n"
    );
    assert!(printed(&["inspect", &ELF, "--c-header"]).contains("} reversed_args_t;\n"));
    assert!(printed(&["inspect", &ELF, "--mlir"]).contains("vortex.kernel_args @saxpy_args : "));
    assert!(
        printed(&["inspect", &ELF, "--mlir", "list"])
            .contains("gpu.known_block_size = array<i32: 8, 1, 1>")
    );
    assert!(printed(&["inspect", &ELF, "--mlir=op"]).contains("vortex.kernel_metadata @saxpy {"));
    assert!(printed(&["inspect", &ELF, "--mlir=attribute"]).contains("arg_offsets = [0, 4, 12]"));
}

#[test]
fn json_is_what_the_schema_says() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metadata.schema.json");
    let schema = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let json = printed(&["inspect", &ELF, "--json"]);
    let mut value: serde_json::Value = serde_json::from_str(&json).unwrap();
    validator.validate(&value).unwrap();
    assert_eq!(
        &serde_json::from_str::<ModuleInfo>(&json).unwrap(),
        MODULE.info()
    );
    // It says something.
    for (pointer, wrong) in [
        ("/kernels/0/args/0/kind", serde_json::json!("scaler")),
        ("/kernels/0/args/0/address_space", serde_json::json!(4)),
        ("/kernels/0/attributes/vec_hint", serde_json::json!("f64")),
        ("/kernels/1/facts/local_memory", serde_json::json!("many")),
        ("/values/shape", serde_json::json!([1, 2])),
    ] {
        if value.pointer(pointer).is_none() {
            value["values"]["shape"] = serde_json::Value::Null;
        }
        let place = value.pointer_mut(pointer).unwrap();
        let right = std::mem::replace(place, wrong);
        assert!(!validator.is_valid(&value), "{pointer}");
        *value.pointer_mut(pointer).unwrap() = right;
    }
    // The same in a file of its own, in both forms.
    let alone = path(&file("alone.json", &json));
    assert_eq!(printed(&["inspect", &alone, "--json"]), json);
    let alone = path(&file("alone.vxmeta", MODULE.info().to_bytes()));
    assert_eq!(printed(&["inspect", &alone, "--json"]), json);
}

#[test]
fn images_have_their_metadata_beside_them() {
    let (_, image) = MODULE.images("saxpy")[0];
    let image = path(&file("beside.vxbin", image.to_vxbin(0x8000_0000)));
    assert!(
        refused(&["inspect", &image, "--json"])
            .ends_with("DIR/beside.vxbin: this file has no metadata")
    );
    assert!(
        printed(&["inspect", &image]).starts_with(".vxbin image: execution starts at 0x80000000, ")
    );
    file("beside.vxmeta", MODULE.info().to_bytes());
    assert!(printed(&["inspect", &image]).contains("kernel saxpy: 3 arguments"));
    std::fs::remove_file(dir().join("beside.vxmeta")).unwrap();
}

#[test]
fn images_run_with_what_is_beside_them() {
    let directory = dir().join("images");
    MODULE.write_dir(&directory).unwrap();
    let [saxpy, reversed] =
        ["saxpy", "reversed"].map(|name| path(&directory.join(format!("{name}.vxbin"))));
    let table = printed(&["inspect", &reversed]);
    assert!(
        table.contains("known_block                [8, 1, 1]\n"),
        "{table}"
    );
    assert!(
        table.contains("function_calls             [\"twice\"]\n"),
        "{table}"
    );
    assert!(printed(&["disasm", &saxpy]).contains("tests/cli.rs:"));
    // Metadata is also there without the image.
    let alone = saxpy.replace(".vxbin", ".vxmeta");
    assert!(printed(&["inspect", &alone]).contains("kernel saxpy: 3 arguments"));

    let numbers: Vec<u8> = (0..8i32).flat_map(i32::to_le_bytes).collect();
    let x = format!("x={}", path(&file("eight.bin", numbers)));
    let out = path(&dir().join("eight.out"));
    let run = |more: &[&str]| {
        let outs = format!("out={out}");
        let mut args = vec![
            "run",
            &reversed,
            "--arg",
            &x,
            "--arg",
            "out=zeros:8",
            "--out",
        ];
        args.extend([outs.as_str()].iter().chain(more));
        vortex(&args)
    };
    let report = String::from_utf8(run(&["--grid", "1"]).stdout).unwrap();
    assert!(report.contains("for groups of 8, the only one"), "{report}");
    let words = std::fs::read(&out).unwrap();
    assert_eq!(words[..4], 14i32.to_le_bytes());
    // Failures are explained as for a program's own kernels.
    let error = run(&["--grid", "2"]).stderr;
    let error = String::from_utf8(error).unwrap();
    assert!(
        error.starts_with("error: kernel reversed, work item 8: index 8 is out of bounds"),
        "{error}"
    );
}

#[test]
fn bundles_are_several_modules() {
    let device = vortex::Device::builder().released().open().unwrap();
    let small = Module::builder("small").kernel::<saxpy>().device(&device);
    let small = small.build().unwrap();
    let bundle = Bundle::new().with("released", &small).unwrap();
    let bundle = bundle.with("full", &MODULE).unwrap();
    let bundle = path(&file("both.bundle", bundle.to_bytes()));
    let table = printed(&["inspect", &bundle]);
    assert!(
        table.starts_with("entry released: module small\n"),
        "{table}"
    );
    assert!(table.contains("\nentry full: module example\n"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["inspect", &bundle, "--json"])).unwrap();
    assert_eq!(json["released"]["kernels"][0]["name"], "saxpy");
    assert_eq!(json["full"]["kernels"][1]["name"], "reversed");
    let code = printed(&["disasm", &bundle]);
    assert!(code.starts_with("; entry released\nsaxpy:\n"), "{code}");
    let report = printed(&[
        "run",
        &bundle,
        "--kernel",
        "saxpy",
        "--arg",
        "alpha=1",
        "--arg",
        "x=zeros:4",
        "--arg",
        "y=zeros:4",
        "--over",
        "4",
    ]);
    assert!(report.starts_with("saxpy:\n"), "{report}");
}

#[test]
fn disasm_shows_instructions_and_lines() {
    let text = printed(&["disasm", &ELF, "--kernel", "saxpy"]);
    assert!(text.starts_with("saxpy:\n"), "{text}");
    assert!(text.contains("csrr"), "{text}");
    assert!(text.contains("tests/cli.rs:"), "{text}");
    assert!(!text.contains("reversed:"));
    assert!(printed(&["disasm", &ELF]).contains("reversed: ; for groups of 8 x 1 x 1\n"));
    let (_, image) = MODULE.images("saxpy")[0];
    let image = path(&file("disasm.vxbin", image.to_vxbin(0x8000_0000)));
    assert!(printed(&["disasm", &image]).starts_with("entry:\n80000000:  "));
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

#[test]
fn run_runs_kernels_on_files() {
    let bytes =
        |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let x = path(&file("x.bin", bytes(&[1.0, 2.0, 3.0])));
    let y = path(&file("y.bin", bytes(&[10.0, 20.0, 30.0])));
    let result = path(&dir().join("result.bin"));
    let npy = path(&dir().join("result.npy"));
    let run = |y: &str, out: &str| {
        printed(&[
            "run",
            &ELF,
            "--kernel",
            "saxpy",
            "--arg",
            "alpha=0.5",
            "--arg",
            &format!("x={x}"),
            "--arg",
            &format!("y={y}"),
            "--out",
            &format!("y={out}"),
            "--over",
            "3",
        ])
    };
    let report = run(&y, &result);
    assert!(
        report.starts_with("saxpy:\n  image               for groups of any size, the only one\n"),
        "{report}"
    );
    assert_eq!(floats(&std::fs::read(&result).unwrap()), [10.5, 21.0, 31.5]);
    // To a NumPy file, and from there again.
    run(&y, &npy);
    run(&npy, &result);
    assert_eq!(floats(&std::fs::read(&result).unwrap()), [11.0, 22.0, 33.0]);

    let numbers: Vec<u8> = (0..16i32).flat_map(i32::to_le_bytes).collect();
    let x = path(&file("numbers.bin", numbers));
    let out = path(&dir().join("reversed.bin"));
    let quiet = printed(&[
        "run",
        &ELF,
        "--kernel",
        "reversed",
        "--arg",
        &format!("x={x}"),
        "--arg",
        "out=zeros:16",
        "--out",
        &format!("out={out}"),
        "--grid",
        "2",
        "-q",
    ]);
    assert_eq!(quiet, "");
    let words = std::fs::read(&out).unwrap();
    assert_eq!(words[..4], 14i32.to_le_bytes());
    assert_eq!(words[32..36], 30i32.to_le_bytes());
}

#[test]
fn mistakes_are_one_line() {
    let elf = &*ELF;
    let x = path(&file("three.bin", [0; 12]));
    let odd = path(&file("odd.bin", [0; 13]));
    let text = path(&file(
        "text.txt",
        "not an image, and long enough to have a header",
    ));
    let json = path(&file("other.json", "{\"name\": 3}"));
    let mut damaged = MODULE.to_elf();
    damaged.truncate(400);
    let damaged = path(&file("damaged.elf", damaged));
    let header = format!(
        "{:<117}\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }"
    );
    let doubles = [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes()].concat();
    let doubles = path(&file("doubles.npy", doubles));
    let images = dir().join("mistakes");
    MODULE.write_dir(&images).unwrap();
    let vxbin = std::fs::read(images.join("saxpy.vxbin")).unwrap();
    let bare = path(&file("bare.vxbin", &vxbin));
    let other = path(&file("mixed.vxbin", &vxbin));
    let of_another = std::fs::read(images.join("reversed.vxmeta")).unwrap();
    file("mixed.vxmeta", of_another);
    let described = path(&file("described.vxbin", &vxbin));
    file("described.json", serde_json::to_vec(MODULE.info()).unwrap());
    let saxpy = ["run", elf, "--kernel", "saxpy"];
    let with = |more: &[&'static str]| [&saxpy[..], more].concat();
    let x_is = |file: &str| format!("x={file}");
    for (args, message) in [
        (
            vec!["inspect", "nowhere.elf"],
            "error: nowhere.elf: No such file or directory (os error 2)",
        ),
        (vec!["inspect", "/"], "error: /: this is a directory"),
        (
            vec!["inspect", &text],
            "error: DIR/text.txt: this is no ELF file, no metadata, and no .vxbin file: ",
        ),
        (
            vec!["inspect", &json],
            "error: DIR/other.json: this JSON is no metadata: invalid type: integer `3`, expected a string at line 1 column 10",
        ),
        (
            vec!["inspect", &damaged],
            "error: DIR/damaged.elf: this ELF file is damaged",
        ),
        (
            vec!["inspect", elf, "--kernel", "sax"],
            "error: there is no kernel `sax`; the kernels are: saxpy, reversed",
        ),
        (
            vec!["disasm", elf, "--kernel", "sax"],
            "error: there is no kernel `sax`; the kernels are: saxpy, reversed",
        ),
        (
            vec!["run", elf, "--over", "3"],
            "error: say which kernel to run with --kernel: saxpy, reversed",
        ),
        (
            vec!["run", &x, "--over", "3"],
            "error: DIR/three.bin: this is no ELF file",
        ),
        (
            vec!["run", &bare, "--over", "3"],
            "error: DIR/bare.vxbin: what arguments this program takes is not known: there is no metadata beside it (DIR/bare.vxmeta); ",
        ),
        (
            vec!["run", &other, "--over", "3"],
            "error: DIR/mixed.vxmeta: the metadata beside this file is of another image",
        ),
        (
            vec!["run", &described, "--over", "3"],
            "error: DIR/described.vxbin: the metadata beside this file does not say how to run it; ",
        ),
        (
            with(&["--over", "3"]),
            "error: the argument `alpha` (f32) is missing: add `--arg alpha=..`",
        ),
        (
            with(&["--over", "3", "--arg", "beta=1"]),
            "error: kernel saxpy has no argument `beta`; it has: alpha, x, y",
        ),
        (
            with(&["--over", "3", "--arg", "alpha"]),
            "error: `--arg alpha` has no `=`: write `--arg NAME=..`",
        ),
        (
            with(&["--over", "3", "--arg", "alpha=1", "--arg", "alpha=2"]),
            "error: `--arg alpha=..` is given twice",
        ),
        (
            with(&[
                "--over",
                "3",
                "--arg",
                "alpha=one",
                "--arg",
                "x=zeros:3",
                "--arg",
                "y=zeros:3",
            ]),
            "error: `one` is not a value for `alpha`, which is f32",
        ),
        (
            with(&[
                "--over",
                "3x",
                "--arg",
                "alpha=1",
                "--arg",
                "x=zeros:3",
                "--arg",
                "y=zeros:3",
            ]),
            "error: `3x` is not a size: write N, WxH or WxHxD",
        ),
        (
            with(&[
                "--over",
                "3",
                "--arg",
                "alpha=1",
                "--arg",
                "x=zeros:2",
                "--arg",
                "y=zeros:3",
            ]),
            "error: kernel saxpy, work item 2: index 2 is out of bounds of a slice of 2 elements",
        ),
        (
            [
                &with(&[
                    "--over",
                    "3",
                    "--arg",
                    "alpha=1",
                    "--arg",
                    "y=zeros:3",
                    "--arg",
                ])[..],
                &[&x_is(&odd)],
            ]
            .concat(),
            "error: kernel saxpy, argument `x`: 13 bytes are no whole number of elements of 4 bytes",
        ),
        (
            [
                &with(&[
                    "--over",
                    "3",
                    "--arg",
                    "alpha=1",
                    "--arg",
                    "y=zeros:3",
                    "--arg",
                ])[..],
                &[&x_is(&doubles)],
            ]
            .concat(),
            "error: DIR/doubles.npy: the elements are `<f8`, and `x` is &[f32], which takes `<f4`",
        ),
    ] {
        let line = refused(&args);
        assert!(
            line.starts_with(message),
            "{args:?}: {line}\nexpected: {message}"
        );
    }
}

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
        "error: unrecognized subcommand 'inspekt'"
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
            "embedded (chosen): 4 cores x 16 warps x 32 threads, groups of up to 512 items"
        ),
        "{devices}"
    );
    assert!(
        devices.contains("as Vortex is released: 1 core x 4 warps x 4 threads"),
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
