//! docs/errors.md says what there is: the messages that it quotes of rustc and the macro are those of `tests/ui/fail`,
//! and it has each error of the library, by the name that it has, and no others.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// What stands in a code span: between backticks, one or two of them.
fn code(span: &str) -> &str {
    let inner = span
        .strip_prefix("``")
        .and_then(|span| span.strip_suffix("``"));
    let inner = inner.or_else(|| span.strip_prefix('`')?.strip_suffix('`'));
    inner.unwrap().trim()
}

#[test]
fn quoted_messages_of_the_compiler_are_those_that_it_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    let mut lines = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "stderr") {
            let text = fs::read_to_string(path).unwrap();
            lines.extend(text.lines().map(str::to_owned));
        }
    }
    let page = read("docs/errors.md");
    let (_, part) = page.split_once("\n# 1. ").unwrap();
    let (part, _) = part.split_once("\n# 2. ").unwrap();
    let rows = part
        .lines()
        .filter_map(|line| line.strip_prefix("| <a id="));
    let mut quoted = 0;
    for row in rows {
        let (_, row) = row.split_once("</a>").unwrap();
        let (messages, _) = row.split_once(" | ").unwrap();
        for message in messages.split("<br>").map(code) {
            assert!(
                lines.contains(message),
                "docs/errors.md: no case in tests/ui/fail has `{message}`"
            );
            quoted += 1;
        }
    }
    assert!(quoted > 70, "only {quoted}");
}

/// The variants of an `enum`, as its source has them.
fn variants(file: &str, name: &str) -> Vec<String> {
    let source = read(file);
    let (_, body) = source.split_once(&format!("pub enum {name} {{\n")).unwrap();
    let (body, _) = body.split_once("\n}\n").unwrap();
    let variant = |line: &str| {
        let line = line.strip_prefix("    ")?;
        let end = line.find(|c: char| !c.is_alphanumeric())?;
        line.starts_with(char::is_uppercase)
            .then(|| line[..end].to_owned())
    };
    body.lines().filter_map(variant).collect()
}

/// `-split-overflow` for `SplitOverflow`.
fn kebab_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[test]
fn each_failure_of_a_kernel_is_explained() {
    let errors = read("docs/errors.md");
    let device = read("docs/device.md");
    let faults = variants("vortex-kernel/src/ir/mod.rs", "FaultKind");
    let traps = variants("vortex-host/sim/src/trap/kind.rs", "TrapKind");
    assert!(faults.len() > 10 && traps.len() > 30);
    let faults = faults.iter().map(|kind| ("fault", kind));
    for (of, kind) in faults.chain(traps.iter().map(|kind| ("trap", kind))) {
        let anchor = format!("| <a id=\"{of}{}\"></a>", kebab_case(kind));
        let names_it = format!("| `{kind}` |");
        let is_row = |line: &str| line.starts_with(&anchor) && line.contains(&names_it);
        assert!(
            errors.lines().any(is_row),
            "docs/errors.md has no row on `{kind}` that begins with `{anchor}`"
        );
    }
    for kind in &traps {
        assert!(
            device.contains(&format!("`{kind}`")),
            "docs/device.md does not name `{kind}`"
        );
    }
}

/// The second column of rows whose anchors begin so, as names.
fn named_in_rows(page: &str, of: &str) -> BTreeSet<String> {
    let start = format!("| <a id=\"{of}-");
    let rows = page.lines().filter(|line| line.starts_with(&start));
    let columns = rows.map(|row| row.split(" | ").nth(1).unwrap());
    columns.flat_map(names).collect()
}

/// The names in code spans.
fn names(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned)
}

#[test]
fn each_error_of_the_library_is_explained_by_its_name() {
    let page = read("docs/errors.md");
    for (of, file, name) in [
        ("stage", "vortex-kernel/src/lang/error.rs", "StageError"),
        (
            "compile",
            "vortex-kernel/src/codegen/mod.rs",
            "CompileError",
        ),
        ("launch", "vortex-host/src/error/launch.rs", "LaunchError"),
        ("grid", "vortex-host/sim/src/grid.rs", "GridError"),
        ("device", "vortex-host/src/error/device.rs", "DeviceError"),
        (
            "open",
            "vortex-host/src/driver/libvortex/error.rs",
            "OpenError",
        ),
        ("config", "vortex-host/sim/src/config.rs", "ConfigError"),
        (
            "devices",
            "vortex-host/src/error/devices.rs",
            "DevicesError",
        ),
        ("memory", "vortex-host/src/error/memory.rs", "MemoryError"),
        ("lookup", "vortex-host/src/error/lookup.rs", "LookupError"),
        ("module", "vortex-host/src/error/module.rs", "ModuleError"),
        ("image", "vortex-host/sim/src/image.rs", "ImageError"),
        ("stream", "vortex-host/src/error/stream.rs", "StreamError"),
    ] {
        let has: BTreeSet<_> = variants(file, name).into_iter().collect();
        assert_eq!(named_in_rows(&page, of), has, "`{name}` in docs/errors.md");
    }
    // The table at the top, and what it leads to for files.
    let (_, table) = page
        .split_once("| `vortex::Error` | holds | part |\n")
        .unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let firsts = table.lines().map(|row| row.split(" | ").next().unwrap());
    let listed: BTreeSet<_> = firsts.flat_map(names).collect();
    let has: BTreeSet<_> = variants("vortex-host/src/error/mod.rs", "Error")
        .into_iter()
        .collect();
    assert_eq!(listed, has, "`Error` in docs/errors.md");
    let of_files = named_in_rows(&page, "error");
    assert!(of_files.is_subset(&has), "{of_files:?}");
}
