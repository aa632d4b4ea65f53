//! `vortex explain`.

use std::path::PathBuf;
use std::process::Command;

use vortex::Device;

use crate::{ELF, dir, file, path, printed, refused, vortex_with};

/// In a process of its own, with `VORTEX_DUMP`: it launches two kernels.
#[test]
#[ignore = "run by `kernels_are_explained_by_name`"]
fn launches_two() {
    let device = Device::open().unwrap();
    let x = device.upload(&[1.0f32; 64]).unwrap();
    let mut y = device.alloc(64).unwrap();
    for _ in 0..2 {
        let launch = crate::saxpy(2.0, &x, &mut y).over(64);
        launch.launch(&device).unwrap();
    }
    let (x, mut y) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
    let launch = crate::reversed(&x, &mut y).over(64);
    launch.launch(&device).unwrap();
}

/// A directory with what `VORTEX_DUMP` leaves of these.
fn dumped() -> PathBuf {
    let dump = dir().join("explained");
    _ = std::fs::remove_dir_all(&dump);
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "explain::launches_two", "--ignored"])
        .env("VORTEX_DUMP", &dump)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    dump
}

#[test]
fn kernels_are_explained_by_name() {
    let dump = path(&dumped());
    let sources = path(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let explained = |args: &[&str]| {
        let args = [&["explain", &dump], args].concat();
        let output = vortex_with(&[("VORTEX_SOURCES", &sources)], &args);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = explained(&["--kernel", "saxpy"]);
    assert!(said.starts_with("saxpy: "), "{said}");
    for says in [
        "compiled for usual launches: 3 conditions on sizes and arguments, which the host checks before each",
        " 2 bounds checks, 1 proved, 1 before all work items",
    ] {
        assert!(said.contains(says), "{said}");
    }
    assert!(!said.contains("== staged"), "{said}");

    // The groups that it is declared with are known, from the metadata beside it.
    let stages = explained(&["--kernel", "reversed", "--stages"]);
    for stage in [
        "== staged\n",
        "== known sizes\n",
        "== Cranelift\n",
        "== instructions\n",
    ] {
        assert!(stages.contains(stage), "{stage}");
    }
    assert!(stages.contains(
        "each lane does the same work item of 4 × 1 neighbouring groups at once, where a launch has enough of them, \
         and local memory for them\n"
    ));

    let page = path(&dir().join("explained.html"));
    explained(&["--kernel", "saxpy", "-o", &page]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("y[i] += alpha * x[i];"));
    let text = path(&dir().join("explained.txt"));
    explained(&["--kernel", "saxpy", "-o", &text]);
    let text = std::fs::read_to_string(text).unwrap();
    assert!(text.starts_with("saxpy: ") && text.contains("== instructions\n"));

    let one = path(&PathBuf::from(&dump).join("0001-saxpy.staged.vir"));
    // Sources are shown only where they may be.
    let said = printed(&["explain", &one]);
    assert!(
        said.starts_with("saxpy: ") && !said.contains("y.len()"),
        "{said}"
    );

    assert_eq!(
        refused(&["explain", &dump]),
        "error: DIR/explained: there are several kernels; add `--kernel` with one of: reversed, saxpy"
    );
    assert_eq!(
        refused(&["explain", &dump, "--kernel", "other"]),
        "error: DIR/explained: there is no kernel `other`; the kernels are: reversed, saxpy"
    );
    assert_eq!(
        refused(&["explain", &one, "--kernel", "other"]),
        "error: DIR/explained/0001-saxpy.staged.vir: there is no kernel `other`; the kernel is saxpy"
    );
    assert_eq!(
        refused(&["explain", &one, "--block", "8y8"]),
        "error: `8y8` is not a size: write N, WxH or WxHxD"
    );
}

#[test]
fn what_has_no_kernel_cannot_be_explained() {
    let of_module = refused(&["explain", &ELF]);
    assert!(
        of_module.contains("modules have none either: run the program"),
        "{of_module}"
    );
    let text = refused(&["explain", &path(&file("none.staged.vir", "words"))]);
    assert_eq!(
        text,
        "error: DIR/none.staged.vir: this is no IR of a kernel: line 1, column 1: expected kernel, found `words`"
    );
    let empty = dir().join("nothing-dumped");
    std::fs::create_dir_all(&empty).unwrap();
    assert!(
        refused(&["explain", &path(&empty)]).contains("no kernel was left here: run the program")
    );
}
