//! The embedded device as the host sees it: its memory and what is in it. `launch` runs programs.

mod launch;

pub use launch::{LaunchError, RunStats};

use crate::code::Code;
use crate::config::{Config, ConfigError};
use crate::console::Console;
use crate::core::{Core, Reservations};
use crate::image::Image;
use crate::layout::{
    CONSOLE, DUMP, DUMP_BYTES, EXIT_CODE, EXIT_CODE_SLOT, RINGS, RINGS_LOST, RINGS_READ,
    UNINITIALISED,
};
use crate::memory::Memory;
use crate::notes::{Note, Notes, WordLocation};
use crate::perf::{self, LastRun, PerfClass};
use crate::progress::Progress;
use crate::protection::{Access, MemoryError, Protection};
use crate::race::Races;
use crate::timing::CounterClass;
use crate::usage::Usage;
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
    /// What waits at the barriers of all cores; empty between runs.
    waiting: Vec<Vec<u32>>,
    counters: CounterClass,
    /// Counters of the last run, where the model has them.
    last_run: Option<LastRun>,
    /// The race detector, if some runs need it.
    races: Option<Box<Races>>,
    /// What is known about some programs, by where they start.
    notes: Vec<Notes>,
    progress: Progress,
    /// Its driver manages memory, and reads the console.
    is_shared: bool,
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

/// Room in user memory, where [`Machine::alloc`] finds it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes that are not allocated, in one piece or in several.
    pub free: u64,
    /// Bytes that are allocated, in whole pages of 4 KiB.
    pub used: u64,
}

impl Machine {
    /// A device with empty memory, on which nothing runs.
    ///
    /// # Errors
    /// A [`ConfigError`] that says which number of `config` is out of range, or what does not go together.
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

    /// The progress of runs, for another thread to watch.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Allocates `size` bytes of device memory for a kernel to access like this, at a multiple of 4 KiB, and returns
    /// their address. They are uninitialised.
    ///
    /// # Errors
    /// [`MemoryError::Empty`] if `size` is 0, [`MemoryError::OutOfMemory`] if no gap between allocations is large
    /// enough.
    pub fn alloc(&mut self, size: u64, access: Access) -> Result<u32, MemoryError> {
        let address = self.protection.alloc(size, access)?;
        self.renew(address, size);
        Ok(address)
    }

    /// Allocates `size` bytes of device memory at a given address, for a kernel to access like this.
    ///
    /// # Errors
    /// [`MemoryError::Empty`] if `size` is 0, [`MemoryError::Taken`] if that is not all user memory that is free.
    pub fn reserve(&mut self, address: u32, size: u64, access: Access) -> Result<(), MemoryError> {
        self.protection.reserve(address, size, access)?;
        self.renew(address, size);
        Ok(())
    }

    /// Allocates part of the device's own memory below user memory, from 0x80 on, as programs for Vortex may do that
    /// exchange data with the host there. While the host holds part of the performance dump, [`Machine::dumped`]
    /// returns what is there, and no run clears it; and if kernels may not write it, the counters that they leave
    /// when they end are dropped.
    ///
    /// # Errors
    /// [`MemoryError::Empty`] if `size` is 0, [`MemoryError::Taken`] if the bytes are not all free, below user memory
    /// and after what programs and host share there: the console, and on Vortex 3 what [`layout`](crate::layout) has up
    /// to [`SHARED_END`](crate::layout::SHARED_END).
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
    ///
    /// # Errors
    /// [`MemoryError::NoAllocation`] if none does.
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

    /// Leaves memory management, and reading the console of Vortex 3, to the device's driver: all user memory can be
    /// accessed, also by programs, and a run only changes what its program changes.
    pub fn share(&mut self) {
        self.is_shared = true;
        self.protection.open_all();
    }

    /// Copies bytes to a shared device, wherever it has memory that is not a core's own.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] if some of them would go elsewhere: below 0x40, or from local memory on.
    pub fn write_shared(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        if let Some(last) = self.protection.within_shared(address, bytes.len() as u64)? {
            self.memory.write(address, bytes);
            self.code.invalidate(address, last);
            self.define(address, last);
        }
        Ok(())
    }

    /// Copies bytes from a shared device, likewise; as many as `bytes` has room for.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] if some of them are elsewhere.
    pub fn read_shared(&self, address: u32, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.protection.within_shared(address, bytes.len() as u64)?;
        self.memory.read(address, bytes);
        Ok(())
    }

    /// Instructions of warps that a core has executed in the last run. `None` for a core that does not exist.
    #[must_use]
    pub fn instructions(&self, core: u32) -> Option<u64> {
        let core = self.cores.get(core as usize)?;
        Some(core.state.instructions)
    }

    /// Cycles in which a core was busy in the last run. `None` after one that ended early, or on the functional model.
    #[must_use]
    pub fn cycles(&self, core: u32) -> Option<u64> {
        self.last_run.as_ref()?.cycles(core)
    }

    /// A performance counter of Vortex 3 for a core in the last run, if the device has it: without the cycle model it
    /// only counts instructions and lanes, and cores that share a device with others do not have counters of their own
    /// caches. `None` on Vortex 2, where programs read counters themselves.
    #[must_use]
    pub fn counter(&self, core: u32, class: PerfClass, number: u32) -> Option<u64> {
        let core = self.cores.get(core as usize)?;
        let last = self.last_run.as_ref();
        perf::counter(&self.config, &core.state, last, class, number)
    }

    /// Requests notes about the program that was written to `address`, as far as the checks need them.
    pub fn annotate(&mut self, address: u32, code: &[u8], note: &mut dyn FnMut(u32, Inst) -> Note) {
        let checks = &self.config.checks;
        let accesses = checks.races || checks.lost_updates || checks.lockstep;
        if accesses || checks.barriers {
            self.notes.extend(Notes::of(address, code, accesses, note));
        }
    }

    /// Allows races in this part of an allocation, and in no other.
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

    /// Changes what kernels may do with the `size` bytes from `address` on, part of an allocation.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] if they are not within one allocation.
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
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] if they would not be within one allocation.
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

    /// Records that the host has given memory its values.
    fn define(&mut self, first: u32, last: u32) {
        if let Some(shadow) = &mut self.shadow
            && !self.protection.written(first, last)
        {
            shadow.fill(first, last, 0);
        }
    }

    /// Copies bytes from the device, whatever kernels may do there; as many as `bytes` has room for.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] if they are not within one allocation.
    pub fn read(&self, address: u32, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.protection
            .within_allocation(address, bytes.len() as u64)?;
        self.memory.read(address, bytes);
        Ok(())
    }

    /// How much user memory is free, and how much is in use.
    #[must_use]
    pub fn mem_info(&self) -> MemoryInfo {
        let (free, used) = self.protection.usage();
        MemoryInfo { free, used }
    }

    /// Bytes of memory in use, for another thread to watch.
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
    /// is writable; ELF files say so themselves. Gaps between segments become inaccessible. Returns the address where
    /// execution starts, for [`Machine::run`]; [`Machine::free`] of [`Image::base`] takes it away again.
    ///
    /// # Errors
    /// [`MemoryError::Taken`] if some of its memory is in use, or outside of user memory.
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

    /// The lanes of a warp that are on, or were when the last run ended, as a mask. `None` for a warp that does not
    /// exist.
    #[must_use]
    pub fn active_lanes(&self, core: u32, warp: u32) -> Option<u32> {
        let core = self.cores.get(core as usize)?;
        Some(core.warps.get(warp as usize)?.mask())
    }

    /// The last group that a warp received, by its place in the grid, and the warp's number in it; zeros if it received
    /// none.
    #[must_use]
    pub fn handed(&self, core: u32, warp: u32) -> Option<([u32; 3], u32)> {
        let warp = self.cores.get(core as usize)?.warps.get(warp as usize)?;
        Some((warp.group.at, warp.group.rank))
    }

    /// What a lane holds in a place, or did when the last run ended. `None` if there is no such lane, or no such place.
    pub fn held(&self, core: u32, warp: u32, lane: u32, place: WordLocation) -> Option<u32> {
        let core = self.cores.get(core as usize)?;
        let warp = core.warps.get(warp as usize)?;
        let there = lane < self.config.threads;
        there.then(|| place.word(warp, &self.memory, lane))?
    }

    /// What the last run printed through the console, as [`RunStats::console`], also of one that ended with a trap.
    #[must_use]
    pub fn console(&self) -> &str {
        self.console.text()
    }
}
