//! `vortex profile`.

use std::path::Path;

use anyhow::{Context as _, Error, Result, bail};
use vortex::Profile;
use vortex::profile::VERSION;

use crate::args::Profile as Args;
use crate::run::launched;
use crate::{input, progress};

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(saved) = saved(&args.run.file)? {
        return write(&args.output, &saved);
    }
    if !args.run.raw.is_empty() {
        bail!("programs of other origin cannot be profiled: `--raw` is for `vortex run`");
    }
    launched(&args.run, |launch, device| {
        let profile = progress::shown(device, || launch.profile(device).map_err(Error::from))?;
        write(&args.output, &profile)?;
        Ok(summary(&profile, &args.output))
    })
}

/// The profile that a file holds, if it is one.
fn saved(path: &Path) -> Result<Option<Profile>> {
    let bytes = input::bytes(path)?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with("{\"version\":") => text,
        _ => return Ok(None),
    };
    let profile: Profile =
        serde_json::from_str(text).with_context(|| path.display().to_string())?;
    if profile.version != VERSION {
        bail!(
            "{}: the profile is of version {}, and this command reads version {VERSION}",
            path.display(),
            profile.version
        );
    }
    Ok(Some(profile))
}

fn write(path: &Path, profile: &Profile) -> Result<()> {
    profile
        .write(path)
        .with_context(|| path.display().to_string())
}

/// What limits the kernel, and where the page is.
fn summary(profile: &Profile, output: &Path) -> String {
    let mut text = format!("{}: {} cycles", profile.kernel, profile.cycles);
    if let Some(limiter) = profile.limiter() {
        text = format!("{text}\n  {}", limiter.sentence);
        let line = limiter.line.and_then(|line| profile.lines.get(line));
        if let Some(line) = line
            && let Some(file) = &line.file
        {
            let source = line.text.as_deref().unwrap_or_default().trim();
            text = format!("{text}\n  {file}:{}: {source}", line.line);
        }
        text = format!("{text}\n  {}", limiter.advice);
    }
    format!("{text}\n  all of it: {}", output.display())
}
