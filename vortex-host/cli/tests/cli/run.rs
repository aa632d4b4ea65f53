//! `vortex run`.

use vortex::Module;

use crate::{ELF, MODULE, by_value, dir, file, path, printed, refused, values, vortex};

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
    assert!(printed(&["disasm", &saxpy]).contains("tests/cli/main.rs:"));
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
        error.starts_with(
            "error: kernel reversed, work item 8 of group 1: index 8 is out of bounds"
        ),
        "{error}"
    );
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
fn structs_are_bytes() {
    let builder = Module::builder("values").kernel::<by_value>();
    let module = builder.kernel::<values>().build().unwrap();
    let elf = path(&file("values.elf", module.to_elf()));
    let weights = (0..64).flat_map(|n: u16| f32::from(n).to_le_bytes());
    let weights = path(&file("weights.bin", weights.collect::<Vec<u8>>()));
    let weights = format!("weights={weights}");
    let out = path(&dir().join("values.out"));
    let outs = format!("out={out}");
    let given = |kernel: &'static str, line: &'static str| -> Vec<String> {
        let args = [
            "run",
            &elf,
            "--kernel",
            kernel,
            "--arg",
            line,
            "--arg",
            &weights,
            "--arg",
            "out=zeros:4",
            "--out",
            &outs,
            "--over",
            "4",
            "-q",
        ];
        args.map(str::to_owned).to_vec()
    };
    let run = |args: Vec<String>| vortex(&args.iter().map(String::as_str).collect::<Vec<_>>());
    // 2.0 and 0.5.
    let output = run(given("by_value", "line=hex:000000400000003f"));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(floats(&std::fs::read(&out).unwrap()), [0.5, 3.5, 6.5, 9.5]);
    for (kernel, line, message) in [
        (
            "by_value",
            "line=hex:00000040",
            "error: kernel by_value, argument `line`: expected `Line`, found `4 bytes`\n",
        ),
        (
            "values",
            "line=hex:000000400000003f",
            "error: the argument `image` (&Texture<f32>) is missing: add `--arg image=FILE` or `zeros:WxH`\n",
        ),
    ] {
        let error = run(given(kernel, line)).stderr;
        assert_eq!(String::from_utf8(error).unwrap(), message);
    }
}
