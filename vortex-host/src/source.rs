//! Source lines in messages, and which files they may be read from.
//!
//! A kernel's places in the source are paths. Those of the running program were written by rustc. Those of a kernel
//! that was read from a file are whatever the file says, and printing an error must not open a password file, a device
//! or a pipe because an untrusted file names it: its source is shown only if it is below a directory of [`VARIABLE`].

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use vortex_kernel::codegen::CompileError;
use vortex_kernel::escape;
use vortex_kernel::ir::SourceLoc;

/// Names the directories, separated as in `PATH`, below which the sources of kernels from files are.
const VARIABLE: &str = "VORTEX_SOURCES";

/// How much of a file is looked at, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// How much of a line is shown, in characters.
const MOST_CHARS: usize = 400;

/// Who says where the source of a kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sources {
    /// The compiler of this program.
    Program,
    /// A file.
    File,
}

impl Sources {
    /// The regular file that a path means, if it may be shown.
    fn find(self, path: &str) -> Option<PathBuf> {
        let found = match self {
            Self::Program => PathBuf::from(path),
            Self::File => {
                let named = env::var_os(VARIABLE)?;
                env::split_paths(&named).find_map(|directory| below(&directory, path))?
            }
        };
        fs::metadata(&found).ok()?.is_file().then_some(found)
    }

    /// The beginning of a source file, if there is such a file, and it may be shown.
    fn text(self, path: &str) -> Option<String> {
        let file = File::open(self.find(path)?).ok()?;
        // It may have become another one since it was looked at.
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The file that a path means, seen from a directory, if it lies below that: whatever `..` and links say on the way.
fn below(directory: &Path, path: &str) -> Option<PathBuf> {
    if directory.as_os_str().is_empty() {
        return None;
    }
    let directory = directory.canonicalize().ok()?;
    let file = directory.join(path).canonicalize().ok()?;
    file.starts_with(&directory).then_some(file)
}

/// A line as it is shown.
fn shown(line: &str) -> String {
    let line = line.trim_end();
    let end = line.char_indices().nth(MOST_CHARS).map(|(end, _)| end);
    match end {
        Some(end) => format!("{}…", escape::lines(&line[..end])),
        None => escape::lines(line).into_owned(),
    }
}

/// The line of source a location points into, with a mark below, if it may be shown and can be read.
pub(crate) struct Excerpt<'a>(pub(crate) &'a SourceLoc, pub(crate) Sources);

impl Excerpt<'_> {
    pub(crate) fn line(&self) -> Option<String> {
        let Self(at, sources) = self;
        let index = usize::try_from(at.line).ok()?.checked_sub(1)?;
        sources.text(&at.file)?.lines().nth(index).map(shown)
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(text) = self.line() else {
            return Ok(());
        };
        let number = self.0.line.to_string();
        let margin = " ".repeat(number.len());
        // rustc counts columns in characters; a tab stays a tab, so that the mark lines up.
        let before = text.chars().take(self.0.column.saturating_sub(1) as usize);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "\n{margin} |\n{number} | {text}\n{margin} | {indent}^")
    }
}

/// The lines of source that a compiler's error is about.
pub(crate) struct Excerpts<'a>(pub(crate) &'a CompileError);

impl fmt::Display for Excerpts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only this program's kernels are compiled.
        let excerpt = |at| Excerpt(at, Sources::Program);
        match self.0 {
            CompileError::DivergentBarrier {
                barrier, condition, ..
            } => write!(f, "{}{}", excerpt(barrier), excerpt(condition)),
            CompileError::StrayArrival { arrival, mistake } => {
                excerpt(arrival).fmt(f)?;
                mistake.at().map_or(Ok(()), |at| excerpt(at).fmt(f))
            }
            CompileError::NoAtomics { at: Some(at) } | CompileError::Bare { at: Some(at), .. } => {
                excerpt(at).fmt(f)
            }
            _ => Ok(()),
        }
    }
}

/// Source files of kernels, each read once.
///
/// Those of kernels from files are shown only if they lie below a directory that the environment variable
/// `VORTEX_SOURCES` names.
#[derive(Debug)]
pub struct SourceFiles {
    sources: Sources,
    files: HashMap<String, Vec<String>>,
}

impl SourceFiles {
    pub(crate) fn new(sources: Sources) -> Self {
        Self {
            sources,
            files: HashMap::new(),
        }
    }

    /// Of kernels from files.
    #[must_use]
    pub fn of_files() -> Self {
        Self::new(Sources::File)
    }

    /// A line without the space around it, if it may be shown and can be read.
    pub fn line(&mut self, file: &str, number: u32) -> Option<&str> {
        self.indented(file, number).map(str::trim_start)
    }

    /// A line as it stands in its file, likewise.
    pub(crate) fn indented(&mut self, file: &str, number: u32) -> Option<&str> {
        if !self.files.contains_key(file) {
            let text = self.sources.text(file).unwrap_or_default();
            let lines = text.lines().map(shown);
            self.files.insert(file.to_owned(), lines.collect());
        }
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.files.get(file)?.get(index).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_a_directory_is_found_there() {
        let root = env::temp_dir().join(format!("vortex-sources-{}", std::process::id()));
        let inside = root.join("inside");
        fs::create_dir_all(&inside).unwrap();
        fs::write(root.join("secret"), "secret").unwrap();
        fs::write(inside.join("a.rs"), "fn a() {}").unwrap();
        let found = |path: &str| below(&inside, path).is_some();
        assert!(found("a.rs") && found("../inside/a.rs"));
        assert!(found(inside.join("a.rs").to_str().unwrap()));
        assert!(!found("../secret") && !found("/etc/hostname") && !found("b.rs"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret"), inside.join("link")).unwrap();
            assert!(!found("link"));
        }
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn devices_are_not_read() {
        for path in ["/dev/zero", "/dev/full", "/"] {
            assert_eq!(Sources::Program.text(path), None, "{path}");
        }
    }

    #[test]
    fn lines_are_shown_safely() {
        assert_eq!(shown("\ta\u{1b}[2J \r\n"), "\ta\\u{1b}[2J");
        assert_eq!(shown(&"é".repeat(500)).chars().count(), MOST_CHARS + 1);
    }
}
