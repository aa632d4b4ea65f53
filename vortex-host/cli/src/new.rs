//! `vortex new`.

use std::fs;
use std::path::{Path, absolute};

use anyhow::{Context as _, Result, bail};

use crate::args::New;
use crate::print_text;

const MANIFEST: &str = include_str!("../template/manifest.toml");
const MAIN: &str = include_str!("../template/main.rs");

/// What a workspace of others makes of a package in one of its directories is an error, unless that has its own.
const WORKSPACE: &str = "
# There is another workspace around this directory.
[workspace]
";

/// Words that rustc or cargo take for something else than a package.
const TAKEN: &str = "\
_ abstract alloc as async await become box break build const continue core crate deps do dyn else enum examples
extern false final fn for gen if impl in incremental let loop macro match mod move mut override priv proc-macro
proc_macro pub ref return self Self static std struct super test trait true try type typeof unsafe unsized use virtual
where while yield";

/// Makes a directory with a package in it that builds and runs.
pub(crate) fn run(args: &New) -> Result<()> {
    let shown = args.directory.display();
    let directory = absolute(&args.directory).with_context(|| shown.to_string())?;
    let name = match (&args.name, directory.file_name()) {
        (Some(name), _) => name.clone(),
        (None, Some(last)) => last.to_string_lossy().into_owned(),
        (None, None) => bail!("{shown} has no name that a package could have: add `--name my-app`"),
    };
    if let Some(complaint) = complaint(&name) {
        let how = match args.name {
            Some(_) => format!("`--name {}`", suggestion(&name)),
            None => format!(
                "`{}`, or leave the directory and add `--name {0}`",
                suggestion(&name)
            ),
        };
        bail!("`{name}` cannot be the name of a package: {complaint}; write {how}");
    }
    let is_full = fs::read_dir(&directory).is_ok_and(|mut entries| entries.next().is_some());
    if is_full {
        bail!("{shown} exists and is not empty: name a directory that does not exist yet");
    }
    if directory.exists() && !directory.is_dir() {
        bail!("{shown} exists and is not a directory: name one that does not exist yet");
    }

    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = source(args.path.as_deref(), &built_from)?;
    let mut manifest = MANIFEST.replace("NAME", &name).replace("SOURCE", &source);
    let mut around = directory.ancestors().skip(1);
    if around.any(|above| above.join("Cargo.toml").exists()) {
        manifest += WORKSPACE;
    }
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/main.rs", MAIN),
        (".gitignore", "/target\n"),
    ];
    fs::create_dir_all(directory.join("src")).with_context(|| format!("cannot create {shown}"))?;
    for (file, text) in files {
        let file = directory.join(file);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    print_text(&format!(
        "created the package `{name}` in {shown}; in there\n\
         \x20   cargo run      launches its kernel\n\
         \x20   cargo test     tests it\n"
    ))
}

/// Where the library comes from, as in a manifest: a checkout, or else the registry.
fn source(path: Option<&Path>, built_from: &Path) -> Result<String> {
    let checkout = match path {
        Some(path) if is_checkout(path) => path,
        Some(path) => bail!(
            "{} is not a checkout of the library: there is no Cargo.toml of the package `vortex-gpgpu` in it",
            path.display()
        ),
        None if is_checkout(built_from) => built_from,
        None => return Ok(concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"").to_owned()),
    };
    let checkout = fs::canonicalize(checkout).with_context(|| checkout.display().to_string())?;
    // Strings of JSON are strings of TOML.
    let quoted = serde_json::to_string(&checkout).context("the path to the library is not text")?;
    Ok(format!("path = {quoted}"))
}

fn is_checkout(path: &Path) -> bool {
    let manifest = fs::read_to_string(path.join("Cargo.toml"));
    manifest.is_ok_and(|text| text.lines().any(|line| line == "name = \"vortex-gpgpu\""))
}

/// Why a package cannot be called like that.
fn complaint(name: &str) -> Option<&'static str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() {
        Some("it is empty")
    } else if !name.chars().all(is_part) {
        Some("names are made of letters from a to z, digits, `-` and `_`")
    } else if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        Some("names begin with a letter")
    } else if ["vortex", "vortex-gpgpu", "vortex_gpgpu"].contains(&name) {
        Some("that is the library")
    } else if TAKEN.split_whitespace().any(|word| word == name) {
        Some("Rust or cargo takes it for something else")
    } else {
        None
    }
}

/// A name like it that a package can have.
fn suggestion(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    match words.join("-") {
        name if name.is_empty() => "my-app".to_owned(),
        name if complaint(&name).is_some() => format!("my-{name}"),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn without_a_checkout_the_library_is_that_of_the_registry() {
        let source = source(None, Path::new("/nonesuch")).unwrap();
        assert_eq!(
            source,
            format!("version = \"{}\"", env!("CARGO_PKG_VERSION"))
        );
    }

    /// A manifest written by hand gets the same settings.
    #[test]
    fn the_readme_has_these_settings() {
        let (_, settings) = MANIFEST.split_once("SOURCE }\n").unwrap();
        assert!(include_str!("../../../README.md").contains(settings));
    }

    #[test]
    fn what_is_suggested_can_be_taken() {
        for (name, expected) in [
            ("my app", "my-app"),
            ("9lives", "my-9lives"),
            ("größe", "gr-e"),
            ("self", "my-self"),
            ("vortex", "my-vortex"),
            ("-x-", "x"),
            ("!", "my-app"),
            ("", "my-app"),
        ] {
            assert!(complaint(name).is_some() || name == "-x-", "{name}");
            assert_eq!(suggestion(name), expected);
            assert_eq!(complaint(expected), None);
        }
    }
}
