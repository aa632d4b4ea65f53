//! Puts mistakes into files of the compiler, the instruction table and the embedded device, each of which the
//! environment variable `VORTEX_MUTANT` turns on by its number: so they are compiled once, all together, and tests run
//! once for each. `run` in this directory does both, and lists those that none of its tests finds.
//!
//! ```text
//! mutants FILE ..       changes the files, and lists the mistakes: number, place, what stands there, what instead
//! ```
//!
//! [`source`] says what is changed in code, [`table`] what in the rows of the instruction table.

mod source;
mod table;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// All mistakes so far, in the order of their numbers, which begin at 1.
#[derive(Default)]
struct List {
    file: String,
    lines: Vec<String>,
}

impl List {
    /// The number of a new one, which replaces something in this line as the text says.
    fn add(&mut self, line: usize, what: &str) -> u32 {
        let number = self.lines.len() as u32 + 1;
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        let file = &self.file;
        self.lines.push(format!("{number}\t{file}:{line}\t{what}"));
        number
    }
}

/// What looks at the environment, at the end of a crate's first file.
const SWITCH: &str = "
/// Which mistake is on.
#[doc(hidden)]
pub(crate) mod mutant {
    use std::sync::LazyLock;

    pub(crate) static ON: LazyLock<u32> =
        LazyLock::new(|| std::env::var(\"VORTEX_MUTANT\").ok().and_then(|n| n.parse().ok()).unwrap_or(0));

    pub(crate) fn is(number: u32) -> bool {
        *ON == number
    }
}
";

/// The first file of the crate that a file belongs to.
fn root_of(file: &str) -> Result<PathBuf, String> {
    let mut above = Path::new(file).ancestors().skip(1);
    let package = above.find(|directory| directory.join("Cargo.toml").exists());
    let package = package.ok_or_else(|| format!("{file}: in no package"))?;
    Ok(package.join("src/lib.rs"))
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| about(file, &error))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| about(file, &error))
}

fn about(file: &Path, problem: &dyn Display) -> String {
    format!("{}: {problem}", file.display())
}

fn change(files: &[String]) -> Result<List, String> {
    let mut list = List::default();
    let mut roots = BTreeSet::new();
    for name in files {
        let file = Path::new(name);
        let text = read(file)?;
        list.file.clone_from(name);
        roots.insert(root_of(name)?);
        if file.ends_with(table::FILE) {
            table::change(file, &text, &mut list)?;
        } else {
            let changed = source::change(&text, &mut list).map_err(|error| about(file, &error))?;
            write(file, &changed)?;
        }
    }
    for root in roots {
        const ALLOWED: &str = "#![allow(warnings, arithmetic_overflow, unconditional_panic)]";
        let text = read(&root)?;
        write(&root, &format!("{ALLOWED}\n{text}{SWITCH}"))?;
    }
    Ok(list)
}

fn main() -> ExitCode {
    let files: Vec<_> = std::env::args().skip(1).collect();
    match change(&files) {
        Ok(list) => {
            println!("{}", list.lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
