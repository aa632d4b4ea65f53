//! The page of a sweep: tables, Pareto-optimal devices, how near points are to their device's roof, and effects of
//! settings.

mod analysis;
mod page;
mod plot;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use super::Sweep;
use super::parts::Parts;
use super::table;
use crate::{counted, print_text};

/// Writes the page of what is done of a sweep.
pub(super) fn write(sweep: &Sweep, output: Option<PathBuf>) -> Result<()> {
    let done = Parts::of(&sweep.results).done()?;
    let rows = table::rows(&sweep.points, &done, &sweep.spec.area);
    if rows.is_empty() {
        bail!(
            "none of {} is done: `vortex sweep {}` runs them",
            counted(sweep.points.len() as u32, "point"),
            sweep.shown.display()
        );
    }
    let name = sweep.file.file_stem().unwrap_or_default().to_string_lossy();
    let text = page::of(&name, &sweep.points, &rows, &sweep.spec.area);
    let path = output.unwrap_or_else(|| sweep.results.join("report.html"));
    std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    print_text(&format!("{}\n", path.display()))
}
