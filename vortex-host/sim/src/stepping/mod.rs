//! Runs in single steps, forwards and backwards, driven by a debugger.
//!
//! A run that is [driven](crate::debug::Terms::driven) executes one instruction of one warp at a time, in its usual
//! order, unless the debugger moves a warp ahead of its turn. Deviations from the usual order and the debugger's
//! changes are recorded; the device is deterministic. So any moment of the past can be reached again from a snapshot
//! before it:
//!
//! ```text
//!   snapshot          snapshot          snapshot              end: nothing is known of what follows
//! ---|-----------------|-----------------|---------------x------|
//!    0               65536            131072            time: instructions of warps so far
//! ```
//!
//! A snapshot has everything that a run changes (`history`); for memory, the contents of each chunk before the first
//! store to it. The functional model runs, whatever the device's model is, and cores take turns.

mod edit;
mod history;
mod lanes;
mod memory;
mod order;
mod search;

use super::registers::lanes_of;
use super::run::Run;
use super::trap::{Trap, TrapKind, Waiting};
use super::warp::State;
use edit::Edits;
use history::History;
pub use lanes::LaneState;
use lanes::Parked;
pub use memory::{Access, Watched};
use order::{Next, Order};
pub use search::{Stop, Stops};

/// A warp of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpId {
    /// Core of the device, from 0.
    pub core: u32,
    /// Warp of the core, from 0.
    pub warp: u32,
}

/// Who drives a run, such as a debugger: [`Terms::driven`](crate::debug::Terms::driven) takes one.
pub trait Drive {
    /// Drives a run as far as it likes. When it is done, the run continues to its end by itself.
    ///
    /// # Errors
    /// A trap that the run is to end with here, such as [`Stepper::ended`].
    fn drive(&mut self, stepper: &mut Stepper<'_>) -> Result<(), Box<Trap>>;
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A warp has executed an instruction.
    Executed {
        /// The warp that executed it.
        warp: WarpId,
        /// Address of the instruction.
        pc: u32,
        /// The lanes that did, one bit each.
        lanes: u32,
    },
    /// A warp cannot execute its next instruction, or all wait for each other. Nothing follows.
    Trapped(Box<Trap>),
    /// All warps have ended.
    Over,
}

/// A run that goes as far as requested.
pub struct Stepper<'a> {
    run: Run<'a>,
    /// Instructions of warps so far.
    time: u64,
    /// The latest moment that has been reached. What happens until then is known.
    end: u64,
    order: Order,
    edits: Edits,
    parked: Parked,
    history: History,
}

impl<'a> Stepper<'a> {
    /// Begins with a run whose warps are where they start.
    pub(super) fn new(run: Run<'a>) -> Stepper<'a> {
        let warps = run.cores.len() * run.config.warps as usize;
        let mut stepper = Stepper {
            run,
            time: 0,
            end: 0,
            order: Order::default(),
            edits: Edits::default(),
            parked: Parked::new(warps),
            history: History::default(),
        };
        stepper.order.settle(&mut stepper.run);
        stepper.keep();
        stepper
    }

    /// Runs to the end without being watched.
    pub(super) fn finish(mut self) -> Result<(), Box<Trap>> {
        self.run.finish()
    }

    /// The moment that the run is at: how many instructions warps have executed since it began.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The latest moment that has been reached: further back, what comes next is known.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The trap that a driver returns to end the run here: it says that the debugger has.
    #[must_use]
    pub fn ended(&self) -> Box<Trap> {
        self.run.trap_of_first(TrapKind::Ended)
    }

    /// Number of cores of the device, warps of each core, and lanes of each warp.
    #[must_use]
    pub fn shape(&self) -> [u32; 3] {
        let config = self.run.config;
        [config.cores, config.warps, config.threads]
    }

    /// The warp that executes the next instruction. `None`: all have ended, or none can.
    #[must_use]
    pub fn next(&self) -> Option<WarpId> {
        match self.order.detour(self.time) {
            Some(warp) => Some(warp),
            None => match self.order.next() {
                Next::Warp(warp) => Some(warp),
                Next::Over | Next::Deadlock => None,
            },
        }
    }

    /// Whether all warps have ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.next().is_none() && self.order.next() == Next::Over
    }

    /// Executes one instruction of the warp whose turn it is ([`Stepper::next`]), if there is one.
    pub fn step(&mut self) -> Step {
        match self.next() {
            Some(warp) => self.execute(warp),
            None if self.is_over() => Step::Over,
            None => Step::Trapped(self.run.deadlock()),
        }
    }

    /// Executes one instruction of this warp, if it is ready; else of the one whose turn it is. In the past, what
    /// happens next is known, and happens.
    pub fn step_warp(&mut self, warp: WarpId) -> Step {
        if self.time < self.end || !self.is_ready(warp) {
            return self.step();
        }
        if self.next() != Some(warp) {
            self.order.insist(self.time, warp);
        }
        self.execute(warp)
    }

    fn execute(&mut self, id: WarpId) -> Step {
        let (core, warp) = (id.core as usize, id.warp as usize);
        let state = &self.run.cores[core].warps[warp];
        let (pc, lanes) = (state.pc, state.mask());
        let before = self.parked.look(&mut self.run, core, warp);
        if let Some(access) = self.access(id)
            && access.is_write
        {
            self.preserve(&access);
        }
        if let Err(trap) = self.run.slice(core, warp, 1) {
            return Step::Trapped(trap);
        }
        self.parked.note(&self.run, core, warp, before);
        self.order.executed(self.time, id);
        self.time += 1;
        if self.time > self.end {
            self.end = self.time;
        }
        self.arrive();
        let warp = id;
        Step::Executed { warp, pc, lanes }
    }

    /// Another moment has come: what is to be changed then is changed, and it is determined who is next.
    fn arrive(&mut self) {
        self.order.settle(&mut self.run);
        self.apply_edits();
        if self.history.is_due(self.time) {
            self.keep();
        }
    }

    /// Whether a warp can execute an instruction now. Warps that there are not cannot.
    #[must_use]
    pub fn is_ready(&self, id: WarpId) -> bool {
        self.state(id) == Some(State::Ready)
    }

    /// Whether a warp has started, and has not ended.
    #[must_use]
    pub fn is_running(&self, id: WarpId) -> bool {
        self.state(id).is_some_and(|state| state != State::Idle)
    }

    fn state(&self, id: WarpId) -> Option<State> {
        let core = self.run.cores.get(id.core as usize)?;
        Some(core.warps.get(id.warp as usize)?.state)
    }

    /// Where a warp waits, if it does, and for what.
    #[must_use]
    pub fn waits(&self, id: WarpId) -> Option<Waiting> {
        self.state(id)?;
        self.run.waiting(id.core as usize, id.warp as usize)
    }

    /// Address of a warp's next instruction; 0 of a warp that there is not.
    #[must_use]
    pub fn pc(&self, id: WarpId) -> u32 {
        self.warp(id).map_or(0, |warp| warp.pc)
    }

    /// The active lanes of a warp, one bit each, lane 0 lowest; none of a warp that does not run.
    #[must_use]
    pub fn active(&self, id: WarpId) -> u32 {
        self.warp(id).map_or(0, |warp| match warp.state {
            State::Idle => 0,
            _ => warp.mask(),
        })
    }

    /// The active lanes of a warp, lowest first.
    pub fn active_lanes(&self, id: WarpId) -> impl Iterator<Item = u32> + use<> {
        lanes_of(self.active(id))
    }

    fn warp(&self, id: WarpId) -> Option<&super::warp::Warp> {
        let core = self.run.cores.get(id.core as usize)?;
        core.warps.get(id.warp as usize)
    }

    fn warp_mut(&mut self, id: WarpId) -> Option<&mut super::warp::Warp> {
        let core = self.run.cores.get_mut(id.core as usize)?;
        core.warps.get_mut(id.warp as usize)
    }
}
