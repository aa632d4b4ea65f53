//! The embedded device as a driver.

use std::time::Duration;

use vortex_kernel::isa::{Generation, Inst};

use crate::counters::PerfCounters;

use super::interface::{Access, Caps, Driver, DriverError, HardwareThread, Stats};
use vortex_sim::debug::{Note, Tell, Terms, WordLocation};
use vortex_sim::{
    Config, ConfigError, Grid, LaunchError, Machine, MemoryError, PerfClass, Progress, RunStats,
    Trap, Usage,
};

/// An embedded device.
pub(crate) struct Embedded {
    machine: Machine,
    /// Of the performance counters, those that launches report.
    class: Option<PerfClass>,
}

impl Embedded {
    pub(crate) fn open(config: Config) -> Result<Self, ConfigError> {
        Ok(Self {
            machine: Machine::new(config)?,
            class: None,
        })
    }

    /// Adds what the counters say that were asked for.
    fn counted(&self, stats: Result<Stats, DriverError>) -> Result<Stats, DriverError> {
        let has_classes = self.machine.config().generation.has(Generation::V3);
        let counters = self.class.filter(|_| has_classes).map(|class| {
            let cores = self.machine.config().cores;
            let of_core = |core, number| self.machine.counter(core, class, number);
            Box::new(PerfCounters::read(class, cores, of_core))
        });
        stats.map(|stats| Stats { counters, ..stats })
    }
}

impl From<MemoryError> for DriverError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::OutOfMemory { .. } => Self::OutOfMemory,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<Access> for vortex_sim::Access {
    fn from(access: Access) -> Self {
        match access {
            Access::Read => Self::Read,
            Access::ReadWrite => Self::ReadWrite,
        }
    }
}

/// What a run cost, in the driver's terms.
fn stats(run: Result<RunStats, Box<Trap>>) -> Result<Stats, DriverError> {
    let RunStats {
        instructions,
        lane_instructions,
        split_depth,
        cycles,
        timing,
        console,
        console_lost,
        exit_code,
    } = run.map_err(DriverError::Trap)?;
    Ok(Stats {
        instructions: Some(instructions),
        lane_instructions: Some(lane_instructions),
        split_depth: Some(split_depth),
        cycles,
        timing,
        console,
        console_lost,
        exit_code,
        start: Duration::ZERO,
        counters: None,
        times: None,
    })
}

/// The same of a grid.
fn launched(run: Result<RunStats, LaunchError>) -> Result<Stats, DriverError> {
    match run {
        Ok(run) => stats(Ok(run)),
        Err(LaunchError::Trap(trap)) => stats(Err(trap)),
        Err(LaunchError::Grid(error)) => Err(DriverError::Grid(error)),
    }
}

impl Driver for Embedded {
    fn caps(&self) -> Caps {
        let config = self.machine.config();
        Caps {
            generation: config.generation,
            cores: config.cores,
            clusters: config.clusters,
            warps: config.warps,
            threads: config.threads,
            zicond: config.zicond,
            atomics: config.atomics,
            warp_ops: config.warp_ops,
            // It has the instructions of neither.
            async_copies: false,
            tensor_units: false,
            local_memory: config.local_mem,
        }
    }

    fn config(&self) -> Option<&Config> {
        Some(self.machine.config())
    }

    fn watches_races(&self) -> bool {
        self.machine.config().checks.races
    }

    fn count(&mut self, class: Option<PerfClass>) {
        self.class = class;
    }

    fn hands_out_groups(&self) -> bool {
        self.machine.config().generation.has(Generation::V3)
    }

    fn records(&self) -> bool {
        // The cycle model, which does, knows no more.
        self.machine.config().clusters == 1
    }

    fn progress(&self) -> Progress {
        self.machine.progress()
    }

    fn usage(&self) -> Option<Usage> {
        Some(self.machine.usage())
    }

    fn alloc(&mut self, bytes: u32, access: Access) -> Result<u32, DriverError> {
        Ok(self.machine.alloc(u64::from(bytes), access.into())?)
    }

    fn reserve(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        Ok(self
            .machine
            .reserve(addr, u64::from(bytes), access.into())?)
    }

    fn set_access(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        Ok(self
            .machine
            .set_access(addr, u64::from(bytes), access.into())?)
    }

    fn free(&mut self, addr: u32) {
        // The caller frees what it allocated, once; there is nobody to tell otherwise.
        let _ = self.machine.free(addr);
    }

    fn annotate(&mut self, addr: u32, code: &[u8], note: &mut dyn FnMut(u32, Inst) -> Note) {
        self.machine.annotate(addr, code, note);
    }

    fn let_race(&mut self, addr: u32, bytes: u32) {
        self.machine.let_race(addr, bytes);
    }

    fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<(), DriverError> {
        Ok(self.machine.write(addr, bytes)?)
    }

    fn read(&mut self, addr: u32, bytes: &mut [u8]) -> Result<(), DriverError> {
        Ok(self.machine.read(addr, bytes)?)
    }

    fn first_lane(&self, core: u32, warp: u32) -> Option<u32> {
        Some(self.machine.active_lanes(core, warp)?.trailing_zeros())
    }

    fn held(&self, at: HardwareThread, place: WordLocation) -> Option<u32> {
        let HardwareThread { core, warp, lane } = at;
        self.machine.held(core, warp, lane, place)
    }

    fn run(&mut self, entry: u32, argument: u32) -> Result<Stats, DriverError> {
        let run = stats(self.machine.run(entry, argument));
        self.counted(run)
    }

    fn run_on(
        &mut self,
        entry: u32,
        argument: u32,
        terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        let run = stats(self.machine.run_on(entry, argument, terms));
        self.counted(run)
    }

    fn launch(
        &mut self,
        entry: u32,
        argument: u32,
        grid: &Grid,
        terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        let run = launched(self.machine.launch(entry, argument, grid, terms));
        self.counted(run)
    }

    fn launch_foreign(
        &mut self,
        entry: u32,
        argument: u32,
        grid: &Grid,
        tell: Tell<'_>,
    ) -> Result<Stats, DriverError> {
        let run = launched(self.machine.launch_foreign(entry, argument, grid, tell));
        self.counted(run)
    }

    fn handed(&self, core: u32, warp: u32) -> Option<(u32, u32)> {
        // Grids are rows here.
        let ([group, ..], rank) = self.machine.handed(core, warp)?;
        Some((group, rank))
    }

    fn run_foreign(
        &mut self,
        entry: u32,
        argument: u32,
        tell: Tell<'_>,
    ) -> Result<Stats, DriverError> {
        let run = stats(self.machine.run_foreign_told(entry, argument, tell));
        self.counted(run)
    }
}
