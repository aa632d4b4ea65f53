//! The points of a sweep: every launch on every device, each once, with the key that identifies it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use sha2::{Digest as _, Sha256};

use crate::args::Run;
use crate::input;

use super::hardware::{self, Hardware};
use super::program::{self, ProgramJob};
use super::spec::{Axis, Kernel, Program, Spec};

/// A run that a sweep asks for.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Of what it depends on: the same as that of another run if and only if they do the same.
    pub(super) key: String,
    pub(super) job: Job,
    pub(super) hardware: Hardware,
}

#[derive(Clone, Debug)]
pub(super) enum Job {
    Kernel(KernelJob),
    Program(ProgramJob),
}

/// A launch.
#[derive(Clone, Debug)]
pub(super) struct KernelJob {
    /// What rows call it; the kernel's own name if there is none.
    pub(super) name: Option<String>,
    pub(super) file: PathBuf,
    pub(super) kernel: Option<String>,
    /// The values of parameters, by name.
    pub(super) args: Vec<(String, String)>,
    /// `over` or `grid`, and `block`, as far as they are said.
    pub(super) size: Vec<(String, String)>,
}

/// All points of a sweep in its order: launches, and of each of them devices.
pub(super) fn all(spec: &Spec) -> Result<Vec<Point>> {
    let hardware = hardware::all(spec)?;
    let mut files = Digests::default();
    let mut jobs = Vec::new();
    for kernel in &spec.kernel {
        for job in kernel_jobs(kernel)? {
            let identity = job.identity(&mut files)?;
            jobs.push((Job::Kernel(job), identity));
        }
    }
    // Nothing in the environment says how much local memory a device has.
    let sets_local_memory =
        |one: &Hardware| one.settings.iter().any(|(name, _)| name == "local_memory");
    if !spec.program.is_empty() && hardware.iter().any(sets_local_memory) {
        bail!("`local_memory` cannot be set for a `[[program]]`: programs choose it themselves");
    }
    for program in &spec.program {
        let job = program_job(program)?;
        let identity = format!("program {} {:?}", files.of(&job.path)?, job.args);
        jobs.push((Job::Program(job), identity));
    }
    hardware::at_most([jobs.len(), hardware.len()])?;
    let mut seen = HashSet::new();
    let mut points = Vec::new();
    for (job, identity) in &jobs {
        for hardware in &hardware {
            let key = digest(
                format!(
                    "{} {identity} on {}",
                    env!("CARGO_PKG_VERSION"),
                    hardware.identity()
                )
                .as_bytes(),
            );
            if seen.insert(key.clone()) {
                points.push(Point {
                    key,
                    job: job.clone(),
                    hardware: hardware.clone(),
                });
            }
        }
    }
    Ok(points)
}

fn kernel_jobs(kernel: &Kernel) -> Result<Vec<KernelJob>> {
    let sizes = [
        ("over", &kernel.over),
        ("grid", &kernel.grid),
        ("block", &kernel.block),
    ];
    let mut axes: Vec<(String, Vec<String>)> = Vec::new();
    let sizes = sizes
        .iter()
        .filter_map(|(name, axis)| Some((*name, axis.as_ref()?)));
    let args = kernel.args.iter().map(|(name, axis)| (name.as_str(), axis));
    let number_of_sizes = sizes.clone().count();
    for (name, axis) in sizes.chain(args) {
        let values = Axis::values(axis);
        if values.is_empty() {
            bail!("`{name}` of {} is an empty list", kernel.file.display());
        }
        axes.push((name.to_owned(), values));
    }
    let jobs = hardware::combinations(&axes)?
        .into_iter()
        .map(|mut size| KernelJob {
            name: kernel.name.clone(),
            file: kernel.file.clone(),
            kernel: kernel.kernel.clone(),
            args: size.split_off(number_of_sizes),
            size,
        });
    Ok(jobs.collect())
}

fn program_job(program: &Program) -> Result<ProgramJob> {
    let path = match (&program.example, &program.path) {
        (Some(example), _) => program::built(example, program.package.as_deref())?,
        (None, Some(path)) => path.clone(),
        (None, None) => bail!("a `[[program]]` has either an `example` or a `path`"),
    };
    let stem = || {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let name = program
        .name
        .clone()
        .or_else(|| program.example.clone())
        .or_else(stem);
    Ok(ProgramJob {
        name: name.unwrap_or_default(),
        path,
        args: program.args.clone(),
    })
}

impl KernelJob {
    /// The arguments that `vortex run` would get.
    pub(super) fn run(&self) -> Run {
        let sizes: BTreeMap<_, _> = self.size.iter().cloned().collect();
        Run {
            file: self.file.clone(),
            kernel: self.kernel.clone(),
            args: self
                .args
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
            raw: Vec::new(),
            outs: Vec::new(),
            over: sizes.get("over").cloned(),
            grid: sizes.get("grid").cloned(),
            block: sizes.get("block").cloned(),
            quiet: true,
        }
    }

    /// All that it depends on, with the contents of files in place of their names.
    fn identity(&self, files: &mut Digests) -> Result<String> {
        let mut text = format!("kernel {} {:?}", files.of(&self.file)?, self.kernel);
        // An image's metadata says what its arguments are.
        for beside in ["vxmeta", "json"].map(|end| self.file.with_extension(end)) {
            if beside != self.file && beside.is_file() {
                _ = write!(text, " with {}", files.of(&beside)?);
            }
        }
        for (name, value) in self.size.iter().chain(&self.args) {
            let path = value.strip_prefix('@').unwrap_or(value);
            let file = path.split(',').next().unwrap_or(path);
            match Path::new(file).is_file() {
                true => {
                    _ = write!(
                        text,
                        " {name}={}{}",
                        files.of(Path::new(file))?,
                        &path[file.len()..]
                    )
                }
                false => _ = write!(text, " {name}={value}"),
            }
        }
        Ok(text)
    }
}

/// What files hold, each read once.
#[derive(Default)]
struct Digests(HashMap<PathBuf, String>);

impl Digests {
    fn of(&mut self, path: &Path) -> Result<String> {
        if let Some(known) = self.0.get(path) {
            return Ok(known.clone());
        }
        let bytes = input::bytes(path)?;
        let digest = digest(&bytes);
        self.0.insert(path.to_owned(), digest.clone());
        Ok(digest)
    }
}

/// SHA-256 in hexadecimal digits, of which half are enough to tell points apart.
fn digest(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in &Sha256::digest(bytes)[..16] {
        _ = write!(text, "{byte:02x}");
    }
    text
}
