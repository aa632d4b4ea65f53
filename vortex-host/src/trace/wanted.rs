//! Where the traces go that `VORTEX_TRACE` asks for.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::Trace;
use crate::error::{Error, Result};

/// Whether the launch failed that is traced: then its own error is more than that of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed(pub(crate) bool);

/// Writes the trace of a launch: of the first to the file itself, of others to files with a number in their names.
pub(crate) fn write_launch(path: &Path, trace: &Trace, failed: Failed) -> Result<()> {
    static LAUNCHES: AtomicU32 = AtomicU32::new(1);
    let path = numbered(path, LAUNCHES.fetch_add(1, Ordering::Relaxed));
    match trace.write(&path) {
        Err(cause) if !failed.0 => Err(Error::Output {
            variable: "VORTEX_TRACE",
            path,
            cause,
        }),
        _ => Ok(()),
    }
}

/// `out.json`, `out-2.json` and so on.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path
        .extension()
        .map(|end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{}", end.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_have_files_of_their_own() {
        let path = Path::new("/tmp/out.json");
        assert_eq!(numbered(path, 1), path);
        assert_eq!(numbered(path, 2), Path::new("/tmp/out-2.json"));
        assert_eq!(numbered(Path::new("trace"), 3), Path::new("trace-3"));
    }
}
