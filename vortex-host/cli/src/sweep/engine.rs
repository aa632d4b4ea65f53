//! Who runs the points: this machine, or an engine for many. An engine starts this command once for each shard; what
//! that leaves in the folder of results is put together afterwards, and is the same whoever ran it.

use std::path::Path;
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

/// Hands a sweep to an engine. `true`: it has been run; otherwise somebody has to start it.
pub(super) fn hand_over(
    engine: Engine,
    sweep: &Path,
    results: &Path,
    shards: usize,
) -> Result<bool> {
    let command = std::env::current_exe().context("this command's own file")?;
    match engine {
        Engine::Hyperqueue => hyperqueue(&command, sweep, results, shards).map(|()| true),
        Engine::Slurm => slurm(&command, sweep, results, shards).map(|()| false),
    }
}

/// Gives HyperQueue an array of tasks, and waits for them. Its server and workers have been started by the user.
fn hyperqueue(command: &Path, sweep: &Path, results: &Path, shards: usize) -> Result<()> {
    let mut hq = Command::new("hq");
    hq.args(["submit", "--wait", "--name", "vortex-sweep", "--cpus", "1"])
        .arg(format!("--array=0-{}", shards - 1))
        .args(["--stdout", "none", "--stderr"])
        .arg(results.join("parts").join("%{TASK_ID}.stderr"))
        .arg("--")
        .arg(command)
        .arg("sweep")
        .arg(sweep)
        .arg("--output")
        .arg(results)
        .arg("--shard")
        .arg(format!("auto/{shards}"))
        .args(["--jobs", "1"])
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
            results.join("parts").display()
        );
    }
    Ok(())
}

/// Writes a script for an array of tasks.
fn slurm(command: &Path, sweep: &Path, results: &Path, shards: usize) -> Result<()> {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
    let script = format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=vortex-sweep\n\
         #SBATCH --array=0-{last}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --output={parts}/%a.stderr\n\
         exec {command} sweep {sweep} --output {results} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" --jobs 1\n",
        last = shards - 1,
        parts = results.join("parts").display(),
        command = quoted(command),
        sweep = quoted(sweep),
        results = quoted(results),
    );
    let path = results.join("slurm.sh");
    std::fs::write(&path, script).with_context(|| path.display().to_string())?;
    Ok(())
}
