//! The embedded device as the host sees it.

use super::code::Code;
use super::config::{Config, ConfigError, Model};
use super::console::Console;
use super::core::{Core, Reservations};
use super::dispatch::Launch;
use super::grid::{Grid, GridError};
use super::image::Image;
use super::layout::{
    CONSOLE, DUMP, DUMP_BYTES, EXIT_CODE, EXIT_CODE_SLOT, RINGS, RINGS_LOST, RINGS_READ, STACK_TOP,
    THREAD_STORAGE, UNINITIALISED, stack_bottom,
};
use super::meeting::Meeting;
use super::memory::Memory;
use super::notes::{Note, Notes, WordLocation};
use super::patience::{Tell, Watch};
use super::perf::{self, LastRun, PerfClass};
use super::progress::Progress;
use super::protection::{Access, MemoryError, Protection};
use super::race::Races;
use super::run::Run;
use super::stepping::Stepper;
use super::terms::Terms;
use super::timing::{CounterClass, TimingStats};
use super::trap::Trap;
use super::usage::Usage;
use std::iter;
use thiserror::Error;
use vortex_isa::Inst;

/// A Vortex device in software: memory, cores, and nothing running in between calls.
///
/// Results are the same on every run and every host, unless [`Config::deterministic`] is off.
pub struct Machine {
    config: Config,
    memory: Memory,
    /// The bits of memory that hold no value, if that matters.
    shadow: Option<Memory>,
    protection: Protection,
    code: Code,
    cores: Vec<Core>,
    reservations: Reservations,
    console: Console,
    /// Who waits at the barriers of all cores; empty between runs.
    waiting: Vec<Vec<u32>>,
    counters: CounterClass,
    /// What counters say of the last run, where the model knows.
    last_run: Option<LastRun>,
    /// The race detector, if some runs have need of it.
    races: Option<Box<Races>>,
    /// What is known of some programs, by where they start.
    notes: Vec<Notes>,
    progress: Progress,
    /// Whoever drives it keeps track of memory, and reads the console.
    is_shared: bool,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Instructions executed by warps.
    pub instructions: u64,
    /// Instructions times active lanes: what Vortex counts in `minstret`.
    pub lane_instructions: u64,
    /// The most splits that a warp had open at a time, of those whose lanes disagreed; below the number of lanes.
    pub split_depth: u32,
    /// Cycles, where the model knows them; the functional model does not.
    pub cycles: Option<u64>,
    /// Where the cycles went, likewise.
    pub timing: Option<Box<TimingStats>>,
    /// Lines printed through the console, each after the number of its buffer.
    pub console: String,
    /// How many bytes the kernel printed beyond what is kept of them, a mebibyte.
    pub console_lost: u64,
    /// What the kernel left as its exit code, if it dumped one.
    pub exit_code: Option<u32>,
}

/// The race detector, if anything needs one.
fn races(config: &Config) -> Option<Box<Races>> {
    let checks = &config.checks;
    let races = || Races::new(config.cores, config.warps);
    if checks.lockstep {
        return Some(Box::new(races().with_lockstep(config.all_lanes())));
    }
    (checks.races || checks.foreign_races).then(|| Box::new(races()))
}

/// A grid that was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// The device cannot be given it.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A warp did something wrong.
    #[error(transparent)]
    Trap(#[from] Box<Trap>),
}

/// Room in device memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Not allocated.
    pub free: u64,
    /// Allocated, in whole pages.
    pub used: u64,
}

impl Machine {
    /// A fresh device.
    pub fn new(config: Config) -> Result<Machine, ConfigError> {
        config.validate()?;
        Ok(Machine::unchecked(config))
    }

    /// The same, also of hardware that there cannot be.
    pub(crate) fn unchecked(config: Config) -> Machine {
        Machine {
            memory: Memory::new(UNINITIALISED),
            shadow: config.checks.uninitialised.then(|| Memory::new(u32::MAX)),
            protection: Protection::new(&config),
            code: Code::default(),
            cores: (0..config.cores).map(|id| Core::new(id, &config)).collect(),
            reservations: Reservations::new(config.cores),
            console: Console::default(),
            waiting: vec![Vec::new(); config.meeting_places()],
            counters: CounterClass::None,
            last_run: None,
            races: races(&config),
            notes: Vec::new(),
            progress: Progress::default(),
            is_shared: false,
            config,
        }
    }

    /// What kind of device this is.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How far runs have come, for another thread to look at.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Allocates device memory, at a multiple of 4 KiB. It holds nothing of use until it is written.
    pub fn alloc(&mut self, size: u64, access: Access) -> Result<u32, MemoryError> {
        let address = self.protection.alloc(size, access)?;
        self.renew(address, size);
        Ok(address)
    }

    /// Allocates device memory at a given address.
    pub fn reserve(&mut self, address: u32, size: u64, access: Access) -> Result<(), MemoryError> {
        self.protection.reserve(address, size, access)?;
        self.renew(address, size);
        Ok(())
    }

    /// Allocates part of the device's own memory below user memory, from 0x80 on, as programs for Vortex may do that
    /// exchange data with the host there. While the host holds part of the performance dump, [`Machine::dumped`]
    /// returns what is there, and no run clears it; and if kernels may not write it, the counters that they leave
    /// when they end are dropped.
    pub fn reserve_io(
        &mut self,
        address: u32,
        size: u64,
        access: Access,
    ) -> Result<(), MemoryError> {
        self.protection.reserve_io(address, size, access)?;
        self.renew(address, size);
        Ok(())
    }

    /// Makes new memory uninitialised, however it was used before.
    fn renew(&mut self, address: u32, size: u64) {
        // Allocations are not empty and end below 2^32.
        let last = address + (size - 1) as u32;
        self.forget(address, last);
        self.code.invalidate(address, last);
    }

    /// Makes memory hold nothing.
    fn forget(&mut self, first: u32, last: u32) {
        self.memory.forget(first, last);
        if let Some(shadow) = &mut self.shadow {
            shadow.forget(first, last);
        }
    }

    /// Forgets what the last run has left in the performance dump.
    fn clear_dump(&mut self) {
        for (first, last) in self.protection.unreserved_dump() {
            self.memory.forget(first, last);
            if let Some(shadow) = &mut self.shadow {
                shadow.forget(first, last);
            }
        }
    }

    /// Empties the console of Vortex 3, and forgets the last exit code.
    fn clear_rings(&mut self) {
        if !self.config.hardware().has_dump && !self.is_shared {
            let zeros = [0; 4 * RINGS as usize];
            for words in [CONSOLE, RINGS_READ, RINGS_LOST] {
                self.memory.write(words, &zeros);
            }
            self.memory.forget(EXIT_CODE, EXIT_CODE + 3);
        }
    }

    /// What the last program has left as its exit code.
    fn exit_code(&self) -> Option<u32> {
        if self.config.hardware().has_dump {
            return self.dumped(0, EXIT_CODE_SLOT).map(|code| code as u32);
        }
        let code = self.memory.word(EXIT_CODE);
        (code != UNINITIALISED).then_some(code)
    }

    /// Frees the allocation that starts at `address`.
    pub fn free(&mut self, address: u32) -> Result<(), MemoryError> {
        let last = self.protection.free(address)?;
        // Gives whole chunks back to the host.
        self.forget(address, last);
        if let Some(races) = &mut self.races {
            races.forget(address, last);
        }
        self.code.invalidate(address, last);
        self.notes
            .retain(|notes| !(address..=last).contains(&notes.start()));
        Ok(())
    }

    /// Leaves it to whoever drives the device to keep track of its memory, and to read the console of Vortex 3: all
    /// user memory can be accessed, by programs too, and no run changes more than its program does.
    pub fn share(&mut self) {
        self.is_shared = true;
        self.protection.open_all();
    }

    /// Copies bytes to a shared device, wherever it has memory that is not a core's own.
    pub fn write_shared(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        if let Some(last) = self.protection.within_shared(address, bytes.len() as u64)? {
            self.memory.write(address, bytes);
            self.code.invalidate(address, last);
            self.define(address, last);
        }
        Ok(())
    }

    /// Copies bytes from a shared device, likewise.
    pub fn read_shared(&self, address: u32, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.protection.within_shared(address, bytes.len() as u64)?;
        self.memory.read(address, bytes);
        Ok(())
    }

    /// Instructions of warps that a core has executed in the last run.
    #[must_use]
    pub fn instructions(&self, core: u32) -> Option<u64> {
        let core = self.cores.get(core as usize)?;
        Some(core.state.instructions)
    }

    /// Cycles in which a core was busy in the last run, where the model knows.
    #[must_use]
    pub fn cycles(&self, core: u32) -> Option<u64> {
        self.last_run.as_ref()?.cycles(core)
    }

    /// What a performance counter of Vortex 3 has counted of a core in the last run, if the device knows: without the
    /// cycle model it knows instructions and lanes alone, and cores that share a device with others do not know what
    /// their own caches did. Nothing on Vortex 2, where programs read counters themselves.
    #[must_use]
    pub fn counter(&self, core: u32, class: PerfClass, number: u32) -> Option<u64> {
        let core = self.cores.get(core as usize)?;
        let last = self.last_run.as_ref();
        perf::counter(&self.config, &core.state, last, class, number)
    }

    /// Asks for what is known of the program that was written to `address`, as far as it matters to what is watched
    /// for.
    pub fn annotate(&mut self, address: u32, code: &[u8], note: &mut dyn FnMut(u32, Inst) -> Note) {
        let checks = &self.config.checks;
        let accesses = checks.races || checks.lost_updates || checks.lockstep;
        if accesses || checks.barriers {
            self.notes.extend(Notes::of(address, code, accesses, note));
        }
    }

    /// Takes nothing for a data race that happens in this part of an allocation, and in no other.
    pub fn let_race(&mut self, address: u32, size: u32) {
        let around = self.protection.range_at(address);
        if let Some(races) = &mut self.races {
            races.open(address..address + size);
            if let Some(lockstep) = &mut races.lockstep
                && let Some(around) = around
            {
                lockstep.leave_out((around.first, around.last));
            }
        }
    }

    /// Changes what kernels may do with part of an allocation.
    pub fn set_access(
        &mut self,
        address: u32,
        size: u64,
        access: Access,
    ) -> Result<(), MemoryError> {
        self.protection.set_access(address, size, access)?;
        if let Some(more) = size.checked_sub(1) {
            self.code.invalidate(address, address + more as u32);
        }
        Ok(())
    }

    /// Copies bytes to the device, whatever kernels may do there.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        if let Some(last) = self
            .protection
            .within_allocation(address, bytes.len() as u64)?
        {
            self.memory.write(address, bytes);
            self.code.invalidate(address, last);
            self.define(address, last);
        }
        Ok(())
    }

    /// Takes note that the host has given memory its values.
    fn define(&mut self, first: u32, last: u32) {
        if let Some(shadow) = &mut self.shadow
            && !self.protection.written(first, last)
        {
            shadow.fill(first, last, 0);
        }
    }

    /// Copies bytes from the device.
    pub fn read(&self, address: u32, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.protection
            .within_allocation(address, bytes.len() as u64)?;
        self.memory.read(address, bytes);
        Ok(())
    }

    /// How much memory there is.
    #[must_use]
    pub fn mem_info(&self) -> MemoryInfo {
        let (free, used) = self.protection.usage();
        MemoryInfo { free, used }
    }

    /// Bytes of memory in use, for another thread to look at.
    pub fn usage(&self) -> Usage {
        self.protection.shared_usage()
    }

    /// Chooses what the performance counters count in later runs. Only the cycle model has them; elsewhere they are
    /// zero.
    pub fn set_counters(&mut self, class: CounterClass) {
        self.counters = class;
    }

    /// A slot of a core's performance dump, as kernels leave them before they end: slot n holds CSR 0xB00 + n.
    /// `None` beyond the 32 slots and the device's cores, and for a slot that the last run did not write.
    #[must_use]
    pub fn dumped(&self, core: u32, slot: u32) -> Option<u64> {
        let has_dump = self.config.hardware().has_dump;
        if !has_dump || core >= self.config.cores || slot >= DUMP_BYTES / 8 {
            return None;
        }
        let address = DUMP + core * DUMP_BYTES + slot * 8;
        let (low, high) = (self.memory.word(address), self.memory.word(address + 4));
        let unwritten = low == UNINITIALISED && high == UNINITIALISED;
        (!unwritten).then_some(u64::from(high) << 32 | u64::from(low))
    }

    /// Reserves an image's memory and copies it there. What a `.vxbin` file holds is read-only and what it leaves out
    /// is writable; ELF files say so themselves. Answers where execution starts.
    pub fn load<'a>(&mut self, image: impl Into<Image<'a>>) -> Result<u32, MemoryError> {
        let image = image.into();
        // Gaps between segments stay as they are here.
        self.reserve(image.base(), image.size(), Access::None)?;
        for segment in image.segments() {
            let mut bytes = segment.bytes.to_vec();
            bytes.resize(segment.size as usize, 0);
            self.memory.write(segment.address, &bytes);
            if let Some(more) = segment.size.checked_sub(1) {
                self.define(segment.address, segment.address + more);
            }
            self.set_access(segment.address, u64::from(segment.size), segment.access)?;
        }
        Ok(image.entry())
    }

    /// Runs from `entry` on, with `argument` in `mscratch`, until all warps have ended: in lane 0 of warp 0 of every
    /// core, or on Vortex 3 in all lanes of it.
    ///
    /// After a trap, memory holds what was written until then, and [`Machine::console`] what was printed.
    pub fn run(&mut self, entry: u32, argument: u32) -> Result<RunStats, Box<Trap>> {
        self.run_on(entry, argument, Terms::of(&mut iter::empty(), &|_| {}))
    }

    /// As [`Machine::run`], on such terms.
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
    /// If the device cannot be given that grid, or a warp traps; then, as after [`Machine::run`].
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
        Ok(RunStats {
            instructions: self.cores.iter().map(|core| core.state.instructions).sum(),
            lane_instructions: self
                .cores
                .iter()
                .map(|core| core.state.lane_instructions)
                .sum(),
            split_depth: self
                .cores
                .iter()
                .map(|core| core.state.split_depth)
                .max()
                .unwrap_or(0),
            cycles: timing.as_ref().map(|timing| timing.cycles),
            timing,
            console: self.console.text().to_owned(),
            console_lost: self.console.lost(),
            exit_code: self.exit_code(),
        })
    }

    /// As [`Machine::launch`], for programs of other origin. Data races are watched for only if
    /// [`Checks::foreign_races`](super::Checks::foreign_races) says so. Says if it takes long.
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
    /// the image, in memory that nobody asked for. Until the run ends, free memory after the allocation of `entry`
    /// is therefore accessible, 8 KiB per hardware thread or up to the next allocation. Data races are watched for
    /// only if [`Checks::foreign_races`](super::Checks::foreign_races) says so.
    pub fn run_foreign(&mut self, entry: u32, argument: u32) -> Result<RunStats, Box<Trap>> {
        self.run_foreign_told(entry, argument, &|_| {})
    }

    /// The same, and says if it takes long.
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

    /// The lanes of a warp that are on, or were when the last run ended.
    #[must_use]
    pub fn active_lanes(&self, core: u32, warp: u32) -> Option<u32> {
        let core = self.cores.get(core as usize)?;
        Some(core.warps.get(warp as usize)?.mask())
    }

    /// The group that a warp was handed last, by its place in the grid, and the warp's number in it; zeros if it was
    /// handed none.
    #[must_use]
    pub fn handed(&self, core: u32, warp: u32) -> Option<([u32; 3], u32)> {
        let warp = self.cores.get(core as usize)?.warps.get(warp as usize)?;
        Some((warp.place.group, warp.place.rank))
    }

    /// What a lane holds in a place, or did when the last run ended.
    pub fn held(&self, core: u32, warp: u32, lane: u32, place: WordLocation) -> Option<u32> {
        let core = self.cores.get(core as usize)?;
        let warp = core.warps.get(warp as usize)?;
        let there = lane < self.config.threads;
        there.then(|| place.word(warp, &self.memory, lane))?
    }

    /// What the last run printed.
    #[must_use]
    pub fn console(&self) -> &str {
        self.console.text()
    }
}
