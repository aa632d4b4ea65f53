//! Where the library's own code is.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of code that is not for tests, examples and benchmarks: each `src`, and what libFuzzer starts with.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match &*name {
            _ if !path.is_dir() || name.starts_with('.') => {}
            "target" | "tests" | "examples" | "benches" => {}
            "src" | "fuzz_targets" => found.push(path),
            _ => sources(&path, found),
        }
    }
}
