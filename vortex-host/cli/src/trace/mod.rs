//! `vortex trace`.

mod csv;
mod diff;

use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Error, Result, bail};
use vortex::trace::TraceLimits;

use crate::args::{Trace, TraceDiff, TraceRun};
use crate::run::launched;
use crate::{input, progress};
use csv::Commits;

pub(crate) fn run(command: &Trace) -> Result<()> {
    match command {
        Trace::Run(args) => record(args),
        Trace::Diff(args) => compare(args),
    }
}

fn record(args: &TraceRun) -> Result<()> {
    if !args.run.raw.is_empty() {
        bail!("programs of other origin cannot be traced: `--raw` is for `vortex run`");
    }
    let limits = TraceLimits {
        instructions: args.instructions,
        cycles: cycles(args.cycles.as_deref())?,
        values: !args.no_values,
    };
    launched(&args.run, |launch, device| {
        let trace = progress::shown(device, || launch.trace(device, limits).map_err(Error::from))?;
        let path = &args.output;
        trace
            .write(path)
            .with_context(|| path.display().to_string())?;
        let count = trace.instructions.len();
        let mut said = format!(
            "{}: {count} instructions of warps: {}",
            trace.kernel,
            path.display()
        );
        if trace.left_out > 0 {
            said = format!(
                "{said}\n  {} more are left out: see --instructions",
                trace.left_out
            );
        }
        Ok(said)
    })
}

/// `FROM..TO`, of which either can be missing.
fn cycles(text: Option<&str>) -> Result<Range<u64>> {
    let Some(text) = text else {
        return Ok(TraceLimits::default().cycles);
    };
    let parse = |end: &str, missing: u64| match end.trim() {
        "" => Some(missing),
        number => number.parse().ok(),
    };
    let range = text.split_once("..");
    let range = range.and_then(|(from, to)| Some(parse(from, 0)?..parse(to, u64::MAX)?));
    match range {
        Some(range) => Ok(range),
        None => bail!("`--cycles {text}` is no range: write FROM..TO, FROM.. or ..TO"),
    }
}

/// The commit trace that a file holds.
fn commits(path: &Path) -> Result<Commits> {
    let shown = || path.display().to_string();
    let bytes = input::bytes(path)?;
    let text = std::str::from_utf8(&bytes).with_context(shown)?;
    let mut commits = Commits::parse(text).with_context(shown)?;
    // What is next to it is a help, and need not be there.
    if let Ok(lines) = std::fs::read_to_string(path.with_extension("lines.csv")) {
        let source_lines = csv::source_lines(&lines);
        commits.source_lines =
            source_lines.with_context(|| format!("the lines beside {}", shown()))?;
    }
    Ok(commits)
}

fn compare(args: &TraceDiff) -> Result<()> {
    let (a, b) = (commits(&args.a)?, commits(&args.b)?);
    match diff::first(&a, &b) {
        None => crate::print_text(&format!(
            "no difference: {} instructions of warps\n",
            a.len()
        )),
        Some(difference) => {
            let names = [&args.a, &args.b].map(|path| path.display().to_string());
            crate::print_text(&difference.described(&names, [&a, &b]))?;
            bail!("the traces differ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_cycles() {
        assert_eq!(cycles(Some("5..9")).unwrap(), 5..9);
        assert_eq!(cycles(Some("..9")).unwrap(), 0..9);
        assert_eq!(cycles(Some("5..")).unwrap(), 5..u64::MAX);
        assert!(cycles(Some("5")).is_err() && cycles(Some("a..b")).is_err());
    }
}
