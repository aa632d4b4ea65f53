//! A run of the cycle model, which decides which warp executes an instruction when.

use super::layout::LOCAL;
use super::registers::{FLOAT_ROWS, lanes_of};
use super::run::Run;
use super::timing::{
    self, Addresses, CounterClass, Counters, GroupShape, Program, Recording, RunShape, Standstill,
    Stop, TimingConfig, TimingStats,
};
use super::trap::{Trap, TrapKind};
use super::warp::State;
use vortex_isa::{Class, GLOBAL_BARRIER, Inst, RegFile};

impl Run<'_> {
    /// Runs all warps to their end, and counts cycles.
    pub(super) fn finish_timed(
        &mut self,
        timing: &TimingConfig,
        entry: u32,
        counters: CounterClass,
        recording: Option<&mut Recording>,
    ) -> Result<Box<TimingStats>, Box<Trap>> {
        let config = self.config;
        let shape = RunShape {
            cores: config.cores,
            warps: config.warps,
            threads: config.threads,
            local: (LOCAL, config.local_mem),
            counters,
        };
        // As the device was made, there is one.
        let timing = timing.on(config.generation).unwrap_or_default();
        match timing::run(&timing, &shape, self, entry, recording) {
            Ok(stats) => Ok(Box::new(stats)),
            Err(Stop::Program(trap)) => Err(trap),
            Err(Stop::Deadlock) => Err(self.deadlock()),
            Err(Stop::NoProgress(Standstill { cycle, state })) => {
                Err(self.trap_of_first(TrapKind::NoProgress { cycle, state }))
            }
        }
    }
}

impl Program for Run<'_> {
    type Error = Box<Trap>;

    #[inline]
    fn inst(&mut self, pc: u32) -> Option<Inst> {
        Inst::decode(self.word(pc)?)
    }

    #[inline(always)]
    fn execute(
        &mut self,
        core: usize,
        warp: usize,
        cycle: u64,
        addresses: Option<&mut Addresses>,
    ) -> Result<u32, Box<Trap>> {
        let state = &self.cores[core].warps[warp];
        let (pc, lanes) = (state.pc, state.mask());
        if state.state != State::Ready {
            return Ok(0);
        }
        if let Some(addresses) = addresses
            && let Some(op) = self.op(pc)
            && let Some(class) = op.opcode.map(|opcode| opcode.info().class)
            && matches!(class, Class::Load | Class::Store | Class::Atomic)
        {
            let warp = &self.cores[core].warps[warp];
            let offset = if class == Class::Atomic { 0 } else { op.imm };
            addresses.lanes = lanes;
            for n in lanes_of(lanes) {
                addresses.of[n as usize] = warp.held(op.rs1, n).wrapping_add(offset);
            }
        }
        if cycle > self.most_cycles {
            let cycles = self.most_cycles;
            return Err(self.trap_of_first(TrapKind::CyclesSpent { cycles }));
        }
        self.cores[core].state.clock = Some(cycle);
        let before = self.budget;
        let opcode = match self.launch {
            Some(_) => self.op(pc).and_then(|op| op.opcode),
            None => None,
        };
        self.turn(core, warp, 1)?;
        self.attend(before - self.budget)?;
        if let Some(opcode) = opcode {
            let core = &mut self.cores[core];
            let after = core.warps[warp].mask();
            core.state.executed.note(opcode, lanes, after);
        }
        Ok(lanes)
    }

    fn barrier_ahead(&mut self, core: usize, warp: usize) -> u32 {
        let state = &self.cores[core].warps[warp];
        // All lanes agree, or the last one decides.
        let last = state.mask().checked_ilog2().unwrap_or(0);
        let pc = state.pc;
        let Some(rs1) = self.op(pc).map(|op| op.rs1) else {
            return 0;
        };
        let id = self.cores[core].warps[warp].held(rs1, last);
        self.barrier(id) as u32 | id & GLOBAL_BARRIER
    }

    fn count(&mut self, core: usize, counters: &Counters) {
        self.cores[core].state.counters = *counters;
    }

    fn register(
        &mut self,
        core: usize,
        warp: usize,
        file: RegFile,
        number: u8,
    ) -> Box<[Option<u32>]> {
        let row = match file {
            RegFile::Integer => number,
            RegFile::Float => FLOAT_ROWS + number,
        };
        let warp = &self.cores[core].warps[warp];
        (0..self.config.threads)
            .map(|n| Some(warp.held(row, n)))
            .collect()
    }

    #[inline]
    fn pc(&mut self, core: usize, warp: usize) -> u32 {
        self.cores[core].warps[warp].pc
    }

    #[inline]
    fn is_ready(&mut self, core: usize, warp: usize) -> bool {
        self.cores[core].warps[warp].state == State::Ready
    }

    #[inline]
    fn is_idle(&mut self, core: usize, warp: usize) -> bool {
        self.cores[core].warps[warp].state == State::Idle
    }

    #[inline]
    fn spawn(&mut self, core: usize) -> bool {
        self.start_spawned(core)
    }

    fn grid(&mut self) -> Option<GroupShape> {
        self.launch.map(|launch| launch.shape(self.config))
    }

    #[inline]
    fn take_group(&mut self, core: usize, number: u64) -> usize {
        let dispatcher = &mut self.cores[core].dispatcher;
        let slot = self
            .launch
            .and_then(|launch| dispatcher.take(launch, self.config, || launch.group(number)));
        slot.unwrap_or_default()
    }

    fn start_warp(&mut self, core: usize, warp: usize) {
        if let Some(launch) = self.launch {
            self.cores[core].start_next(warp, launch, self.config, self.races.as_deref_mut());
        }
    }
}
