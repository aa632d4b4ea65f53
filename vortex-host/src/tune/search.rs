//! The search for the best candidate.
//!
//! The cycle model is many times slower than the functional one. So all candidates run on the latter first: those that
//! fail there do not fit, and the instructions of the others, spread over all issue slices of the device, are a lower
//! bound of their cycles. Then they are measured, the lowest bound first. A candidate that must be slower than the best
//! so far is not measured, and one that has taken longer is stopped. A candidate whose bound equals the best's cycles
//! is measured: of equally fast ones the first is chosen, and it may be that.
//!
//! (Where items wait for each other in loops, the number of instructions depends on the model, and a bound may be
//! wrong: `Tuned::exhaustive` does not use bounds.)

use super::candidate::Shaped;
use super::device_model;
use super::report::Outcome;
use super::trial::{Bench, Contents};
use crate::device::Device;
use crate::error::{Error, Result};
use vortex_sim::TrapKind;

/// What becomes of each candidate, in their order. If none runs, that is the error of the first.
///
/// `make` makes the candidate of a number: there are `count`.
pub(super) fn run(
    device: &Device,
    count: usize,
    make: &mut dyn FnMut(usize) -> Shaped,
    prunes: bool,
) -> Result<Vec<Outcome>> {
    let candidates: Vec<Shaped> = (0..count).map(&mut *make).collect();
    let contents = Contents::of(&candidates, device)?;
    let timed = device_model::timed(device);
    let issued = device_model::issued(&timed);
    let counted = Bench::open(device_model::counted(device), &contents, device)?;
    let mut first_error = None;
    let mut unfit = |error: Error| {
        let why = first_line(&error);
        first_error.get_or_insert(error);
        Outcome::Unfit(why)
    };
    let mut outcomes = Vec::new();
    // Number and bound of those that run.
    let mut to_measure: Vec<(usize, u64)> = Vec::new();
    for (number, candidate) in candidates.into_iter().enumerate() {
        let outcome = if candidate.has_rest() {
            Outcome::Unfit("its groups do not divide the work items".to_owned())
        } else {
            match counted.run(candidate, None) {
                Ok(report) => {
                    let instructions = report.instructions().unwrap_or(0);
                    let bound = instructions.div_ceil(issued.max(1));
                    to_measure.push((number, bound));
                    Outcome::Bound(bound)
                }
                Err(error) => unfit(error),
            }
        };
        outcomes.push(outcome);
    }
    to_measure.sort_by_key(|(number, bound)| (*bound, *number));
    let mut best = u64::MAX;
    for (number, bound) in to_measure {
        if prunes && bound > best {
            continue;
        }
        let limit = (prunes && best < u64::MAX).then(|| with_slack(best));
        // Each on a device of its own, so that what a candidate takes does not depend on where others have left theirs.
        let time = Bench::open(timed.clone(), &contents, device)?;
        outcomes[number] = match time.run(make(number), limit) {
            Ok(report) => {
                let cycles = report.cycles().unwrap_or(0);
                best = best.min(cycles);
                Outcome::Cycles(cycles)
            }
            Err(Error::Trap(report)) if let TrapKind::CyclesSpent { cycles } = report.trap.kind => {
                Outcome::Ended(cycles)
            }
            Err(error) => unfit(error),
        };
    }
    let runs = |outcome: &Outcome| matches!(outcome, Outcome::Cycles(_));
    match first_error {
        Some(error) if !outcomes.iter().any(runs) => Err(error),
        _ => Ok(outcomes),
    }
}

/// After how many cycles by the clock a run cannot have been busy for fewer than these: on Vortex 3 a core's cycles are
/// counted from its first group on.
fn with_slack(best: u64) -> u64 {
    best.saturating_add(best / 16).saturating_add(64)
}

/// What an error says in a line.
fn first_line(error: &Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}
