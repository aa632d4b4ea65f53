//! What runs the points: this machine, or an engine for many. An engine starts this command once for each shard; the
//! parts that it leaves in the folder of results are merged afterwards, and do not depend on what ran them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::args::Engine;

/// A part of a sweep: the points whose number, divided by how many there are, leaves this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    number: usize,
    of: usize,
}

/// The variables in which engines say which task of an array this is, counted from 0.
const TASKS: [&str; 2] = ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID"];

impl Shard {
    /// Of `3/8`, or of `auto/8` in a task of an engine.
    pub(super) fn named(text: &str) -> Result<Self> {
        let wrong =
            || anyhow!("`--shard {text}` is no part of a sweep: write `0/8` to `7/8`, or `auto/8`");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let of: usize = of.parse().map_err(|_| wrong())?;
        let number = match number {
            "auto" => {
                let task = TASKS.iter().find_map(|name| std::env::var(name).ok());
                let task = task.ok_or_else(|| {
                    anyhow!(
                        "`auto` is for tasks of engines: none of {} is set",
                        TASKS.join(", ")
                    )
                })?;
                task.parse()
                    .map_err(|_| anyhow!("`{task}` is no number of a task"))?
            }
            number => number.parse().map_err(|_| wrong())?,
        };
        match number < of {
            true => Ok(Self { number, of }),
            false => Err(wrong()),
        }
    }

    pub(super) fn has(self, point: usize) -> bool {
        point % self.of == self.number
    }

    /// The name of its part.
    pub(super) fn name(self) -> String {
        format!("{:04}-of-{:04}", self.number, self.of)
    }
}

/// A sweep for an engine.
pub(super) struct Tasks<'a> {
    pub(super) sweep: &'a Path,
    pub(super) results: &'a Path,
    /// How many there are.
    pub(super) count: usize,
    /// Run what failed once more.
    pub(super) retry: bool,
}

/// Whether a sweep that was handed to an engine has been run.
pub(super) enum Handed {
    Run,
    /// By this script, which the user must start.
    Written(PathBuf),
}

impl Tasks<'_> {
    /// Hands them to an engine.
    pub(super) fn to(&self, engine: Engine) -> Result<Handed> {
        match engine {
            Engine::Hyperqueue => self.hyperqueue().map(|()| Handed::Run),
            Engine::Slurm => self.slurm().map(Handed::Written),
        }
    }

    /// What each task runs, except for which shard it is.
    fn command(&self) -> Result<Vec<OsString>> {
        let own = std::env::current_exe().context("this command's own file")?;
        let mut command: Vec<OsString> = vec![own.into(), "sweep".into(), self.sweep.into()];
        command.extend(["--output".into(), self.results.into()]);
        command.extend(["--jobs", "1"].map(OsString::from));
        command.extend(self.retry.then(|| "--retry".into()));
        Ok(command)
    }

    /// Where a task leaves what it has to say; `task` is what the engine puts its number in place of.
    fn said(&self, task: &str) -> PathBuf {
        self.results.join("parts").join(format!("{task}.stderr"))
    }

    /// Gives HyperQueue an array of tasks, and waits for them. Its server and workers have been started by the user.
    fn hyperqueue(&self) -> Result<()> {
        let mut hq = Command::new("hq");
        hq.args(["submit", "--wait", "--name", "vortex-sweep", "--cpus", "1"])
            .arg(format!("--array=0-{}", self.count - 1))
            .args(["--stdout", "none", "--stderr"])
            .arg(self.said("%{TASK_ID}"))
            .arg("--")
            .args(self.command()?)
            .arg(format!("--shard=auto/{}", self.count))
            .stdin(Stdio::null());
        let status = hq.status().map_err(|error| {
            anyhow!(
                "`hq` does not start ({error}): install HyperQueue, and start its server and a worker with \
                 `hq server start` and `hq worker start`"
            )
        })?;
        if !status.success() {
            bail!(
                "HyperQueue ended with {status}; what tasks had to say is in {}",
                self.said("*").display()
            );
        }
        Ok(())
    }

    /// Writes a script for an array of tasks.
    fn slurm(&self) -> Result<PathBuf> {
        let quoted =
            |text: &OsString| format!("'{}'", text.to_string_lossy().replace('\'', "'\\''"));
        let command: Vec<_> = self.command()?.iter().map(quoted).collect();
        let script = format!(
            "#!/bin/sh\n\
             #SBATCH --job-name=vortex-sweep\n\
             #SBATCH --array=0-{}\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --output=\"{}\"\n\
             exec {} --shard=\"$SLURM_ARRAY_TASK_ID/{}\"\n",
            self.count - 1,
            self.said("%a").display(),
            command.join(" "),
            self.count
        );
        let path = self.results.join("slurm.sh");
        std::fs::write(&path, script).with_context(|| path.display().to_string())?;
        Ok(path)
    }
}
