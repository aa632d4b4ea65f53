//! A run: schedules warps until all have ended.
//!
//! Warps take turns in slices of some thousand instructions, cores likewise, always in the same order.

mod meeting;
mod observer;
mod parallel;
mod patience;
mod shared;

pub(crate) use meeting::Meeting;
pub(crate) use patience::Watch;
pub use patience::{HeldNow, Running, Tell, Whereabouts};

use crate::code::{Code, Op};
use crate::config::Config;
use crate::console::Console;
use crate::core::{Core, Reservations};
use crate::dispatch::Launch;
use crate::exec::{self, Context, Exit};
use crate::layout::LOCAL;
use crate::memory::Memory;
use crate::notes::Notes;
use crate::progress::Progress;
use crate::protection::{Protection, Range};
use crate::race::Races;
use crate::trap::{Trap, TrapKind, WaitReason, Waiting};
use crate::warp::State;
use meeting::Arrival;
use vortex_isa::GLOBAL_BARRIER;

/// Instructions of a warp until it is the next one's turn.
pub(crate) const SLICE: u32 = 4096;

/// A device while it runs.
pub(crate) struct Run<'a> {
    pub(crate) config: &'a Config,
    pub(crate) cores: &'a mut [Core],
    pub(crate) memory: &'a Memory,
    /// The bits of memory that hold no value, if that matters.
    pub(crate) shadow: Option<&'a Memory>,
    pub(crate) protection: &'a Protection,
    pub(crate) code: &'a mut Code,
    pub(crate) console: &'a mut Console,
    pub(crate) reservations: &'a mut Reservations,
    /// Where cores meet.
    pub(crate) global: Meeting<'a>,
    /// The grid whose groups the device hands out, if it does.
    pub(crate) launch: Option<&'a Launch>,
    /// The race detector, if races matter.
    pub(crate) races: Option<&'a mut Races>,
    /// What is known about the program, if anything.
    pub(crate) notes: Option<&'a Notes>,
    /// Told how many instructions have run, now and then.
    pub(crate) progress: &'a Progress,
    /// Instructions left of the budget.
    pub(crate) budget: u64,
    /// The cycle after which it is ended, on the cycle model.
    pub(crate) most_cycles: u64,
    /// Whether it takes long.
    pub(crate) watch: Watch<'a>,
}

impl Run<'_> {
    /// Runs all warps to their end.
    pub(crate) fn finish(&mut self) -> Result<(), Box<Trap>> {
        loop {
            let before = self.budget;
            let result = self.round();
            let done = before - self.budget;
            self.progress.add(done);
            match result? {
                (false, _) => return Ok(()),
                (true, true) => self.attend(done)?,
                (true, false) => return Err(self.deadlock()),
            }
        }
    }

    /// Runs each ready warp for a slice. Returns whether any warp is still running, and whether any was ready.
    pub(crate) fn round(&mut self) -> Result<(bool, bool), Box<Trap>> {
        let (mut active, mut progress) = (false, false);
        for core in 0..self.cores.len() {
            progress |= self.start_spawned(core) | self.dispatch(core);
            // The first warp goes last. Vortex's own programs expect warps that it has spawned to have got somewhere
            // when it continues, as they have on hardware, where warps take turns with every instruction.
            for warp in (1..self.config.warps as usize).chain([0]) {
                if self.cores[core].warps[warp].state == State::Ready {
                    progress = true;
                    self.turn(core, warp, SLICE)?;
                }
                active |= self.cores[core].warps[warp].state != State::Idle;
            }
            active |= self.cores[core].dispatcher.is_starting();
        }
        active |= self.launch.is_some_and(Launch::has_more);
        Ok((active, progress))
    }

    /// Whether any warp has not ended, or will be started.
    pub(crate) fn is_active(&self) -> bool {
        let has_work = |core: &Core| core.active_warps() != 0 || core.dispatcher.is_starting();
        self.cores.iter().any(has_work) || self.launch.is_some_and(Launch::has_more)
    }

    /// Hands groups to a core, as far as there is room for their warps. Returns whether any was started.
    pub(crate) fn dispatch(&mut self, core: usize) -> bool {
        let Some(launch) = self.launch else {
            return false;
        };
        let mut any = false;
        while self.cores[core].dispatch(launch, self.config, self.races.as_deref_mut()) {
            any = true;
        }
        any
    }

    /// Hands out the first groups of a grid: to each core one, and again, as long as there is room.
    pub(crate) fn begin(&mut self) {
        let Some(launch) = self.launch else {
            return;
        };
        loop {
            let mut any = false;
            for core in self.cores.iter_mut() {
                // All warps of a group.
                while core.dispatch(launch, self.config, self.races.as_deref_mut()) {
                    any = true;
                    if !core.dispatcher.is_starting() {
                        break;
                    }
                }
            }
            if !any {
                return;
            }
        }
    }

    /// Does what a `wspawn` asked for, once its warp is the only one.
    pub(crate) fn start_spawned(&mut self, core: usize) -> bool {
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
        let scratch = core.warps[0].scratch;
        for warp in 1..warps {
            core.start(warp, pc, self.config);
            core.warps[warp as usize].scratch = scratch;
        }
        true
    }

    /// Runs a warp until it waits, ends, or has had its turn of this many instructions.
    pub(crate) fn slice(
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
                    let (id, pc) = (core.state.id, warp.pc);
                    let races = self.races.as_deref_mut();
                    core.dispatcher.ended(id, warp_index, pc, races);
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
                    let arrival = Arrival {
                        id,
                        expected,
                        waits: true,
                    };
                    self.meet(core_index, warp_index, arrival)?;
                    if self.cores[core_index].warps[warp_index].state != State::Ready {
                        return Ok(());
                    }
                }
                Exit::Arrived { id, expected, rd } => {
                    if let Some(first) = self.arrived_elsewhere(id, core_index, warp_index) {
                        let kind = TrapKind::OtherBarrier { first };
                        return Err(self.trap_before(core_index, warp_index, kind));
                    }
                    let phase = self.phase(core_index, id);
                    exec::set_register(&mut self.cores[core_index].warps[warp_index], rd, phase);
                    let arrival = Arrival {
                        id,
                        expected,
                        waits: false,
                    };
                    self.meet(core_index, warp_index, arrival)?;
                }
                Exit::Expects { id, copies, rd } => {
                    let phase = self.phase(core_index, id);
                    let state = self.barrier(id);
                    let core = &mut self.cores[core_index];
                    exec::set_register(&mut core.warps[warp_index], rd, phase);
                    core.barriers[state].expect(copies);
                }
                Exit::Wait { id, phase } => {
                    if self.await_phase(core_index, warp_index, id, phase) {
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
    pub(crate) fn op(&mut self, pc: u32) -> Option<Op> {
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
    pub(crate) fn word(&self, pc: u32) -> Option<u32> {
        self.executable(pc).map(|_| self.memory.word(pc))
    }

    /// Where a warp waits, if it does, and for what.
    #[cold]
    pub(crate) fn waiting(&self, core_index: usize, warp_index: usize) -> Option<Waiting> {
        let core = &self.cores[core_index];
        let warp = &core.warps[warp_index];
        let copies = |id| match core.barriers[self.barrier(id)].copies {
            0 => None,
            copies => Some(WaitReason::Copies { id, copies }),
        };
        let reason = match warp.state {
            State::Idle | State::Ready => return None,
            State::Barrier { id, .. } | State::Phase { id, .. }
                if let Some(reason) = copies(id) =>
            {
                reason
            }
            State::GlobalBarrier { id, .. } if let Some(reason) = copies(id | GLOBAL_BARRIER) => {
                reason
            }
            State::Barrier { id, expected } => WaitReason::Barrier {
                id,
                arrived: core.barriers[self.barrier(id)].arrived,
                expected,
            },
            State::Phase { id, .. } => WaitReason::Phase {
                id,
                arrived: core.barriers[self.barrier(id)].arrived,
            },
            State::GlobalBarrier { id, expected } => WaitReason::GlobalBarrier {
                id,
                arrived: {
                    let place = (self.config).meeting_place(core.state.id, self.barrier(id));
                    match &self.global {
                        Meeting::Own(waiting) => waiting[place].len() as u32,
                        Meeting::Shared(shared) => shared.arrived(place),
                    }
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
    pub(crate) fn trap_of_first(&self, kind: TrapKind) -> Box<Trap> {
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
    pub(crate) fn deadlock(&self) -> Box<Trap> {
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
