//! Running programs: to their end, grid by grid, or driven by a debugger.

use super::Machine;
use crate::config::Model;
use crate::console::Console;
use crate::dispatch::Launch;
use crate::grid::{Grid, GridError};
use crate::layout::{STACK_TOP, THREAD_STORAGE, stack_bottom};
use crate::perf::LastRun;
use crate::run::{Meeting, Run, Tell, Watch};
use crate::stepping::Stepper;
use crate::terms::Terms;
use crate::timing::TimingStats;
use crate::trap::Trap;
use std::iter;
use thiserror::Error;

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Instructions that warps executed: one of a warp counts once, whatever number of lanes is active.
    pub instructions: u64,
    /// Instructions times active lanes: what Vortex counts in `minstret`.
    pub lane_instructions: u64,
    /// The most splits that a warp had open at a time, of those whose lanes disagreed; below the number of lanes.
    pub split_depth: u32,
    /// Cycles of the device from start to end, where the model knows them; the functional model does not.
    pub cycles: Option<u64>,
    /// Where the cycles went, where the model knows them.
    pub timing: Option<Box<TimingStats>>,
    /// Lines printed through the console, each after the number of its buffer.
    pub console: String,
    /// How many bytes of the kernel's output were not kept: those beyond a mebibyte.
    pub console_lost: u64,
    /// The kernel's exit code, if it left one: [`layout`](crate::layout) says where.
    pub exit_code: Option<u32>,
}

/// Why a grid was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// The device cannot run it.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A warp did something wrong.
    #[error(transparent)]
    Trap(#[from] Box<Trap>),
}

impl Machine {
    /// Runs from `entry` on, with `argument` in `mscratch`, until all warps have ended: in lane 0 of warp 0 of every
    /// core, or on Vortex 3 in all lanes of it.
    ///
    /// After a trap, memory holds what was written until then, and [`Machine::console`] what was printed.
    ///
    /// # Errors
    /// The first mistake that a warp made, of those that the device checks for
    /// ([`Config::checks`](crate::Config::checks)), or another reason that ended the run early, such as the instruction
    /// budget.
    pub fn run(&mut self, entry: u32, argument: u32) -> Result<RunStats, Box<Trap>> {
        self.run_on(entry, argument, Terms::of(&mut iter::empty(), &|_| {}))
    }

    /// As [`Machine::run`], on these terms: memory that is lent for the run, and a callback for long runs.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run_on(
        &mut self,
        entry: u32,
        argument: u32,
        terms: Terms<'_>,
    ) -> Result<RunStats, Box<Trap>> {
        self.run_with(entry, argument, self.config.checks.races, terms, None)
    }

    /// Hands out the work groups of a grid to warps, which run from `start` on with `argument` in `mscratch`, until all
    /// have ended.
    ///
    /// # Errors
    /// [`LaunchError::Grid`] if the device cannot run that grid ([`Grid::check`]), and then nothing has run;
    /// [`LaunchError::Trap`] if a warp traps, as after [`Machine::run`].
    pub fn launch(
        &mut self,
        start: u32,
        argument: u32,
        grid: &Grid,
        terms: Terms<'_>,
    ) -> Result<RunStats, LaunchError> {
        grid.check(&self.config)?;
        let races = self.config.checks.races;
        Ok(self.run_with(start, argument, races, terms, Some(grid))?)
    }

    fn run_with(
        &mut self,
        entry: u32,
        argument: u32,
        races: bool,
        terms: Terms<'_>,
        grid: Option<&Grid>,
    ) -> Result<RunStats, Box<Trap>> {
        let launch = self.config.hardware().hands_out_groups.then(|| {
            let grid = grid.copied();
            let grid = grid.unwrap_or_else(|| Grid::of_cores(&self.config, entry));
            Launch::new(grid, entry, argument)
        });
        self.forget_last_run();
        for core in &mut self.cores {
            core.reset(argument, &self.config);
            if launch.is_none() {
                core.start(0, entry, &self.config);
            }
        }
        let notes = self.notes.iter().find(|notes| notes.start() == entry);
        let races = races && !terms.is_own || self.config.checks.lockstep && notes.is_some();
        let mut races = self.races.as_deref_mut().filter(|_| races);
        if let Some(races) = &mut races {
            // Nothing in the library's kernels has the address of what is on a stack.
            let stacks = || (stack_bottom(self.config.harts()), STACK_TOP - 1);
            races.begin(notes.map(|_| stacks()));
            // This library's kernels are ordered across cores by fences alone, which renew caches.
            let caches = self.config.hardware().hands_out_groups && self.config.cores > 1;
            races.watch_copies(caches && notes.is_none());
            for (address, size) in terms.lent {
                races.lend(address, address + (size - 1));
            }
            for (address, size) in terms.own.into_iter().flatten() {
                races.own(address, address + (size - 1));
            }
        }
        let in_turn = races.is_some();
        let mut watch = Watch::new(self.config.patience, terms.tell);
        let budget = self.config.instruction_budget.unwrap_or(u64::MAX);
        let cycles = match terms.recording {
            Some(_) => &Model::cycle(),
            None => &Model::Functional,
        };
        let model = match &self.config.model {
            Model::Functional => cycles,
            model @ Model::Cycle(_) => model,
        };
        let threads = match model {
            Model::Functional if terms.drive.is_none() => self.config.host_threads(in_turn),
            _ => 1,
        };
        // Threads take the budget in portions.
        let budget = match threads {
            // Who drives can stop it.
            _ if terms.drive.is_some() => u64::MAX,
            1 => watch.reserve(budget, self.config.cores * self.config.warps),
            _ => budget,
        };
        let mut run = Run {
            config: &self.config,
            cores: &mut self.cores,
            memory: &self.memory,
            shadow: self.shadow.as_ref(),
            protection: &self.protection,
            code: &mut self.code,
            console: &mut self.console,
            reservations: &mut self.reservations,
            global: Meeting::Own(&mut self.waiting),
            launch: launch.as_ref(),
            races,
            notes,
            progress: &self.progress,
            budget,
            most_cycles: terms.most_cycles.unwrap_or(u64::MAX),
            watch,
        };
        let result = match model {
            _ if let Some(drive) = terms.drive => {
                run.begin();
                let mut stepper = Stepper::new(run);
                match drive.drive(&mut stepper) {
                    Ok(()) => stepper.finish().map(|()| None),
                    Err(trap) => Err(trap),
                }
            }
            Model::Functional => {
                run.begin();
                match threads {
                    1 => run.finish().map(|()| None),
                    threads => run.finish_on(threads).map(|()| None),
                }
            }
            Model::Cycle(timing) => run
                .finish_timed(timing, entry, self.counters, terms.recording)
                .map(Some),
        };
        if !self.config.hardware().has_dump && !self.is_shared {
            self.console.drain(&self.memory);
        }
        self.console.flush();
        if result.is_err() {
            // An instruction may have stored to code in some lanes before it failed in another.
            self.code.invalidate(0, u32::MAX);
        }
        let timing = result?;
        self.last_run = timing.as_deref().map(LastRun::of);
        Ok(self.stats(timing))
    }

    /// Clears what is of one run.
    fn forget_last_run(&mut self) {
        self.last_run = None;
        self.console = Console::default();
        self.waiting.iter_mut().for_each(Vec::clear);
        self.reservations.clear();
        self.clear_dump();
        self.clear_rings();
        if let Some(shadow) = &mut self.shadow {
            // What earlier runs left on their stacks is still there and means nothing.
            shadow.wipe(stack_bottom(self.config.harts()), STACK_TOP - 1);
        }
    }

    /// What a run cost that has ended.
    fn stats(&self, timing: Option<Box<TimingStats>>) -> RunStats {
        let states = || self.cores.iter().map(|core| &core.state);
        RunStats {
            instructions: states().map(|state| state.instructions).sum(),
            lane_instructions: states().map(|state| state.lane_instructions).sum(),
            split_depth: states().map(|state| state.split_depth).max().unwrap_or(0),
            cycles: timing.as_ref().map(|timing| timing.cycles),
            timing,
            console: self.console.text().to_owned(),
            console_lost: self.console.lost(),
            exit_code: self.exit_code(),
        }
    }

    /// As [`Machine::launch`], for third-party programs. Data races are watched for only if
    /// [`Checks::foreign_races`](crate::Checks::foreign_races) says so. Reports long runs.
    ///
    /// # Errors
    /// As those of [`Machine::launch`].
    pub fn launch_foreign(
        &mut self,
        start: u32,
        argument: u32,
        grid: &Grid,
        tell: Tell<'_>,
    ) -> Result<RunStats, LaunchError> {
        grid.check(&self.config)?;
        let races = self.config.checks.foreign_races;
        let mut lent = iter::empty();
        let terms = Terms::of(&mut lent, tell);
        Ok(self.run_with(start, argument, races, terms, Some(grid))?)
    }

    /// As [`Machine::run`], for programs that bring Vortex's own start-up: it keeps the threads' local storage after
    /// the image, in memory that was not allocated. Until the run ends, free memory after the allocation of `entry` is
    /// therefore accessible, 8 KiB per hardware thread or up to the next allocation. Data races are watched for only if
    /// [`Checks::foreign_races`](crate::Checks::foreign_races) says so.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run_foreign(&mut self, entry: u32, argument: u32) -> Result<RunStats, Box<Trap>> {
        self.run_foreign_told(entry, argument, &|_| {})
    }

    /// As [`Machine::run_foreign`]; `tell` is called if the run is long
    /// ([`Config::patience`](crate::Config::patience)).
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run_foreign_told(
        &mut self,
        entry: u32,
        argument: u32,
        tell: Tell<'_>,
    ) -> Result<RunStats, Box<Trap>> {
        let mut lent = iter::empty();
        let terms = Terms::of(&mut lent, tell);
        let races = self.config.checks.foreign_races;
        let size = THREAD_STORAGE * self.config.harts();
        let Some((first, last)) = self.protection.open_behind(entry, size) else {
            return self.run_with(entry, argument, races, terms, None);
        };
        self.forget(first, last);
        let result = self.run_with(entry, argument, races, terms, None);
        self.protection.close_behind(first);
        // Nobody may find decoded there what the next owner has overwritten.
        self.code.invalidate(first, last);
        result
    }
}
