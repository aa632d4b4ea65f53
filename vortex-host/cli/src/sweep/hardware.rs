//! The devices of a sweep: settings by name, and what they make.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, anyhow, bail};
use vortex::Device;
use vortex::sim::timing::{KNOBS, Knob, TimingConfig};
use vortex::sim::{Checks, Config, Generation, Model};

use super::spec::{Area, Axis, Spec};

/// Settings of the device itself, in the order in which they vary, the last one fastest; those of the cycle model
/// follow, in the order of [`KNOBS`].
const SHAPE: [&str; 6] = [
    "generation",
    "shape",
    "cores",
    "warps",
    "threads",
    "local_memory",
];

/// The names of all settings, in their order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SHAPE.into_iter().chain(KNOBS.iter().map(|knob| knob.name))
}

/// A device, and what was said about it.
#[derive(Clone, Debug)]
pub(super) struct Hardware {
    /// Without its model, which is the cycle model with `timing`.
    config: Config,
    timing: TimingConfig,
    /// What the sweep says about it, in order.
    pub(super) settings: Vec<(String, String)>,
}

/// As variables of the environment have it.
fn or_none(limit: Option<impl ToString>) -> String {
    limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string())
}

/// All devices of a sweep.
pub(super) fn all(spec: &Spec) -> Result<Vec<Hardware>> {
    let checks = (spec.checks.parse::<Checks>()).map_err(|error| anyhow!("`checks`: {error}"))?;
    let mut all = Vec::new();
    for axes in spec.devices()? {
        for settings in combinations(&ordered(axes)?)? {
            all.push(Hardware::of(settings, checks, spec.budget)?);
        }
    }
    Ok(all)
}

/// The settings in their order, of which each must have a name that there is.
fn ordered(mut axes: BTreeMap<String, Axis>) -> Result<Vec<(String, Vec<String>)>> {
    if axes.contains_key("shape") && SHAPE[2..5].iter().any(|name| axes.contains_key(*name)) {
        bail!("`shape` says how many cores, warps and threads there are: leave those out, or it");
    }
    let known = names().filter_map(|name| Some((name.to_owned(), axes.remove(name)?.values())));
    let known: Vec<_> = known.collect();
    if let Some(name) = axes.keys().next() {
        let shape = SHAPE.map(|name| format!("`{name}`")).join(", ");
        let error = Knob::named(name).err().map(|error| error.to_string());
        bail!(
            "a `[device]` has {shape}, and settings of the cycle model; {}",
            error.unwrap_or_default()
        );
    }
    Ok(known)
}

/// The most points of a sweep: a few lists more are a slip, not years of computing, and would fill memory first.
pub(super) const MOST: usize = 1_000_000;

/// Each value of each axis with each of all others, the last axis fastest.
pub(super) fn combinations(axes: &[(String, Vec<String>)]) -> Result<Vec<Vec<(String, String)>>> {
    at_most(axes.iter().map(|(_, values)| values.len()))?;
    let mut all = vec![Vec::new()];
    for (name, values) in axes {
        all = all
            .iter()
            .flat_map(|before| {
                values.iter().map(move |value| {
                    let mut settings: Vec<(String, String)> = before.clone();
                    settings.push((name.clone(), value.clone()));
                    settings
                })
            })
            .collect();
    }
    Ok(all)
}

/// Refuses more points than a sweep has, of which there are so many times so many.
pub(super) fn at_most(lengths: impl IntoIterator<Item = usize>) -> Result<()> {
    let mut lengths = lengths.into_iter();
    let product = lengths.try_fold(1usize, |product, length| product.checked_mul(length));
    match product {
        Some(..=MOST) => Ok(()),
        _ => bail!(
            "a sweep has at most {MOST} points, and there are {} combinations of the values here: write fewer of them, \
             or several sweeps",
            product.map_or_else(|| "far more".to_owned(), |points| points.to_string())
        ),
    }
}

impl Hardware {
    fn of(settings: Vec<(String, String)>, checks: Checks, budget: u64) -> Result<Self> {
        let mut config = Config {
            checks,
            instruction_budget: Some(budget),
            patience: None,
            ..Config::default()
        };
        let number = |name: &str, value: &str| {
            value
                .parse::<u32>()
                .map_err(|_| anyhow!("`{name}` cannot be `{value}`: numbers can be"))
        };
        let mut timing = TimingConfig::of(config.generation);
        for (name, value) in &settings {
            match name.as_str() {
                "generation" => {
                    config.generation = value
                        .parse()
                        .ok()
                        .and_then(Generation::numbered)
                        .ok_or_else(|| {
                            anyhow!("`generation` cannot be `{value}`: `2` and `3` can be")
                        })?;
                    timing = TimingConfig::of(config.generation);
                }
                "shape" => {
                    let counts: Option<Vec<u32>> = value
                        .split('x')
                        .map(|count| count.trim().parse().ok())
                        .collect();
                    let Some([cores, warps, threads]) = counts.as_deref() else {
                        bail!(
                            "`shape` cannot be `{value}`: cores, warps and threads can be, as in `1x4x4`"
                        );
                    };
                    [config.cores, config.warps, config.threads] = [*cores, *warps, *threads];
                }
                "cores" => config.cores = number(name, value)?,
                "warps" => config.warps = number(name, value)?,
                "threads" => config.threads = number(name, value)?,
                "local_memory" => config.local_mem = number(name, value)?,
                knob => timing.set(knob, Some(value))?,
            }
        }
        Ok(Self {
            config,
            timing,
            settings,
        })
    }

    /// A new device like this.
    pub(super) fn open(&self) -> vortex::Result<Device> {
        let config = &self.config;
        Device::builder()
            .generation(config.generation)
            .cores(config.cores)
            .warps(config.warps)
            .threads(config.threads)
            .local_memory(config.local_mem)
            .model(self.model())
            .checks(config.checks)
            .instruction_budget(config.instruction_budget)
            .patience(config.patience)
            .open()
    }

    fn model(&self) -> Model {
        Model::Cycle(Box::new(self.timing.clone()))
    }

    /// What has a program open such a device; `checks` as the sweep says them.
    pub(super) fn environment(&self, checks: &str) -> [(&'static str, String); 9] {
        let config = &self.config;
        [
            ("VORTEX_DRIVER", "embedded".to_owned()),
            ("VORTEX_GENERATION", config.generation.number().to_string()),
            ("VORTEX_CORES", config.cores.to_string()),
            ("VORTEX_WARPS", config.warps.to_string()),
            ("VORTEX_THREADS", config.threads.to_string()),
            ("VORTEX_MODEL", self.model().name(config.generation)),
            ("VORTEX_CHECKS", checks.to_owned()),
            (
                "VORTEX_PATIENCE",
                or_none(config.patience.map(|patience| patience.as_secs_f64())),
            ),
            ("VORTEX_BUDGET", or_none(config.instruction_budget)),
        ]
    }

    /// All that a run depends on, as text: what nobody set, too.
    pub(super) fn identity(&self) -> String {
        let config = &self.config;
        let mut text = format!(
            "generation={} cores={} warps={} threads={} local_memory={} checks={:?} budget={:?}",
            config.generation.number(),
            config.cores,
            config.warps,
            config.threads,
            config.local_mem,
            config.checks,
            config.instruction_budget
        );
        for knob in KNOBS {
            _ = write!(text, " {}={}", knob.name, knob.value(&self.timing));
        }
        text
    }

    /// Generation, cores, warps and threads, which every row has.
    pub(super) fn shape(&self) -> [u32; 4] {
        let config = &self.config;
        [
            config.generation.number(),
            config.cores,
            config.warps,
            config.threads,
        ]
    }

    /// What a setting is in this device.
    pub(super) fn value(&self, name: &str) -> String {
        let config = &self.config;
        match name {
            "generation" => config.generation.number().to_string(),
            "shape" => format!("{}x{}x{}", config.cores, config.warps, config.threads),
            "cores" => config.cores.to_string(),
            "warps" => config.warps.to_string(),
            "threads" => config.threads.to_string(),
            "local_memory" => config.local_mem.to_string(),
            knob => {
                Knob::named(knob).map_or_else(|_| String::new(), |knob| knob.value(&self.timing))
            }
        }
    }

    /// How large such a device is, in words of memory and lanes: docs/sweep.md has the formula, which is one to
    /// compare by and no claim about chips.
    pub(super) fn area(&self, weights: &Area) -> f64 {
        let Self { config, timing, .. } = self;
        // As floats: whoever asks for 4,000,000,000 threads has a row that says what is wrong with it.
        let [cores, warps, threads] = [config.cores, config.warps, config.threads].map(f64::from);
        let kib = |bytes: f64| bytes / 1024.0;
        let slices = f64::from(timing.issue_slices(config.warps));
        let sockets = f64::from(config.cores.div_ceil(timing.cores_per_socket));
        let of_socket = f64::from(timing.icache.size) + f64::from(timing.dcache.size);
        let outer = [&timing.l2, &timing.l3].into_iter().flatten();
        let outer: f64 = outer.map(|cache| f64::from(cache.size)).sum();
        let area = weights.registers * kib(cores * warps * threads * 64.0 * 4.0)
            + weights.local_memory * kib(cores * f64::from(config.local_mem))
            + weights.caches * kib(sockets * of_socket + outer)
            + weights.lane * cores * slices * threads
            + weights.core * cores;
        (area * 10.0).round() / 10.0
    }
}
