//! docs/unsafe.md names all unsafe code of the library: this counts it, so that the page cannot lag behind.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

mod sources;
use sources::sources;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// How often `unsafe` is in code: not in comments, and not in text.
fn count(code: TokenStream) -> usize {
    let each = code.into_iter().map(|token| match token {
        TokenTree::Group(group) => count(group.stream()),
        TokenTree::Ident(name) => usize::from(name == "unsafe"),
        TokenTree::Punct(_) | TokenTree::Literal(_) => 0,
    });
    each.sum()
}

/// The files that have any, and how many.
fn in_code() -> BTreeMap<String, usize> {
    let mut folders = Vec::new();
    sources(root(), &mut folders);
    assert!(folders.len() >= 11, "{folders:?}");
    let mut files = Vec::new();
    for folder in folders {
        rust_files(&folder, &mut files);
    }
    assert!(files.len() > 300, "only {} files", files.len());
    let counted = files.iter().map(|path| {
        let code = fs::read_to_string(path).unwrap().parse().unwrap();
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), count(code))
    });
    counted.filter(|(_, count)| *count > 0).collect()
}

/// What the page says: the rows "| `file` | number | ..".
fn in_page() -> BTreeMap<String, usize> {
    let page = fs::read_to_string(root().join("docs/unsafe.md")).unwrap();
    let row = |line: &str| {
        let (file, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let (number, _) = rest.split_once(" |")?;
        Some((file.to_owned(), number.parse().ok()?))
    };
    let mut rows = BTreeMap::new();
    for (file, number) in page.lines().filter_map(row) {
        assert!(rows.insert(file, number).is_none(), "a file is there twice");
    }
    rows
}

#[test]
fn the_page_names_all_of_it() {
    let (code, page) = (in_code(), in_page());
    assert_eq!(
        code, page,
        "left: how often `unsafe` is in each file; right: what docs/unsafe.md says. Describe there what is new"
    );
}

#[test]
fn comments_and_text_do_not_count() {
    let code = r##"
        // unsafe
        /* unsafe */ fn f() -> &'static str { r#unsafe(); "unsafe { }" }
        unsafe fn g() { unsafe { h![unsafe] } }
    "##;
    assert_eq!(count(code.parse().unwrap()), 3);
}
