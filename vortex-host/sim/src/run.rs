//! A run: which warp goes when, until all have ended.
//!
//! Warps take turns in slices of some thousand instructions, cores likewise, always in the same order.

use super::code::{Code, Op};
use super::config::Config;
use super::console::Console;
use super::core::{Core, Reservations};
use super::exec::{self, Context, Exit};
use super::layout::LOCAL;
use super::memory::Memory;
use super::notes::Notes;
use super::parallel::Shared;
use super::patience::Watch;
use super::progress::Progress;
use super::protection::{Protection, Range};
use super::race::Races;
use super::trap::{Trap, TrapKind, WaitReason, Waiting};
use super::warp::{State, Warp};
use vortex_isa::GLOBAL_BARRIER;

/// Instructions of a warp until it is the next one's turn.
pub(super) const SLICE: u32 = 4096;

/// A device while it runs.
pub(super) struct Run<'a> {
    pub(super) config: &'a Config,
    pub(super) cores: &'a mut [Core],
    pub(super) memory: &'a Memory,
    /// The bits of memory that hold no value, if that matters.
    pub(super) shadow: Option<&'a Memory>,
    pub(super) protection: &'a Protection,
    pub(super) code: &'a mut Code,
    pub(super) console: &'a mut Console,
    pub(super) reservations: &'a mut Reservations,
    /// Where cores meet.
    pub(super) global: Meeting<'a>,
    /// The race detector, if races matter.
    pub(super) races: Option<&'a mut Races>,
    /// What is known of the program, if anything.
    pub(super) notes: Option<&'a Notes>,
    /// Told how many instructions have run, now and then.
    pub(super) progress: &'a Progress,
    /// Instructions left of the budget.
    pub(super) budget: u64,
    /// Whether it takes long.
    pub(super) watch: Watch<'a>,
}

/// The barriers of the whole device.
pub(super) enum Meeting<'a> {
    /// All cores are in this run: per barrier, those that wait there.
    Own(&'a mut Vec<Vec<u32>>),
    /// Other threads have cores too.
    Shared(&'a Shared),
}

impl Run<'_> {
    /// Runs all warps to their end.
    pub(super) fn finish(&mut self) -> Result<(), Box<Trap>> {
        loop {
            let before = self.budget;
            let result = self.round();
            let done = before - self.budget;
            self.progress.add(done);
            match result? {
                (false, _) => return Ok(()),
                (true, true) => self.attend(done),
                (true, false) => return Err(self.deadlock()),
            }
        }
    }

    /// Gives each warp that is ready a turn. Answers whether any has not ended, and whether any was ready.
    pub(super) fn round(&mut self) -> Result<(bool, bool), Box<Trap>> {
        let (mut active, mut progress) = (false, false);
        for core in 0..self.cores.len() {
            progress |= self.start_spawned(core);
            // The first warp goes last. Vortex's own programs expect warps that it has spawned to have got somewhere
            // when it goes on, as they have on hardware, where warps take turns with every instruction.
            for warp in (1..self.config.warps as usize).chain([0]) {
                if self.cores[core].warps[warp].state == State::Ready {
                    progress = true;
                    self.turn(core, warp, SLICE)?;
                }
                active |= self.cores[core].warps[warp].state != State::Idle;
            }
        }
        Ok((active, progress))
    }

    /// Lets warps of a core go on that wait at barriers of the device, given as a mask.
    pub(super) fn release(&mut self, core: usize, barriers: u32) {
        for warp in &mut self.cores[core].warps {
            if matches!(warp.state, State::GlobalBarrier { id, .. } if barriers >> id & 1 != 0) {
                warp.state = State::Ready;
            }
        }
    }

    /// Does what a `wspawn` asked for, once its warp is the only one.
    pub(super) fn start_spawned(&mut self, core: usize) -> bool {
        let core = &mut self.cores[core];
        let State::Spawn { warps, pc } = core.warps[0].state else {
            return false;
        };
        if core.active_warps() != 1 {
            return false;
        }
        core.warps[0].state = State::Ready;
        if let Some(races) = &mut self.races {
            races.start(core.state.id, warps);
        }
        for warp in 1..warps {
            core.start(warp, pc, self.config);
        }
        true
    }

    /// Runs a warp until it waits, ends, or has had its turn of so many instructions.
    pub(super) fn slice(
        &mut self,
        core_index: usize,
        warp_index: usize,
        turn: u32,
    ) -> Result<(), Box<Trap>> {
        let mut left = turn;
        loop {
            let (protection, memory) = (self.protection, self.memory);
            let pc = self.cores[core_index].warps[warp_index].pc;
            let Some(block) = self.code.find(pc).or_else(|| self.decode(pc)) else {
                return Err(self.trap(core_index, warp_index, TrapKind::FetchOutOfBounds, None));
            };
            let core = &mut self.cores[core_index];
            let active_warps = core.active_warps();
            let warp = &mut core.warps[warp_index];
            let before = core.state.instructions;
            let limit = u64::from(left).min(self.budget) as u32;
            let mut context = Context {
                warp,
                core: &mut core.state,
                memory,
                shadow: self.shadow,
                protection,
                code: self.code,
                console: self.console,
                reservations: self.reservations,
                races: self.races.as_deref_mut(),
                notes: self.notes,
                shared: match self.global {
                    Meeting::Own(_) => None,
                    Meeting::Shared(shared) => Some(&shared.atomics),
                },
                config: self.config,
                warp_id: warp_index as u32,
                active_warps,
            };
            let exit = exec::run(&mut context, self.code.get(block), limit);
            let done = core.state.instructions - before;
            self.budget -= done;
            // No more than the limit.
            left -= done as u32;
            let warp = &mut core.warps[warp_index];
            match exit {
                Exit::Slice if self.budget == 0 && self.watch.is_last() => {
                    let kind = TrapKind::BudgetSpent {
                        budget: self.config.instruction_budget.unwrap_or(u64::MAX),
                        livelock: self.watch.livelock,
                    };
                    return Err(self.trap(core_index, warp_index, kind, None));
                }
                Exit::Slice => return Ok(()),
                Exit::Fetch => {}
                // Lanes may have written to several places; programs seldom do.
                Exit::CodeWritten => self.code.invalidate(0, u32::MAX),
                Exit::Ended => {
                    warp.state = State::Idle;
                    return Ok(());
                }
                Exit::Halted => {
                    core.warps
                        .iter_mut()
                        .for_each(|warp| warp.state = State::Idle);
                    return Ok(());
                }
                Exit::Spawn { warps, pc } => {
                    warp.state = State::Spawn { warps, pc };
                    return Ok(());
                }
                Exit::Barrier { id, expected } => {
                    if let Some(first) = self.elsewhere(id, core_index, warp_index) {
                        let kind = TrapKind::OtherBarrier { first };
                        return Err(self.trap_before(core_index, warp_index, kind));
                    }
                    let first = self
                        .mismatch(id, expected, core_index)
                        .or_else(|| self.arrive(core_index, warp_index, id, expected));
                    if let Some(first) = first {
                        let kind = TrapKind::BarrierMismatch { expected, first };
                        return Err(self.trap_before(core_index, warp_index, kind));
                    }
                    if self.cores[core_index].warps[warp_index].state != State::Ready {
                        return Ok(());
                    }
                }
                Exit::Fault(fault) => {
                    return Err(self.trap(core_index, warp_index, fault.kind, fault.lane));
                }
            }
        }
    }

    /// The instruction at `pc`, made ready, if one can be read there.
    pub(super) fn op(&mut self, pc: u32) -> Option<Op> {
        let block = self.code.find(pc).or_else(|| self.decode(pc))?;
        self.code.get(block).at(pc).copied()
    }

    /// Decodes what is around `pc`, if that can be read.
    #[cold]
    fn decode(&mut self, pc: u32) -> Option<usize> {
        let range = self.executable(pc)?;
        let block = self
            .code
            .decode(pc, range, self.memory, self.config, self.notes);
        // Cores may know this memory as some that can be written without a look.
        for core in self.cores.iter_mut() {
            core.state.forget_windows();
        }
        Some(block)
    }

    /// A warp has come to a barrier. Answers who waits there for another count, if that matters and is a core of
    /// another thread.
    fn arrive(
        &mut self,
        core_index: usize,
        warp_index: usize,
        id: u32,
        expected: u32,
    ) -> Option<Waiting> {
        let core = &mut self.cores[core_index];
        let index = (id & !GLOBAL_BARRIER) as usize;
        core.barriers[index] |= 1 << warp_index;
        let arrived = core.barriers[index];
        if id & GLOBAL_BARRIER == 0 {
            core.warps[warp_index].state = State::Barrier { id, expected };
            if arrived.count_ones() == expected {
                core.barriers[index] = 0;
                if let Some(races) = &mut self.races {
                    races.meet_core(core.state.id, arrived);
                }
                for (n, warp) in core.warps.iter_mut().enumerate() {
                    if arrived >> n & 1 != 0 {
                        warp.state = State::Ready;
                    }
                }
            }
            return None;
        }
        let id = id & !GLOBAL_BARRIER;
        core.warps[warp_index].state = State::GlobalBarrier { id, expected };
        // The core is there once all of its warps are.
        if arrived != core.active_warps() {
            return None;
        }
        core.barriers[index] = 0;
        let here = match &self.global {
            Meeting::Shared(_) => self.waiting(core_index, warp_index),
            Meeting::Own(_) => None,
        };
        let waiting = match &mut self.global {
            Meeting::Own(waiting) => &mut waiting[index],
            Meeting::Shared(shared) => {
                let first = shared.arrive(self.cores[core_index].state.id, id, expected, here);
                return first.filter(|_| self.config.checks.barriers);
            }
        };
        waiting.push(core_index as u32);
        if waiting.len() as u32 == expected {
            let mut met = Vec::new();
            for core in std::mem::take(waiting) {
                for (n, warp) in self.cores[core as usize].warps.iter_mut().enumerate() {
                    if matches!(warp.state, State::GlobalBarrier { id: other, .. } if other == id) {
                        warp.state = State::Ready;
                        met.push((core, n as u32));
                    }
                }
            }
            if let Some(races) = &mut self.races {
                races.meet(met.iter().copied());
            }
        }
        None
    }

    /// Who waits at a barrier for another count, if that matters.
    fn mismatch(&self, id: u32, expected: u32, core_index: usize) -> Option<Waiting> {
        if !self.config.checks.barriers {
            return None;
        }
        let cores = match id & GLOBAL_BARRIER {
            0 => core_index..core_index + 1,
            _ => 0..self.cores.len(),
        };
        let (core, warp) = cores
            .flat_map(|core| (0..self.config.warps as usize).map(move |warp| (core, warp)))
            .find(|&(core, warp)| {
                let (at, count) = match self.cores[core].warps[warp].state {
                    State::Barrier { id, expected } => (id, expected),
                    State::GlobalBarrier { id, expected } => (id | GLOBAL_BARRIER, expected),
                    State::Idle | State::Ready | State::Spawn { .. } => return false,
                };
                at == id && count != expected
            })?;
        self.waiting(core, warp)
    }

    /// A warp that waits at a barrier of the core for those that come to another place of the program, or work on
    /// something else, as far as the program is known, and if that matters.
    fn elsewhere(&self, id: u32, core_index: usize, own: usize) -> Option<Waiting> {
        let notes = self.notes.filter(|_| self.config.checks.barriers)?;
        let warps = &self.cores[core_index].warps;
        let place = |warp: &Warp| {
            let note = notes.at(warp.pc.wrapping_sub(4));
            let counted = note.work;
            let work = counted.and_then(|at| at.word(warp, self.memory, warp.last_lane()));
            (note.meeting != 0).then_some((note.meeting, work))
        };
        let (meeting, work) = place(&warps[own])?;
        let (other, _) = warps.iter().enumerate().find(|(_, warp)| {
            let here = matches!(warp.state, State::Barrier { id: at, .. } if at == id);
            let differs = |(at, on): (u32, Option<u32>)| {
                at != meeting || on.zip(work).is_some_and(|(on, work)| on != work)
            };
            here && place(warp).is_some_and(differs)
        })?;
        self.waiting(core_index, other)
    }

    /// A trap of a warp at the instruction that it has just executed.
    #[cold]
    fn trap_before(&self, core: usize, warp: usize, kind: TrapKind) -> Box<Trap> {
        let pc = self.cores[core].warps[warp].pc.wrapping_sub(4);
        self.trap_at(pc, core, warp, kind, None)
    }

    #[cold]
    fn trap(&self, core: usize, warp: usize, kind: TrapKind, lane: Option<u32>) -> Box<Trap> {
        self.trap_at(self.cores[core].warps[warp].pc, core, warp, kind, lane)
    }

    fn trap_at(
        &self,
        pc: u32,
        core: usize,
        warp: usize,
        kind: TrapKind,
        lane: Option<u32>,
    ) -> Box<Trap> {
        Box::new(Trap {
            kind,
            pc,
            core: self.cores[core].state.id,
            warp: warp as u32,
            lane,
            word: self.word(pc),
        })
    }

    /// The memory around an address from which instructions are fetched. They are not from local memory, which holds
    /// data only.
    fn executable(&self, pc: u32) -> Option<Range> {
        let range = self.protection.range_at(pc)?;
        let fetched = range.access.reads() && range.holds(pc, 4);
        (pc.is_multiple_of(4) && pc < LOCAL && fetched).then_some(range)
    }

    /// An instruction's word, if there can be one.
    pub(super) fn word(&self, pc: u32) -> Option<u32> {
        self.executable(pc).map(|_| self.memory.word(pc))
    }

    /// Where a warp waits, if it does, and for what.
    #[cold]
    pub(super) fn waiting(&self, core_index: usize, warp_index: usize) -> Option<Waiting> {
        let core = &self.cores[core_index];
        let warp = &core.warps[warp_index];
        let reason = match warp.state {
            State::Idle | State::Ready => return None,
            State::Barrier { id, expected } => WaitReason::Barrier {
                id,
                arrived: core.barriers[id as usize].count_ones(),
                expected,
            },
            State::GlobalBarrier { id, expected } => WaitReason::GlobalBarrier {
                id,
                arrived: match &self.global {
                    Meeting::Own(waiting) => waiting[id as usize].len() as u32,
                    Meeting::Shared(shared) => shared.arrived(id),
                },
                expected,
            },
            State::Spawn { .. } => WaitReason::Spawn,
        };
        // Warps wait with their program counters after what they wait at.
        let pc = warp.pc.wrapping_sub(4);
        Some(Waiting {
            core: core.state.id,
            warp: warp_index as u32,
            pc,
            word: self.word(pc),
            reason,
        })
    }

    /// A trap that no warp in particular is to blame for: it names the first that has not ended.
    #[cold]
    pub(super) fn trap_of_first(&self, kind: TrapKind) -> Box<Trap> {
        let warps = self.config.warps as usize;
        let runs = |&(core, warp): &(usize, usize)| {
            let core: &Core = &self.cores[core];
            core.warps[warp].state != State::Idle
        };
        let (core, warp) = (0..self.cores.len())
            .flat_map(|core| (0..warps).map(move |warp| (core, warp)))
            .find(runs)
            .unwrap_or_default();
        self.trap(core, warp, kind, None)
    }

    #[cold]
    pub(super) fn deadlock(&self) -> Box<Trap> {
        let warps = 0..self.config.warps as usize;
        let waiting: Vec<Waiting> = (0..self.cores.len())
            .flat_map(|core| warps.clone().map(move |warp| (core, warp)))
            .filter_map(|(core, warp)| self.waiting(core, warp))
            .collect();
        // Whoever waits for the end of others waits for those that wait at barriers.
        let at_barrier = |warp: &&Waiting| warp.reason != WaitReason::Spawn;
        let first = waiting.iter().find(at_barrier).or(waiting.first());
        let (core, warp) = first.map_or((0, 0), |first| (first.core, first.warp));
        // All cores are here, in their order.
        self.trap_before(core as usize, warp as usize, TrapKind::Deadlock { waiting })
    }
}
