//! What is said of mistakes: a line.

use crate::{ELF, MODULE, dir, file, path, refused};
use vortex::Module;

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
    let named = path(&file(
        "named.vxbin",
        "not an image, and long enough to have a header",
    ));
    let cut = path(&file("cut.vxbin", &vxbin[..vxbin.len() / 2]));
    let whole = path(&file("whole.vxbin", &vxbin));
    let empty = path(&file(
        "empty.elf",
        Module::builder("empty").build().unwrap().to_elf(),
    ));
    let nothing = Module::builder("one").kernel::<crate::nothing>();
    let nothing = path(&file("nothing.elf", nothing.build().unwrap().to_elf()));
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
            "error: DIR/text.txt: this is no ELF file, no metadata, and no .vxbin file, which begins with the addresses of its image's \
             first byte and its end",
        ),
        (
            vec!["inspect", &named],
            "error: DIR/named.vxbin: this is no image: its first 16 bytes should be two increasing 32-bit addresses, of its first byte and its end, \
             and are 0x69206e6120746f6e and 0x6e61202c6567616d",
        ),
        (
            vec!["inspect", &cut],
            "error: DIR/cut.vxbin: this .vxbin file is cut off: its bytes end at 0x",
        ),
        (
            vec!["disasm", &cut],
            "error: DIR/cut.vxbin: this .vxbin file is cut off: its bytes end at 0x",
        ),
        (
            vec!["run", &cut, "--raw", "u32:1"],
            "error: DIR/cut.vxbin: this .vxbin file is cut off: its bytes end at 0x",
        ),
        (
            vec!["inspect", "/bin/ls"],
            "error: /bin/ls: this ELF file is not for a little-endian 32-bit machine",
        ),
        (
            vec!["inspect", &empty, "--kernel", "sax"],
            "error: there is no kernel `sax`, and no other either",
        ),
        (
            vec!["run", &empty, "--over", "3"],
            "error: there are no kernels in this file",
        ),
        (
            vec!["run", &nothing, "--over", "3", "--arg", "x=3"],
            "error: kernel nothing has no argument `x`; it has none",
        ),
        (
            with(&["--over", "3", "--arg", "alpha=1", "--arg", "x=5"]),
            "error: there is no file `5`; `x` is &[f32]: its value is the name of a file, or `zeros:N` for N elements",
        ),
        (
            vec!["run", &whole, "--raw", "memory:x=5"],
            "error: there is no file `5`; write memory:x=FILE, or memory:x=zeros:N for N bytes",
        ),
        (
            vec!["run", &whole, "--raw", "file:5"],
            "error: there is no file `5`; write file:PATH, or hex:BYTES",
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
            with(&["--over", "3", "--arg", "alpha=1"]),
            "error: the argument `x` (&[f32]) is missing: add `--arg x=FILE` or `zeros:N`",
        ),
        (
            with(&["--over", "3", "--arg", "alpha=1", "--arg", "x=zeros:n"]),
            "error: `x=zeros:n`: `n` is not a number of elements",
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
