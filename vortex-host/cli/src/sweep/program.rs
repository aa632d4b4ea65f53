//! Programs as points: built by cargo, run with the device in the environment, and measured by their profiles.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};
use vortex::Profile;

use super::hardware::Hardware;
use super::outcome::Measured;
use super::spec::Spec;

/// A program and its arguments.
#[derive(Clone, Debug)]
pub(super) struct ProgramJob {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) args: Vec<String>,
}

/// The executable of an example, built in release.
pub(super) fn built(example: &str, package: Option<&str>) -> Result<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--release",
        "--message-format=json-render-diagnostics",
        "--example",
        example,
    ]);
    if let Some(package) = package {
        cargo.args(["--package", package]);
    }
    let output = cargo
        .stderr(Stdio::inherit())
        .output()
        .context("cargo does not start")?;
    if !output.status.success() {
        bail!("cargo did not build the example {example}");
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == example)
        .find_map(|message| Some(PathBuf::from(message["executable"].as_str()?)))
        .ok_or_else(|| anyhow!("cargo built no executable of the name {example}"))
}

/// Runs it, and reads what it wrote of its launches to `profile`, a file for this alone.
pub(super) fn measured(
    job: &ProgramJob,
    hardware: &Hardware,
    spec: &Spec,
    profile: &Path,
) -> Result<Vec<Measured>> {
    // Of another program, which failed after its first launch.
    _ = std::fs::remove_file(profile);
    let mut program = Command::new(std::path::absolute(&job.path)?);
    let inherited = std::env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| name.to_string_lossy().starts_with("VORTEX_")) {
        program.env_remove(name);
    }
    let output = program
        .args(&job.args)
        .envs(hardware.environment(&spec.checks))
        .env("VORTEX_PROFILE", profile)
        .stdin(Stdio::null())
        .output()
        .with_context(|| job.path.display().to_string())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().find(|line| !line.trim().is_empty());
        bail!(
            "{}: {}",
            output.status,
            line.unwrap_or("it printed no reason")
        );
    }
    let text = std::fs::read_to_string(profile)
        .map_err(|_| anyhow!("it launched nothing, so that there is nothing to measure"))?;
    std::fs::remove_file(profile)?;
    let profiles: Vec<Profile> = serde_json::from_str(&text).context("its profile")?;
    Ok(Measured::by_kernel(&profiles))
}
