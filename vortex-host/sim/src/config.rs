//! The shape of an embedded device, and its checks.

use super::checks::Checks;
use super::count::Count;
use super::timing::{KNOBS, KnobError, TimingConfig};
use std::time::Duration;
use thiserror::Error;
use vortex_isa::Generation;

/// Shape, extensions and limits of an embedded device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The generation of Vortex, which decides how programs start and which instructions there are.
    pub generation: Generation,
    /// Cores of all clusters, 1 to 255.
    pub cores: u32,
    /// Clusters of cores, of equal size; more than one only on Vortex 3, without the cycle model. Cores of different
    /// clusters do not meet at barriers.
    pub clusters: u32,
    /// Warps per core, 1 to 32.
    pub warps: u32,
    /// Threads (lanes) per warp, 1 to 32.
    pub threads: u32,
    /// Whether it has Zicond: the instructions `czero.eqz` and `czero.nez`.
    pub zicond: bool,
    /// Whether it has the A extension: atomic operations.
    pub atomics: bool,
    /// Whether it has votes and shuffles, by which lanes of a warp communicate.
    pub warp_ops: bool,
    /// Bytes of local memory per core: a multiple of 4, at most 64 KiB. By default 16 KiB (`LMEM_LOG_SIZE`).
    pub local_mem: u32,
    /// The device's checks: mistakes that end a run although hardware would carry on.
    pub checks: Checks,
    /// Instructions (of warps, of all cores together) after which a run is taken for a runaway and ends with
    /// [`TrapKind::BudgetSpent`](crate::TrapKind::BudgetSpent). `None`: never. By default 4,000,000,000.
    pub instruction_budget: Option<u64>,
    /// The time on the host after which the callback of [`Terms`] reports that a run has not ended. `None`: never. By
    /// default 10 seconds.
    ///
    /// [`Terms`]: crate::debug::Terms
    pub patience: Option<Duration>,
    /// Whether runs are timed, and as what hardware.
    pub model: Model,
    /// Every run of a program does the same, also one in which cores race each other: the cores take turns. Off: they
    /// run on host threads, as many as there are processors, except in the cycle model and where races are watched
    /// for ([`Checks::races`]).
    pub deterministic: bool,
}

/// What a run reports about time. The results are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Nothing: instructions are executed as fast as the host can.
    #[default]
    Functional,
    /// Cycles of this hardware: of the device's generation, or adapted to it by [`TimingConfig::on`].
    Cycle(Box<TimingConfig>),
}

impl Model {
    /// Cycles of Vortex's default hardware, of whatever generation the device is.
    #[must_use]
    pub fn cycle() -> Model {
        Model::Cycle(Box::default())
    }

    /// The model that a text names, for a device of a generation: `functional`, or `cycle` and after commas what is
    /// different in that hardware from the generation's default, as in `cycle,l2,dcache.size=8K`. [`KNOBS`] has what
    /// can be.
    ///
    /// [`KNOBS`]: crate::timing::KNOBS
    ///
    /// # Errors
    /// [`ModelError::Unknown`] if the first word is another one, [`ModelError::Untimed`] if settings follow
    /// `functional`, [`ModelError::Knob`] if a setting is unknown or cannot be that.
    pub fn named(text: &str, generation: Generation) -> Result<Model, ModelError> {
        let (model, settings) = match text.split_once(',') {
            Some((model, settings)) => (model, Some(settings)),
            None => (text, None),
        };
        match (model, settings) {
            ("functional", None) => Ok(Model::Functional),
            ("functional", Some(settings)) => Err(ModelError::Untimed(settings.to_owned())),
            ("cycle", settings) => {
                let mut timing = TimingConfig::of(generation);
                for setting in settings.into_iter().flat_map(|list| list.split(',')) {
                    match setting.split_once('=') {
                        Some((name, value)) => timing.set(name.trim(), Some(value.trim()))?,
                        None => timing.set(setting.trim(), None)?,
                    }
                }
                Ok(Model::Cycle(Box::new(timing)))
            }
            _ => Err(ModelError::Unknown),
        }
    }

    /// The name that [`Model::named`] makes this model of, on a device of a generation.
    #[must_use]
    pub fn name(&self, generation: Generation) -> String {
        let Model::Cycle(timing) = self else {
            return "functional".to_owned();
        };
        // Hardware of another generation is what it becomes on this one, or else no device's.
        let timing = timing.on(generation).unwrap_or_else(|| (**timing).clone());
        let usual = TimingConfig::of(generation);
        let differ = KNOBS.iter().filter_map(|knob| {
            let value = knob.value(&timing);
            (value != knob.value(&usual)).then(|| format!(",{}={value}", knob.name))
        });
        format!("cycle{}", differ.collect::<String>())
    }
}

/// A text that does not name a [`Model`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// It begins with another word.
    #[error(
        "`functional` and `cycle` are, the latter also with settings such as `cycle,l2,dcache.size=8K`"
    )]
    Unknown,
    /// Settings for a model without time.
    #[error("`functional` knows no time, and `cycle,{0}` does")]
    Untimed(String),
    /// An unknown or impossible setting.
    #[error(transparent)]
    Knob(#[from] KnobError),
}

impl Default for Config {
    /// Vortex 2 of 4 cores x 16 warps x 32 threads with every extension, on the functional model.
    fn default() -> Self {
        Config {
            generation: Generation::V2,
            cores: 4,
            clusters: 1,
            warps: 16,
            threads: 32,
            zicond: true,
            atomics: true,
            warp_ops: true,
            local_mem: 16 << 10,
            checks: Checks::default(),
            instruction_budget: Some(4_000_000_000),
            patience: Some(Duration::from_secs(10)),
            model: Model::Functional,
            deterministic: true,
        }
    }
}

/// A [`Config`] that no device can have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// A count is out of range.
    #[error("a device with {given} {what} is not possible: 1 to {most} are")]
    Count {
        /// `cores`, `warps per core` or `threads per warp`.
        what: &'static str,
        /// What was asked for.
        given: u32,
        /// The most there can be.
        most: u32,
    },
    /// Clusters that the cores cannot be in.
    #[error(
        "{} cannot be in {}: each has as many",
        Count(*cores, "core"),
        Count(*clusters, "cluster")
    )]
    Clusters {
        /// How many clusters were asked for.
        clusters: u32,
        /// How many cores.
        cores: u32,
    },
    /// More clusters than one where there cannot be more.
    #[error("{what} has 1 cluster, and {clusters} were asked for")]
    OneCluster {
        /// What only has one: a device of Vortex 2, or the cycle model.
        what: &'static str,
        /// How many were asked for.
        clusters: u32,
    },
    /// Local memory of an impossible size, in bytes.
    #[error("{0} bytes of local memory per core are not possible: a multiple of 4 up to 65536 is")]
    LocalMemory(u32),
    /// Hardware in the cycle model that is another generation's.
    #[error(
        "the cycle model was given hardware of {model}, with details of its own; this device is of {device}: \
         begin with `TimingConfig::of(Generation::{device:?})`"
    )]
    OtherCycleModel {
        /// The device's generation.
        device: Generation,
        /// The generation that the hardware is of.
        model: Generation,
    },
    /// Impossible hardware in the cycle model.
    #[error("the cycle model: {0}")]
    Timing(#[from] KnobError),
    /// The stacks of all threads would fill the address space.
    #[error(
        "{harts} threads (cores x warps x threads) leave no memory for data: their stacks take 8 KiB each"
    )]
    Stacks {
        /// Threads of the device.
        harts: u32,
    },
}

impl Config {
    /// The released machine at its smallest: 1 core x 4 warps x 4 threads, RV32IMF and Zicond.
    #[must_use]
    pub fn bare() -> Config {
        Config {
            atomics: false,
            warp_ops: false,
            ..Config::with_shape(1, 4, 4)
        }
    }

    /// The default device with this many cores, warps of each and lanes of each warp. Whether such a device is possible
    /// is checked when one is made.
    #[must_use]
    pub fn with_shape(cores: u32, warps: u32, threads: u32) -> Config {
        Config {
            cores,
            warps,
            threads,
            ..Config::default()
        }
    }

    /// Hardware threads (harts) of the whole device: cores times warps times lanes. For an impossible device, at most
    /// `u32::MAX`.
    #[must_use]
    pub const fn harts(&self) -> u32 {
        let warps = self.cores.saturating_mul(self.warps);
        warps.saturating_mul(self.threads)
    }

    /// Cores that can meet at a barrier.
    pub(crate) const fn cores_of_cluster(&self) -> u32 {
        self.cores / self.clusters
    }

    /// The cluster of a core.
    pub(crate) const fn cluster(&self, core: u32) -> u32 {
        core / self.cores_of_cluster()
    }

    /// The mask of all lanes of a warp.
    pub(crate) const fn all_lanes(&self) -> u32 {
        u32::MAX >> (32 - self.threads)
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        // More cores would run their performance dumps into user memory; masks of warps and lanes have 32 bits.
        let counts = [
            ("cores", self.cores, 255),
            ("warps per core", self.warps, 32),
            ("threads per warp", self.threads, 32),
        ];
        for (what, given, most) in counts {
            if given == 0 || given > most {
                return Err(ConfigError::Count { what, given, most });
            }
        }
        let Config {
            clusters, cores, ..
        } = *self;
        if clusters == 0 || !cores.is_multiple_of(clusters) {
            return Err(ConfigError::Clusters { clusters, cores });
        }
        let alone = [
            (!self.generation.has(Generation::V3), "a device of Vortex 2"),
            (self.model != Model::Functional, "the cycle model"),
        ];
        if let Some(&(_, what)) = alone.iter().find(|(is_so, _)| *is_so && clusters > 1) {
            return Err(ConfigError::OneCluster { what, clusters });
        }
        if !self.local_mem.is_multiple_of(4) || self.local_mem > 64 << 10 {
            return Err(ConfigError::LocalMemory(self.local_mem));
        }
        if let Model::Cycle(timing) = &self.model
            && timing.on(self.generation).is_none()
        {
            return Err(ConfigError::OtherCycleModel {
                device: self.generation,
                model: timing.generation,
            });
        }
        if let Model::Cycle(timing) = &self.model {
            timing.validate()?;
        }
        if self.harts() > super::layout::MAX_HARTS {
            return Err(ConfigError::Stacks {
                harts: self.harts(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::super::timing::{CacheConfig, Divider};
    use super::*;

    #[test]
    fn any_number_of_harts_can_be_asked_for() {
        assert_eq!(Config::with_shape(2, 4, 8).harts(), 64);
        assert_eq!(Config::with_shape(u32::MAX, 2, 2).harts(), u32::MAX);
        assert_eq!(Config::with_shape(u32::MAX, 2, 0).harts(), 0);
        assert_eq!(crate::layout::stack_bottom(u32::MAX), 0);
    }

    #[test]
    fn models_have_names() {
        for generation in [Generation::V2, Generation::V3] {
            let hardware = |change: fn(&mut TimingConfig)| {
                let mut timing = TimingConfig::of(generation);
                change(&mut timing);
                Ok(Model::Cycle(Box::new(timing)))
            };
            let named = |text| Model::named(text, generation);
            assert_eq!(named("functional"), Ok(Model::Functional));
            assert_eq!(named("cycle"), hardware(|_| ()));
            assert_eq!(
                named("cycle,serial-divider"),
                hardware(|timing| timing.divider = Divider::serial())
            );
            assert_eq!(
                named("cycle,l2,l3"),
                hardware(|timing| {
                    timing.l2 = Some(CacheConfig::l2());
                    timing.l3 = Some(CacheConfig::l3());
                })
            );
            assert_eq!(
                named("cycle,l2.size=512K, dram.channels = 4,l2=true,l3=false"),
                hardware(|timing| {
                    timing.l2 = Some(CacheConfig {
                        size: 512 << 10,
                        ..CacheConfig::l2()
                    });
                    timing.dram.channels = 4;
                })
            );
        }
    }

    #[test]
    fn names_are_read_back() {
        assert_eq!(Model::Functional.name(Generation::V3), "functional");
        for generation in [Generation::V2, Generation::V3] {
            let settings = KNOBS.iter().flat_map(|knob| {
                knob.extremes()
                    .map(|value| format!("cycle,{}={value}", knob.name))
            });
            for text in settings.chain(["cycle".to_owned(), "cycle,coalesced=64".to_owned()]) {
                let model = Model::named(&text, generation);
                let model = model.expect(&text);
                assert_eq!(
                    Model::named(&model.name(generation), generation),
                    Ok(model),
                    "{text}"
                );
            }
        }
        // What a generation has by default is the other's default there.
        let model = Model::named("cycle,l2", Generation::V2).expect("it is one");
        assert_eq!(model.name(Generation::V3), "cycle,l2=true");
    }

    #[test]
    fn what_is_no_model_is_told_apart() {
        let wrong = [
            (
                "fast",
                "`functional` and `cycle` are, the latter also with settings such as `cycle,l2,dcache.size=8K`",
            ),
            (
                "functional,l2",
                "`functional` knows no time, and `cycle,l2` does",
            ),
            (
                "cycle,l4.size=1M",
                "the cycle model has no `l4.size`: there is `icache.size`, `dcache.size`, `l2.size` and `l3.size`",
            ),
            (
                "cycle,dcache.size",
                "`dcache.size` needs a value: powers of two from 1K to 1M, as in `dcache.size=16K`",
            ),
            (
                "cycle,dcache.size=12K",
                "`dcache.size` cannot be `12K`: powers of two from 1K to 1M can be",
            ),
            (
                "cycle,l2=1",
                "`l2` cannot be `1`: `true` and `false` can be",
            ),
            (
                "cycle,dram.burst=0",
                "`dram.burst` cannot be `0`: numbers from 1 to 64 can be",
            ),
            (
                "cycle,dram.burst=-1",
                "`dram.burst` cannot be `-1`: numbers from 1 to 64 can be",
            ),
        ];
        for (text, message) in wrong {
            let error = Model::named(text, Generation::V2).expect_err(text);
            assert_eq!(error.to_string(), message, "{text}");
        }
        for text in ["", "cycle,", "l2", "cycle,,l2"] {
            assert!(Model::named(text, Generation::V3).is_err(), "{text}");
        }
    }

    #[test]
    fn hardware_that_cannot_be_is_no_device() {
        let config = |change: fn(&mut TimingConfig)| {
            let mut timing = TimingConfig::default();
            change(&mut timing);
            Config {
                model: Model::Cycle(Box::new(timing)),
                ..Config::default()
            }
            .validate()
            .map_err(|error| error.to_string())
        };
        assert_eq!(config(|_| ()), Ok(()));
        assert_eq!(
            config(|timing| timing.dcache.ways = 0),
            Err(
                "the cycle model: `dcache.ways` cannot be `0`: powers of two from 1 to 16 can be"
                    .to_owned()
            )
        );
        assert_eq!(
            config(|timing| {
                timing.l3 = Some(CacheConfig {
                    misses: 0,
                    ..CacheConfig::l3()
                });
            }),
            Err(
                "the cycle model: `l3.misses` cannot be `0`: powers of two from 2 to 64 can be"
                    .to_owned()
            )
        );
    }
}
