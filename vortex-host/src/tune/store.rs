//! The file of records, and what this process knows about it.
//!
//! A file is read once, and again before a record is added to it. It is replaced as a whole, under a lock that
//! processes share, so a reader never sees a partial file, and additions of concurrent processes are not lost. A file
//! that cannot be read is left unchanged and reported once on stderr; it is not an error.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::record::{self, Record};
use super::setting::Setting;
use crate::cached::EntryId;
use crate::error::{Error, Result};
use crate::image::sidecar::checksum;
use crate::registry::KernelEntry;
use vortex_sim::environment::{self, zero_or_one};

/// The name of the file, unless `VORTEX_TUNE_FILE` says another.
const NAME: &str = "vortex-tune.toml";

/// What this process remembers of records.
#[derive(Default)]
struct Remembered {
    /// The records of files that have been read.
    files: HashMap<PathBuf, Vec<Record>>,
    /// What has been noted.
    noted: HashSet<String>,
    /// What records were found to say.
    decided: HashMap<Setting, Decision>,
    /// What nothing was found for.
    hopeless: HashSet<Setting>,
    /// Hashes of what kernels record.
    code: HashMap<EntryId, String>,
}

/// What a record says about a kernel as it is.
struct Decision {
    file: PathBuf,
    /// The type of choices: two kernels may have one name.
    kind: TypeId,
    /// The candidate.
    number: usize,
}

fn remembered() -> MutexGuard<'static, Remembered> {
    static REMEMBERED: LazyLock<Mutex<Remembered>> = LazyLock::new(Mutex::default);
    // Never seen half-done: what is in there is put there at once.
    REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where records are, unless a call says so.
pub(super) fn default_file() -> Result<PathBuf> {
    let of = |variable: &str| {
        let value = env::var_os(variable).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    if let Some(file) = of("VORTEX_TUNE_FILE") {
        return Ok(file);
    }
    match of("CARGO_MANIFEST_DIR") {
        Some(directory) => Ok(directory.join(NAME)),
        None => Ok(PathBuf::from(NAME)),
    }
}

/// Whether launches are to be tuned that have no record: `VORTEX_TUNE=1`.
pub(super) fn is_asked_to_tune() -> Result<bool> {
    let mut asked = false;
    environment::read("VORTEX_TUNE", "`0` or `1`", zero_or_one, &mut asked)?;
    Ok(asked)
}

/// The number of the candidate that a record says to take, if that was determined before.
pub(super) fn decided(file: &Path, setting: &Setting, kind: TypeId) -> Option<usize> {
    let remembered = remembered();
    let decision = remembered.decided.get(setting)?;
    (decision.file == file && decision.kind == kind).then_some(decision.number)
}

/// Records that, until a file has other records.
pub(super) fn decide(file: PathBuf, setting: Setting, kind: TypeId, number: usize) {
    let decision = Decision { file, kind, number };
    remembered().decided.insert(setting, decision);
}

/// The record for a setting, if the file has one.
pub(super) fn find(file: &Path, setting: &Setting) -> Option<Record> {
    let is_it = |record: &&Record| record.setting == *setting;
    if let Some(records) = remembered().files.get(file) {
        return records.iter().find(is_it).cloned();
    }
    // Read while nobody is kept waiting. Of several threads that do so, all read the same.
    let records = match read(file) {
        Ok(records) => records,
        Err(error) => {
            let line = format!(
                "{}: {error}; launches take the first choices that are declared until the file is mended or deleted",
                file.display()
            );
            note_once(line);
            Vec::new()
        }
    };
    let found = records.iter().find(is_it).cloned();
    remembered().files.insert(file.to_owned(), records);
    found
}

/// The records of a file; none if there is no file.
fn read(file: &Path) -> io::Result<Vec<Record>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    record::read(&text).map_err(|error| io::Error::new(ErrorKind::InvalidData, error.to_string()))
}

/// Adds a record, in place of one for the same setting.
fn put(records: &mut Vec<Record>, record: Record) {
    records.retain(|other| other.setting != record.setting);
    records.push(record);
}

/// Adds a record to a file, in place of one for the same setting.
pub(super) fn keep(file: &Path, record: Record) -> Result<()> {
    let kept = locked(file, || {
        let mut records = read(file)?;
        put(&mut records, record);
        replace(file, &record::write(&records))?;
        Ok(records)
    });
    match kept {
        Ok(records) => {
            let mut remembered = remembered();
            remembered.decided.clear();
            remembered.files.insert(file.to_owned(), records);
            Ok(())
        }
        Err(cause) => Err(Error::File {
            path: file.to_owned(),
            cause,
        }),
    }
}

/// Adds a record to a file. Where that cannot be, which is noted, the record is there for as long as this process is.
pub(super) fn keep_or_remember(file: &Path, record: Record) {
    if let Err(error) = keep(file, record.clone()) {
        note_once(format!(
            "the best choice for {} is not kept: {error}",
            record.setting
        ));
        let mut remembered = remembered();
        remembered.decided.clear();
        put(remembered.files.entry(file.to_owned()).or_default(), record);
    }
}

/// Whether nothing was found for a setting before.
pub(super) fn is_hopeless(setting: &Setting) -> bool {
    remembered().hopeless.contains(setting)
}

/// Says that nothing is found for a setting, and why, and ensures that it is not tried again.
pub(super) fn give_up(setting: &Setting, error: &Error) {
    remembered().hopeless.insert(setting.clone());
    note_once(format!("{setting} is not tuned: {error}"));
}

/// Does something while no other process does so with the same file. The lock is a file of its own, among temporary
/// ones, as the file itself is replaced. Where there can be no lock, this continues without.
fn locked<R>(file: &Path, body: impl FnOnce() -> R) -> R {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let name = format!("vortex-tune-{}.lock", hash(&absolute.to_string_lossy()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = options.open(env::temp_dir().join(name));
    let lock = lock.and_then(|lock| lock.lock().map(|()| lock));
    if let Err(error) = &lock {
        tracing::debug!(%error, "no lock for the file of records");
    }
    // Given back when it is closed.
    let _lock = lock;
    body()
}

/// Replaces a file as a whole.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let new = file.with_file_name(format!(".{name}.{}.{number}", process::id()));
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, file));
    if written.is_err() {
        // What there is of it, if anything, is of no use.
        let _ = fs::remove_file(&new);
    }
    written
}

/// What tells a kernel's code from that of others, and from what it was: a hash of what it records, without the lines
/// of its source. Each kernel is recorded for that once.
pub(super) fn code_of(kernel: &KernelEntry) -> Result<String> {
    /// Instances come and go.
    const MOST: usize = 4096;
    if let Some(code) = remembered().code.get(&kernel.id()) {
        return Ok(code.clone());
    }
    let staged = kernel.stage().map_err(|cause| Error::Stage {
        kernel: kernel.shared_name(),
        cause,
    })?;
    let text = staged.to_string();
    let lines = text.lines().filter(|line| !line.starts_with("  loc "));
    let code = hash(&lines.collect::<Vec<_>>().join("\n"));
    let code_of_all = &mut remembered().code;
    if code_of_all.len() >= MOST {
        code_of_all.clear();
    }
    code_of_all.insert(kernel.id(), code.clone());
    Ok(code)
}

/// The same in every version of Rust.
fn hash(text: &str) -> String {
    format!("{:016x}", checksum(text.as_bytes()))
}

/// Says once that a record is not used.
pub(super) fn note_stale(file: &Path, record: &Record, why: &str) {
    note_once(format!(
        "{}: the record of {} is not used, as {why}; VORTEX_TUNE=1 replaces it",
        file.display(),
        record.setting
    ));
}

fn note_once(line: String) {
    if remembered().noted.insert(line.clone()) {
        eprintln!("vortex: {line}");
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::process::{Command, Stdio};

    use super::*;

    /// Set for processes that only add records, to say which.
    const ADDS: &str = "VORTEX_TEST_ADDS_RECORDS";
    const EACH: u64 = 40;

    #[test]
    fn adds_records() {
        let Some(number) = env::var(ADDS).ok() else {
            return;
        };
        let file = default_file().unwrap();
        for cycles in 0..EACH {
            let record = Record {
                setting: Setting {
                    kernel: format!("of process {number}"),
                    device: String::new(),
                    size: cycles.to_string(),
                },
                choice: String::new(),
                cycles,
                model: String::new(),
                version: String::new(),
                code: String::new(),
                candidates: Vec::new(),
            };
            keep(&file, record).unwrap();
        }
    }

    #[test]
    fn what_processes_add_at_the_same_time_is_all_there() {
        let name = format!("vortex-tune-processes-{}.toml", process::id());
        let file = env::temp_dir().join(&name);
        let children = (0..3).map(|number| {
            Command::new(env::current_exe().unwrap())
                .args(["tune::store::tests::adds_records", "--exact"])
                .env("VORTEX_TUNE_FILE", &file)
                .env(ADDS, number.to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        });
        // All are started before the first one is waited for.
        let children: Vec<_> = children.collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let records = read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(records.len() as u64, 3 * EACH);
        // Nothing is left of how it was written.
        let hidden = format!(".{name}");
        let left = fs::read_dir(env::temp_dir()).unwrap();
        let mut left = left.map(|entry| entry.unwrap().file_name());
        let of_file = |entry: &OsString| entry.to_string_lossy().starts_with(&hidden);
        assert_eq!(left.find(of_file), None);
    }
}
