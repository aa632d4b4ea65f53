//! Embedded devices before they are opened.

use std::time::Duration;

use vortex_kernel::isa::Generation;
use vortex_kernel::opt::Tuning;
use vortex_sim::environment::Environment;
use vortex_sim::{Checks, Config, Model};

use super::Device;
use crate::debugger;
use crate::driver::{Driver, Embedded, Faults, Faulty};
use crate::error::Result;

/// Describes an embedded device before it is opened; made by [`Device::builder`].
///
/// The default is a device of Vortex 2 with 4 cores of 16 warps of 32 lanes, all extensions, and 16 KiB of local memory
/// for each core. Nothing is checked before [`open`](DeviceBuilder::open), which reports what no device can have.
///
/// ```
/// use std::time::Duration;
/// use vortex_host::{Device, sim::Model};
///
/// # fn main() -> vortex_host::Result<()> {
/// let cycles = Device::builder()
///     .cores(1)
///     .model(Model::cycle())
///     .patience(Duration::from_secs(60))
///     .open()?;
/// assert_eq!(cycles.caps().cores, 1);
///
/// let error = Device::builder().threads(64).open().unwrap_err();
/// assert!(error.to_string().contains("64 threads per warp is not possible: 1 to 32 are"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a description does nothing until `.open()`"]
pub struct DeviceBuilder {
    config: Config,
    /// Whether the race check was set explicitly.
    races_asked: bool,
    faults: Faults,
    tuning: Option<Tuning>,
    /// Where a debugger can attach.
    debugger: Option<String>,
}

impl DeviceBuilder {
    /// One of which nothing has been said.
    pub(super) fn new() -> Self {
        Self {
            config: Config::default(),
            races_asked: false,
            faults: Faults::default(),
            tuning: None,
            debugger: None,
        }
    }

    /// What `VORTEX_GENERATION`, `VORTEX_CORES`, `VORTEX_CLUSTERS`, `VORTEX_WARPS`, `VORTEX_THREADS`, `VORTEX_MODEL`,
    /// `VORTEX_CHECKS`, `VORTEX_BUDGET`, `VORTEX_PATIENCE` and `VORTEX_DETERMINISTIC` ask for, where they are set, and
    /// the default elsewhere.
    ///
    /// # Errors
    /// [`DeviceError::Environment`](crate::DeviceError::Environment) if one of them has an invalid value.
    pub fn from_environment() -> Result<Self> {
        let Environment {
            config,
            races_asked,
        } = Environment::read()?;
        Ok(Self {
            config,
            races_asked,
            ..Self::new()
        })
    }

    /// What has been described so far.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The machine as Vortex releases it: 1 core, 4 warps, 4 threads, RV32IMF and Zicond. What else has been described
    /// stays.
    pub fn released(mut self) -> Self {
        let bare = Config::bare();
        self.config = Config {
            cores: bare.cores,
            clusters: bare.clusters,
            warps: bare.warps,
            threads: bare.threads,
            zicond: bare.zicond,
            atomics: bare.atomics,
            warp_ops: bare.warp_ops,
            ..self.config
        };
        self
    }

    /// The generation of Vortex: 2 by default. A [`Model::Cycle`] follows it, unless that has details of the other
    /// generation's hardware, which [`open`](DeviceBuilder::open) then reports.
    pub fn generation(mut self, generation: Generation) -> Self {
        self.config.generation = generation;
        self
    }

    /// Number of cores, of all clusters: 1 to 255, 4 by default.
    pub fn cores(mut self, cores: u32) -> Self {
        self.config.cores = cores;
        self
    }

    /// Clusters of equal size that the cores are divided into: 1 by default, more only on Vortex 3 without the cycle
    /// model. Kernels of this library do not notice.
    pub fn clusters(mut self, clusters: u32) -> Self {
        self.config.clusters = clusters;
        self
    }

    /// Warps per core: 1 to 32, 16 by default.
    pub fn warps(mut self, warps: u32) -> Self {
        self.config.warps = warps;
        self
    }

    /// Threads (lanes) per warp: 1 to 32, 32 by default. Memory for stacks, of 8 KiB each, limits the number of threads
    /// of all cores.
    pub fn threads(mut self, threads: u32) -> Self {
        self.config.threads = threads;
        self
    }

    /// Whether the cores have the Zicond extension, which selects between two values without a branch; on by default.
    /// Without it kernels need more instructions.
    pub fn zicond(mut self, zicond: bool) -> Self {
        self.config.zicond = zicond;
        self
    }

    /// Whether the cores have the A extension; on by default. Without it, launching a kernel with atomic operations is
    /// an error.
    pub fn atomics(mut self, atomics: bool) -> Self {
        self.config.atomics = atomics;
        self
    }

    /// Whether the cores have votes and shuffles; on by default. Without them warp operations need more instructions.
    pub fn warp_ops(mut self, warp_ops: bool) -> Self {
        self.config.warp_ops = warp_ops;
        self
    }

    /// Bytes of local memory per core: a multiple of 4, at most 64 KiB; 16 KiB by default.
    pub fn local_memory(mut self, bytes: u32) -> Self {
        self.config.local_mem = bytes;
        self
    }

    /// Whether launches count cycles, and of which hardware; off by default.
    pub fn model(mut self, model: Model) -> Self {
        self.config.model = model;
        self
    }

    /// Which mistakes of a kernel end a launch although hardware would carry on: [`Checks::default()`] by default,
    /// except for data races on cores that do not take turns ([`DeviceBuilder::deterministic`]).
    pub fn checks(mut self, checks: Checks) -> Self {
        self.config.checks = checks;
        self.races_asked = true;
        self
    }

    /// Whether cores take turns, so that every launch does the same each time; on by default. Otherwise they run on
    /// host threads, which gives the same results unless they race each other. Races cannot be detected then; if
    /// [`DeviceBuilder::checks`] asks for that, cores take turns after all, as they do on the cycle model.
    pub fn deterministic(mut self, deterministic: bool) -> Self {
        self.config.deterministic = deterministic;
        self
    }

    /// How many instructions (of warps) a launch may run before it is taken for a runaway: 4,000,000,000 by default;
    /// `None`: it never is.
    pub fn instruction_budget(mut self, instructions: impl Into<Option<u64>>) -> Self {
        self.config.instruction_budget = instructions.into();
        self
    }

    /// The time after which each launch reports once on stderr that it has not ended, and where its warps are: 10
    /// seconds by default; `None`: never.
    pub fn patience(mut self, patience: impl Into<Option<Duration>>) -> Self {
        self.config.patience = patience.into();
        self
    }

    /// Makes calls of the driver fail on purpose, to test how a program copes with that.
    pub fn faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// The optimiser's choices for kernels that are compiled for this device, instead of [`Tuning::of`] its generation.
    /// They change the cost of launches, not their results.
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = Some(tuning);
        self
    }

    /// Lets gdb attach, at an address such as `:1234`, which other machines cannot reach: launches wait for gdb, and
    /// run under its control (docs/debugging.md). Without this, `VORTEX_GDB` does the same for the first device that a
    /// program opens. With `,optimised` after the address, kernels are compiled as usual, and not for stepping.
    pub fn gdb(mut self, address: impl Into<String>) -> Self {
        self.debugger = Some(address.into());
        self
    }

    /// Opens the device.
    ///
    /// # Errors
    /// [`DeviceError::Config`](crate::DeviceError::Config) if no such device can be built,
    /// [`DeviceError::Debugger`](crate::DeviceError::Debugger) if no debugger can attach at that address.
    pub fn open(mut self) -> Result<Device> {
        let in_turn = self.config.deterministic || self.config.model != Model::Functional;
        self.config.checks.races &= in_turn || self.races_asked;
        let driver = Embedded::open(self.config)?;
        let driver: Box<dyn Driver> = match self.faults == Faults::default() {
            true => Box::new(driver),
            false => Box::new(Faulty::new(driver, self.faults)),
        };
        let address = self.debugger.or_else(debugger::of_environment);
        let debugger = address.map(|address| debugger::listen(&address));
        Ok(Device::debugged(driver, self.tuning, debugger.transpose()?))
    }
}
