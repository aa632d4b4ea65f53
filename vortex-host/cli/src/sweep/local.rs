//! Runs points on the processors of this machine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::chained;
use crate::run::launched_on;

use super::outcome::{Done, Measured, Outcome};
use super::parts::Part;
use super::points::{Job, Point};
use super::program;
use super::spec::Spec;

/// Runs all of these points, `jobs` at a time, and notes each as soon as it is done.
pub(super) fn run(
    points: &[&Point],
    spec: &Spec,
    jobs: usize,
    part: &Part,
    scratch: &Path,
) -> Result<()> {
    let bar = ProgressBar::new(points.len() as u64);
    let style =
        ProgressStyle::with_template("{bar:40} {pos} of {len} points, {elapsed} gone, {eta} left")?;
    bar.set_style(style);
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    thread::scope(|scope| {
        for job in 0..jobs.clamp(1, points.len().max(1)) {
            let profile = scratch.join(format!("profile-{}-{job}.json", std::process::id()));
            let (bar, next, failure) = (&bar, &next, &failure);
            scope.spawn(move || {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = Done {
                        key: point.key.clone(),
                        outcome: outcome(point, spec, &profile),
                    };
                    if let Err(error) = part.add(&done) {
                        // Nothing can be noted any more: the others need not continue.
                        next.store(points.len(), Ordering::Relaxed);
                        *failure
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    match failure
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// The result of a point; even a bug in this library only affects that point.
fn outcome(point: &Point, spec: &Spec, profile: &Path) -> Outcome {
    let run = || match &point.job {
        Job::Kernel(job) => {
            let device = point.hardware.open()?;
            let mut measured = None;
            launched_on(&device, &job.run(), |launch, device| {
                measured = Some(Measured::of(&launch.profile(device)?));
                Ok(String::new())
            })?;
            Ok(measured.into_iter().collect())
        }
        Job::Program(job) => program::measured(job, &point.hardware, spec, profile),
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(measured)) => Outcome::Measured(measured),
        Ok(Err(error)) => Outcome::Failed(first_line(&chained(&error))),
        Err(panic) => {
            let text = (panic.downcast_ref::<&str>().copied())
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Outcome::Failed(first_line(&format!(
                "internal error: {}",
                text.unwrap_or("a panic")
            )))
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
