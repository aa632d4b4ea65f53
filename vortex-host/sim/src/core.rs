//! A core: its warps, barriers and local memory, and what the cores share.

use std::collections::HashMap;

use super::config::Config;
use super::dispatch::{Dispatcher, Launch};
use super::executed::Executed;
use super::layout::{LOCAL, UNINITIALISED};
use super::local_shadow::LocalShadow;
use super::memory::{CHUNK_BITS, Chunk};
use super::race::Races;
use super::timing::Counters;
use super::trap::Origin;
use super::warp::{State, Warp};

/// A range of memory that a core may access, remembered from the last time it was looked up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    pub(crate) first: u32,
    /// The last byte's distance from the first.
    pub(crate) span: u32,
    pub(crate) reads: bool,
    /// May be written, and holds nothing that was decoded.
    pub(crate) writes: bool,
    /// As [`Range`](super::protection::Range) says.
    pub(crate) host: bool,
    /// All of it was written, or it does not matter.
    pub(crate) defined: bool,
}

impl Window {
    /// Whether an access of so many bytes is in it, and aligned.
    #[inline]
    pub(crate) fn holds(&self, address: u32, size: u32) -> bool {
        let most = self.span.checked_sub(size - 1);
        address.is_multiple_of(size)
            && most.is_some_and(|most| address.wrapping_sub(self.first) <= most)
    }
}

const WINDOWS: usize = 32;

/// What the warps of a core share.
#[derive(Clone)]
pub(crate) struct CoreState {
    pub(crate) id: u32,
    /// What its warps share, where they do.
    pub(crate) mscratch: u32,
    pub(crate) local: Chunk,
    /// The bits of local memory that hold no value, if that matters.
    pub(crate) local_shadow: Option<LocalShadow>,
    /// Where bits without a value came from that a program has stored, by the address of the word: whoever loads them
    /// again learns where they were first loaded.
    pub(crate) copied: HashMap<u32, Origin>,
    /// Instructions of warps.
    pub(crate) instructions: u64,
    /// Instructions times active lanes.
    pub(crate) lane_instructions: u64,
    /// The most splits that a warp had open at a time, of those whose lanes disagreed.
    pub(crate) split_depth: u32,
    /// The cycle that the device is in, where the model knows.
    pub(crate) clock: Option<u64>,
    /// Performance counters, likewise.
    pub(crate) counters: Counters,
    /// Instructions by kind, likewise, on Vortex 3.
    pub(crate) executed: Executed,
    windows: [Window; WINDOWS],
}

impl CoreState {
    /// Cycles; of the functional model, an instruction each.
    pub(crate) fn cycles(&self) -> u64 {
        self.clock.unwrap_or(self.instructions)
    }

    /// What was last reached through a register.
    #[inline(always)]
    pub(crate) fn window(&self, register: u8) -> &Window {
        &self.windows[usize::from(register) % WINDOWS]
    }

    #[inline]
    pub(crate) fn window_mut(&mut self, register: u8) -> &mut Window {
        &mut self.windows[usize::from(register) % WINDOWS]
    }

    /// Forgets what may be accessed.
    pub(crate) fn forget_windows(&mut self) {
        self.windows = [Window::default(); WINDOWS];
    }
}

/// A core and its warps.
#[derive(Clone)]
pub(crate) struct Core {
    pub(crate) state: CoreState,
    pub(crate) warps: Vec<Warp>,
    pub(crate) barriers: Vec<Barrier>,
    pub(crate) dispatcher: Dispatcher,
}

/// Copies that a barrier of Vortex 3 can wait for (`MAX_BAR_EVENTS`); it counts them modulo the power of two above.
pub(crate) const MOST_COPIES: u32 = 32;

/// A barrier of a core.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    /// A mask of the warps that wait there.
    pub(crate) waiting: u32,
    /// How often warps have arrived in this phase.
    pub(crate) arrived: u32,
    /// A mask of the warps that have arrived in this phase, waiting or not.
    pub(crate) here: u32,
    /// Copies that it waits for besides.
    pub(crate) copies: u32,
    /// How often as many have arrived as it takes.
    pub(crate) phase: u32,
    /// What the first of them has arrived for, if it need not wait and that matters.
    pub(crate) first: Option<ArrivedFor>,
}

/// Where a warp has arrived at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArrivedFor {
    /// Which warp.
    pub(crate) warp: u32,
    /// The number of the place in the program.
    pub(crate) meeting: u32,
    /// What the warp works on, as far as it is known.
    pub(crate) work: Option<u32>,
}

impl ArrivedFor {
    /// Whether it is another place than that of another warp, or another work group.
    pub(crate) fn is_apart_from(self, other: ArrivedFor) -> bool {
        self.meeting != other.meeting
            || self
                .work
                .zip(other.work)
                .is_some_and(|(own, other)| own != other)
    }
}

impl Barrier {
    /// Has it wait for more copies.
    pub(crate) fn expect(&mut self, copies: u32) {
        self.copies = (self.copies + copies) % (2 * MOST_COPIES);
    }

    /// All have arrived. Returns a mask of the warps that may continue.
    pub(crate) fn complete(&mut self) -> u32 {
        let waiting = self.waiting;
        *self = Barrier {
            phase: self.phase.wrapping_add(1),
            ..Barrier::default()
        };
        waiting
    }
}

impl Core {
    pub(crate) fn new(id: u32, config: &Config) -> Core {
        let state = CoreState {
            id,
            mscratch: 0,
            local: Chunk::filled(UNINITIALISED),
            local_shadow: config.checks.uninitialised.then(LocalShadow::new),
            copied: HashMap::new(),
            instructions: 0,
            lane_instructions: 0,
            split_depth: 0,
            clock: None,
            counters: Counters::default(),
            executed: Executed::default(),
            windows: [Window::default(); WINDOWS],
        };
        Core {
            state,
            warps: (0..config.warps).map(|_| Warp::new(config)).collect(),
            barriers: vec![Barrier::default(); config.barrier_states() as usize],
            dispatcher: Dispatcher::new(config),
        }
    }

    /// As after a reset. Local memory keeps its contents, which nothing may rely on.
    pub(crate) fn reset(&mut self, argument: u32, config: &Config) {
        if let Some(shadow) = &mut self.state.local_shadow {
            let room = match config.checks.unmapped {
                true => config.local_mem,
                false => LOCAL.wrapping_neg(),
            };
            shadow.reset(room);
        }
        self.state.copied.clear();
        self.state.mscratch = argument;
        self.state.instructions = 0;
        self.state.lane_instructions = 0;
        self.state.split_depth = 0;
        self.state.clock = None;
        self.state.counters = Counters::default();
        self.state.executed = Executed::default();
        self.state.forget_windows();
        self.warps.iter_mut().for_each(Warp::reset);
        self.barriers.fill(Barrier::default());
        self.dispatcher.reset();
    }

    /// About how much host memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let chunks = 1 + usize::from(self.state.local_shadow.is_some());
        let warps = self.warps.iter().map(Warp::bytes);
        (chunks << CHUNK_BITS) + warps.sum::<usize>()
    }

    /// Mask of the warps that have not ended.
    #[inline]
    pub(crate) fn active_warps(&self) -> u32 {
        self.warps.iter().enumerate().fold(0, |mask, (n, warp)| {
            mask | u32::from(warp.state != State::Idle) << n
        })
    }

    /// Starts a warp with one lane.
    pub(crate) fn start(&mut self, warp: u32, pc: u32, config: &Config) {
        let hart = (self.state.id * config.warps + warp) * config.threads;
        self.warps[warp as usize].start(pc, hart, config);
    }

    /// Starts the next warp of a group if one is pending and a slot is free; returns whether it did.
    pub(crate) fn dispatch(
        &mut self,
        launch: &Launch,
        config: &Config,
        races: Option<&mut Races>,
    ) -> bool {
        let idle = |warp: &Warp| warp.state == State::Idle;
        let Some(free) = self.warps.iter().position(idle) else {
            return false;
        };
        let dispatcher = &mut self.dispatcher;
        let next = || launch.take();
        if !dispatcher.is_starting() && dispatcher.take(launch, config, next).is_none() {
            return false;
        }
        self.start_next(free, launch, config, races);
        true
    }

    /// Starts a warp as the next of the group taken last.
    pub(crate) fn start_next(
        &mut self,
        free: usize,
        launch: &Launch,
        config: &Config,
        races: Option<&mut Races>,
    ) {
        let Some((group, pc)) = self.dispatcher.next(free, launch) else {
            return;
        };
        if let Some(races) = races {
            races.enter_slot(self.state.id, free as u32, group.slot);
        }
        self.start(free as u32, pc, config);
        let left = group.grid.group_size() - group.rank * config.threads;
        let lanes = left.min(config.threads);
        let warp = &mut self.warps[free];
        warp.set_mask(u32::MAX >> (32 - lanes), config.all_lanes());
        warp.scratch = launch.argument();
        warp.group = group;
    }
}

/// The reservations of `lr.w`: one per core, by address, with the word that was there.
#[derive(Clone, Debug)]
pub(crate) struct Reservations {
    by_core: Vec<Option<(u32, u32)>>,
    any: bool,
}

impl Reservations {
    pub(crate) fn new(cores: u32) -> Reservations {
        Reservations {
            by_core: vec![None; cores as usize],
            any: false,
        }
    }

    /// Whether a store could matter to anybody.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    pub(crate) fn reserve(&mut self, core: u32, address: u32, word: u32) {
        self.by_core[core as usize] = Some((address, word));
        self.any = true;
    }

    /// The word that a core has reserved at an address.
    pub(crate) fn held(&self, core: u32, address: u32) -> Option<u32> {
        let (reserved, word) = self.by_core[core as usize]?;
        (reserved == address).then_some(word)
    }

    pub(crate) fn holds(&self, core: u32, address: u32) -> bool {
        self.held(core, address).is_some()
    }

    /// A store ends the reservation of its own core, wherever it goes, and those of others for the same word.
    #[inline]
    pub(crate) fn written(&mut self, core: u32, address: u32) {
        if self.any {
            for (n, reserved) in self.by_core.iter_mut().enumerate() {
                if n == core as usize || reserved.is_some_and(|(at, _)| at == address & !3) {
                    *reserved = None;
                }
            }
            self.any = self.by_core.iter().any(Option::is_some);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.by_core.fill(None);
        self.any = false;
    }
}
