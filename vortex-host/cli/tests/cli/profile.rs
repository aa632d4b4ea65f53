//! `vortex profile`.

use crate::{ELF, dir, file, path, printed, refused};

#[test]
fn a_page_is_written_and_written_again() {
    let page = path(&dir().join("profiled.html"));
    let json = path(&dir().join("profiled.json"));
    let numbers: Vec<u8> = (0..64).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let x = format!("x={}", path(&file("profiled.bin", numbers)));
    let args = |output: &str| {
        let args = [
            "profile",
            &ELF,
            "--kernel",
            "saxpy",
            "--arg",
            "alpha=2",
            "--arg",
            &x,
            "--arg",
            "y=zeros:64",
            "--over",
            "64",
            "-o",
        ];
        printed(&[&args[..], &[output]].concat())
    };
    let said = args(&page);
    assert!(
        said.starts_with("saxpy: ") && said.contains(" of issue slots"),
        "{said}"
    );
    let first = std::fs::read_to_string(&page).unwrap();
    assert!(first.starts_with("<!DOCTYPE html>") && first.contains("tests/cli/main.rs"));
    args(&json);
    printed(&["profile", &json, "-o", &page]);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), first);

    let other = path(&file("no-profile.json", "{\"version\":1}"));
    assert!(refused(&["profile", &other]).contains("missing field"));
    let missing = refused(&["profile", &ELF, "--kernel", "saxpy"]);
    assert_eq!(
        missing,
        "error: the following required arguments were not provided: --over <ITEMS>"
    );
}
