//! The results of a search.

use std::fmt;
use std::path::{Path, PathBuf};

use super::choices::Choices;
use super::record::{EntryValue, Record};
use super::setting::Setting;
use vortex_sim::Grouped;

/// The outcome of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It takes this many cycles.
    Cycles(u64),
    /// It was not measured, as it takes this many cycles at least: its instructions, spread over all issue slices of
    /// all cores.
    Bound(u64),
    /// It was ended after this many cycles, as it could not be the best any more.
    Ended(u64),
    /// It does not run on this device with these arguments; the reason, in a line.
    Unfit(String),
}

impl Outcome {
    /// The cycles that it takes, if it was measured.
    #[must_use]
    pub fn cycles(&self) -> Option<u64> {
        match self {
            Self::Cycles(cycles) => Some(*cycles),
            _ => None,
        }
    }
}

impl From<Outcome> for EntryValue {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Cycles(cycles) => Self::Cycles(cycles),
            Outcome::Bound(cycles) => Self::Words(format!("at least {cycles} cycles")),
            Outcome::Ended(cycles) => Self::Words(format!("more than {cycles} cycles")),
            Outcome::Unfit(why) => Self::Words(format!("does not fit: {why}")),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycles(cycles) => write!(f, "{} cycles", Grouped(*cycles)),
            Self::Bound(cycles) => write!(f, "not measured: at least {} cycles", Grouped(*cycles)),
            Self::Ended(cycles) => write!(f, "ended after {} cycles", Grouped(*cycles)),
            Self::Unfit(why) => write!(f, "does not fit: {why}"),
        }
    }
}

/// A candidate, and its outcome.
#[derive(Clone, Debug)]
pub struct Tried<C> {
    /// What was chosen for this candidate.
    pub choice: C,
    /// What became of it.
    pub outcome: Outcome,
}

/// The result of [`Tuned::tune`](crate::Tuned::tune). `Display` prints a line for each candidate.
#[derive(Clone, Debug)]
pub struct TuneReport<C> {
    setting: Setting,
    tried: Vec<Tried<C>>,
    best: C,
    cycles: u64,
    file: Option<PathBuf>,
}

impl<C: Choices> TuneReport<C> {
    /// Of several that are as fast the first is the best. `None` if none was measured.
    pub(super) fn of(setting: Setting, tried: Vec<Tried<C>>) -> Option<Self> {
        let measured = tried
            .iter()
            .filter_map(|tried| Some((tried.choice, tried.outcome.cycles()?)));
        let (best, cycles) = measured.min_by_key(|(_, cycles)| *cycles)?;
        Some(Self {
            setting,
            tried,
            best,
            cycles,
            file: None,
        })
    }

    pub(super) fn kept_in(self, file: PathBuf) -> Self {
        Self {
            file: Some(file),
            ..self
        }
    }

    pub(super) fn record(&self, code: String, model: &str) -> Record {
        Record {
            setting: self.setting.clone(),
            choice: self.best.text(),
            cycles: self.cycles,
            model: model.to_owned(),
            version: super::record::VERSION.to_owned(),
            code,
            candidates: self
                .tried
                .iter()
                .map(|tried| (tried.choice.text(), tried.outcome.clone().into()))
                .collect(),
        }
    }

    /// The choice of the fewest cycles.
    #[must_use]
    pub fn best(&self) -> C {
        self.best
    }

    /// Its number of cycles.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// All candidates, in the order in which they are declared.
    #[must_use]
    pub fn tried(&self) -> &[Tried<C>] {
        &self.tried
    }

    /// The kernel, with the modules that it is in and what tells instances apart that is not tuned.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.setting.kernel
    }

    /// The device's generation and shape, as records have it: `Vortex 2, 4x16x32`.
    #[must_use]
    pub fn device(&self) -> &str {
        &self.setting.device
    }

    /// The class of sizes that this is for: work items with the first candidate, and bytes of each argument in memory,
    /// each rounded down to a power of two.
    #[must_use]
    pub fn size(&self) -> &str {
        &self.setting.size
    }

    /// The file that has the record of it, if it was kept.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

impl<C: Choices> fmt::Display for TuneReport<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}:", self.setting)?;
        let texts: Vec<String> = self.tried.iter().map(|tried| tried.choice.text()).collect();
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        for (Tried { choice, outcome }, text) in self.tried.iter().zip(&texts) {
            let mark = match *choice == self.best {
                true => "->",
                false => "  ",
            };
            write!(f, "\n{mark} {text:width$}  {outcome}")?;
        }
        Ok(())
    }
}
