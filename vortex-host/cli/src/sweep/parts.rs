//! The finished points of a sweep, in growing files: one for each shard, a line of JSON for each point. An interrupted
//! run only loses the points that it was working on.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result};

use super::outcome::{Done, Outcome};

/// Where the parts of a sweep are.
pub(super) struct Parts(PathBuf);

/// The part that a run adds to.
pub(super) struct Part(Mutex<File>);

impl Parts {
    pub(super) fn of(results: &Path) -> Self {
        Self(results.join("parts"))
    }

    /// What is done, by the keys of points. A point that failed and was run again with success is measured.
    pub(super) fn done(&self) -> Result<HashMap<String, Outcome>> {
        let mut done = HashMap::new();
        let shown = || self.0.display().to_string();
        let entries = match std::fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(done),
            entries => entries.with_context(shown)?,
        };
        for entry in entries {
            let path = entry.with_context(shown)?.path();
            if path.extension().is_none_or(|end| end != "jsonl") {
                continue;
            }
            let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
            // A line that was cut off, where a run was, is a point that is not done.
            let lines = text.split(|byte| *byte == b'\n');
            let whole = lines.filter_map(|line| serde_json::from_slice::<Done>(line).ok());
            for point in whole {
                let is_known = matches!(done.get(&point.key), Some(Outcome::Measured(_)));
                if !is_known {
                    done.insert(point.key, point.outcome);
                }
            }
        }
        Ok(done)
    }

    /// Makes the folder, also that of the results.
    pub(super) fn create(&self) -> Result<()> {
        std::fs::create_dir_all(&self.0).with_context(|| self.0.display().to_string())
    }

    /// The part of a shard, to add to.
    pub(super) fn open(&self, shard: &str) -> Result<Part> {
        let path = self.0.join(format!("{shard}.jsonl"));
        let open = || -> std::io::Result<File> {
            let mut file = OpenOptions::new()
                .read(true)
                .append(true)
                .create(true)
                .open(&path)?;
            // What was cut off ends here, so that the next line begins a new one.
            if file.metadata()?.len() > 0 {
                file.seek(SeekFrom::End(-1))?;
                let mut last = [0];
                file.read_exact(&mut last)?;
                if last != [b'\n'] {
                    file.write_all(b"\n")?;
                }
            }
            Ok(file)
        };
        let file = open().with_context(|| path.display().to_string())?;
        Ok(Part(Mutex::new(file)))
    }
}

impl Part {
    /// Adds a point, at once.
    pub(super) fn add(&self, done: &Done) -> Result<()> {
        let mut line = serde_json::to_string(done)?;
        line.push('\n');
        let mut file = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(line.as_bytes())
            .context("the results of a point")?;
        Ok(())
    }
}
