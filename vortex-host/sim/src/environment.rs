//! The settings of a device in the environment.

use super::checks::Checks;
use super::config::{Config, Model};
use std::borrow::Cow;
use std::time::Duration;
use thiserror::Error;
use vortex_isa::Generation;

/// An environment variable with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{variable}={value} is not {expected}")]
pub struct VariableError {
    /// Name of the variable.
    pub variable: &'static str,
    /// Its value, as it is set.
    pub value: String,
    /// What it should be, or what it is not and why: follows "is not".
    pub expected: Cow<'static, str>,
}

/// A device as the environment describes it. Whether such a device is possible is checked when one is made.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The device that the variables describe; what they leave out is as by default.
    pub config: Config,
    /// Whether the variables set the race check explicitly.
    pub races_asked: bool,
}

impl Environment {
    /// What `VORTEX_GENERATION`, `VORTEX_CORES`, `VORTEX_CLUSTERS`, `VORTEX_WARPS`, `VORTEX_THREADS`, `VORTEX_MODEL`,
    /// `VORTEX_CHECKS`, `VORTEX_BUDGET`, `VORTEX_PATIENCE` and `VORTEX_DETERMINISTIC` ask for.
    ///
    /// # Errors
    /// If one of them has an invalid value.
    pub fn read() -> Result<Self, VariableError> {
        let mut config = Config::default();
        let mut races_asked = false;
        read(
            "VORTEX_GENERATION",
            "`2` or `3`",
            |value| Generation::numbered(value.parse().ok()?),
            &mut config.generation,
        )?;
        let shape = [
            ("VORTEX_CORES", "a number of cores", &mut config.cores),
            (
                "VORTEX_CLUSTERS",
                "a number of clusters",
                &mut config.clusters,
            ),
            ("VORTEX_WARPS", "a number of warps", &mut config.warps),
            ("VORTEX_THREADS", "a number of threads", &mut config.threads),
        ];
        for (variable, expected, field) in shape {
            read(variable, expected, |value| value.parse().ok(), field)?;
        }
        let generation = config.generation;
        set(
            "VORTEX_MODEL",
            |text| {
                Model::named(text, generation).map_err(|error| format!("a model: {error}").into())
            },
            &mut config.model,
        )?;
        read(
            "VORTEX_BUDGET",
            "a number of instructions or `none`",
            |value| unless_none(value, |number| number.parse().ok()),
            &mut config.instruction_budget,
        )?;
        read(
            "VORTEX_PATIENCE",
            "a number of seconds or `none`",
            |value| unless_none(value, seconds),
            &mut config.patience,
        )?;
        read(
            "VORTEX_DETERMINISTIC",
            "`0` or `1`",
            zero_or_one,
            &mut config.deterministic,
        )?;
        read(
            "VORTEX_CHECKS",
            "a list of `all`, `none` and names of checks, which a minus turns off, such as `none,bounds`",
            |list| {
                let (checks, says_of_races) = Checks::of_list(list).ok()?;
                races_asked = says_of_races;
                Some(checks)
            },
            &mut config.checks,
        )?;
        Ok(Self {
            config,
            races_asked,
        })
    }
}

/// Sets `field` to what `parse` makes of an environment variable's value; without the variable, leaves it as it is.
///
/// # Errors
/// If `parse` makes nothing of the value: `expected` says what it should be, after "is not".
pub fn read<T>(
    variable: &'static str,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
    field: &mut T,
) -> Result<(), VariableError> {
    set(variable, |value| parse(value).ok_or(expected.into()), field)
}

/// The same, where it depends on the value what is expected.
fn set<T>(
    variable: &'static str,
    parse: impl FnOnce(&str) -> Result<T, Cow<'static, str>>,
    field: &mut T,
) -> Result<(), VariableError> {
    if let Some(value) = std::env::var_os(variable) {
        let value = value.to_string_lossy();
        *field = parse(&value).map_err(|expected| VariableError {
            variable,
            value: value.clone().into_owned(),
            expected,
        })?;
    }
    Ok(())
}

/// A switch, as environment variables have it: `0` is off, `1` is on, and anything else is invalid.
#[must_use]
pub fn zero_or_one(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// A limit that there may be none of.
fn unless_none<T>(value: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    match value {
        "none" => Some(None),
        limit => parse(limit).map(Some),
    }
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}
