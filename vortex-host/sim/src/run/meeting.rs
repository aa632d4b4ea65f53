//! Where warps meet: barriers of a core, their phases, and barriers of the whole device.

use super::Run;
use super::shared::Shared;
use crate::config::Config;
use crate::core::{ArrivedFor, Barrier, Core};
use crate::registers::lanes_of;
use crate::trap::{Trap, TrapKind, Waiting};
use crate::warp::State;
use vortex_isa::GLOBAL_BARRIER;

/// The barriers of the whole device.
pub(crate) enum Meeting<'a> {
    /// All cores are in this run: per barrier, those that wait there.
    Own(&'a mut Vec<Vec<u32>>),
    /// Other threads have cores too.
    Shared(&'a Shared),
}

/// What a warp does at a barrier.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    /// Which barrier.
    pub(super) id: u32,
    /// How many there must be.
    pub(super) expected: u32,
    /// It waits for them.
    pub(super) waits: bool,
}

impl Core {
    /// Lets the warps that wait at a barrier of the device continue, by its state, and begins its next phase. Returns a
    /// mask of them.
    fn go_on(&mut self, state: usize, config: &Config) -> u32 {
        let is_here = |id: u32| config.barrier_state(id) == Some(state as u32);
        let mut met = 0;
        for (n, warp) in self.warps.iter_mut().enumerate() {
            let waits = match warp.state {
                State::GlobalBarrier { id, .. } => is_here(id),
                State::Phase { id, .. } => id & GLOBAL_BARRIER != 0 && is_here(id),
                State::Idle | State::Ready | State::Barrier { .. } | State::Spawn { .. } => false,
            };
            if waits {
                warp.state = State::Ready;
                met |= 1 << n;
            }
        }
        self.barriers[state].complete();
        met
    }
}

impl Run<'_> {
    /// The state of a barrier that there is.
    pub(crate) fn barrier(&self, id: u32) -> usize {
        self.config.barrier_state(id).unwrap_or_default() as usize
    }

    /// The phase that a barrier is in.
    pub(super) fn phase(&self, core: usize, id: u32) -> u32 {
        self.cores[core].barriers[self.barrier(id)].phase & 1
    }

    /// Lets warps of a core that wait at barriers of the device continue, given by the places where cores meet.
    pub(super) fn release(&mut self, core: usize, places: &[usize]) {
        for &place in places {
            let state = place % self.config.barrier_states() as usize;
            self.cores[core].go_on(state, self.config);
        }
    }

    /// A warp has reached a barrier, with its program counter after that.
    pub(super) fn meet(
        &mut self,
        core: usize,
        warp: usize,
        arrival: Arrival,
    ) -> Result<(), Box<Trap>> {
        let Arrival { id, expected, .. } = arrival;
        let first = self
            .mismatch(id, expected, core)
            .or_else(|| self.arrive(core, warp, arrival));
        match first {
            Some(first) => {
                let kind = TrapKind::BarrierMismatch { expected, first };
                Err(self.trap_before(core, warp, kind))
            }
            None => Ok(()),
        }
    }

    /// A warp is to wait while a barrier is in this phase. Returns whether it does.
    pub(super) fn await_phase(
        &mut self,
        core_index: usize,
        warp_index: usize,
        id: u32,
        phase: u32,
    ) -> bool {
        let state = self.barrier(id);
        let is_over = self.phase(core_index, id) != phase;
        let core = &mut self.cores[core_index];
        if is_over {
            if let Some(races) = &mut self.races {
                races.wait(core.state.id, warp_index as u32, state as u32);
            }
            return false;
        }
        core.barriers[state].waiting |= 1 << warp_index;
        core.warps[warp_index].state = State::Phase { id, phase };
        true
    }

    /// A warp has reached a barrier. Returns who waits there for another count, if that matters and is a core of
    /// another thread.
    fn arrive(
        &mut self,
        core_index: usize,
        warp_index: usize,
        arrival: Arrival,
    ) -> Option<Waiting> {
        let Arrival {
            id,
            expected,
            waits,
        } = arrival;
        let state = self.barrier(id);
        let has_phases = self.config.hardware().has_phases();
        let core = &mut self.cores[core_index];
        let barrier = &mut core.barriers[state];
        barrier.arrived += 1;
        barrier.here |= 1 << warp_index;
        if has_phases && let Some(races) = &mut self.races {
            races.arrive(core.state.id, warp_index as u32, state as u32);
        }
        if id & GLOBAL_BARRIER == 0 {
            if waits {
                barrier.waiting |= 1 << warp_index;
                core.warps[warp_index].state = State::Barrier { id, expected };
            }
            if barrier.arrived != expected {
                return None;
            }
            if barrier.copies != 0 {
                // All are here, and the last copy to end would end the phase.
                barrier.arrived = 0;
                return None;
            }
            let met = barrier.complete();
            if let Some(races) = &mut self.races {
                match has_phases {
                    true => races.end_phase(core.state.id, state as u32, met),
                    false => races.meet_core(core.state.id, met),
                }
            }
            for warp in lanes_of(met) {
                core.warps[warp as usize].state = State::Ready;
            }
            return None;
        }
        let id = id & !GLOBAL_BARRIER;
        if waits {
            core.warps[warp_index].state = State::GlobalBarrier { id, expected };
        }
        // The core is there once all of its warps are.
        if barrier.here != core.active_warps() || core.barriers[state].copies != 0 {
            return None;
        }
        core.barriers[state] = Barrier {
            phase: core.barriers[state].phase,
            ..Barrier::default()
        };
        let here = match &self.global {
            Meeting::Shared(_) => self.waiting(core_index, warp_index),
            Meeting::Own(_) => None,
        };
        let id = self.cores[core_index].state.id;
        let place = self.config.meeting_place(id, state);
        let waiting = match &mut self.global {
            Meeting::Own(waiting) => &mut waiting[place],
            Meeting::Shared(shared) => {
                let first = shared.arrive(id, place, expected, here);
                return first.filter(|_| self.config.checks.barriers);
            }
        };
        waiting.push(core_index as u32);
        if waiting.len() as u32 == expected {
            let mut met = Vec::new();
            for core in std::mem::take(waiting) {
                let warps = self.cores[core as usize].go_on(state, self.config);
                met.extend(lanes_of(warps).map(|warp| (core, warp)));
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
        if id & GLOBAL_BARRIER == 0 {
            let other = self.waiting_at(id, core_index).find(|&warp| {
                let state = self.cores[core_index].warps[warp].state;
                matches!(state, State::Barrier { expected: count, .. } if count != expected)
            })?;
            return self.waiting(core_index, other);
        }
        let cluster = |core: usize| self.config.cluster(self.cores[core].state.id);
        let own = cluster(core_index);
        let (core, warp) = (0..self.cores.len())
            .filter(|&core| cluster(core) == own)
            .flat_map(|core| (0..self.config.warps as usize).map(move |warp| (core, warp)))
            .find(|&(core, warp)| {
                matches!(
                    self.cores[core].warps[warp].state,
                    State::GlobalBarrier { id: at, expected: count }
                        if at | GLOBAL_BARRIER == id && count != expected
                )
            })?;
        self.waiting(core, warp)
    }

    /// The warps that wait at a barrier of a core until as many have come as it takes.
    fn waiting_at(&self, id: u32, core_index: usize) -> impl Iterator<Item = usize> {
        let core = &self.cores[core_index];
        let waiting = core.barriers[self.barrier(id)].waiting;
        let is_at = move |warp: &usize| matches!(core.warps[*warp].state, State::Barrier { id: at, .. } if at == id);
        lanes_of(waiting).map(|warp| warp as usize).filter(is_at)
    }

    /// A warp that waits at a barrier of the core for those that come to another place of the program, or work on
    /// something else, as far as the program is known, and if that matters.
    pub(super) fn elsewhere(&self, id: u32, core_index: usize, own: usize) -> Option<Waiting> {
        if id & GLOBAL_BARRIER != 0 || !self.config.checks.barriers {
            return None;
        }
        let mut waiting = self.waiting_at(id, core_index).peekable();
        waiting.peek()?;
        let place = self.place(core_index, own)?;
        let other = waiting.find(|&other| {
            let other = self.place(core_index, other);
            other.is_some_and(|other| other.is_apart_from(place))
        })?;
        self.waiting(core_index, other)
    }

    /// As [`Run::elsewhere`], of a warp that arrives and need not wait; the other one has arrived like that, and waits
    /// by now.
    pub(super) fn arrived_elsewhere(
        &mut self,
        id: u32,
        core_index: usize,
        own: usize,
    ) -> Option<Waiting> {
        let place = self.place(core_index, own)?;
        let state = self.barrier(id);
        let core = &mut self.cores[core_index];
        let first = *core.barriers[state].first.get_or_insert(place);
        let waits = |state: State| matches!(state, State::Phase { id: at, .. } if at == id);
        let is_apart = first.is_apart_from(place) && waits(core.warps[first.warp as usize].state);
        is_apart.then(|| self.waiting(core_index, first.warp as usize))?
    }

    /// Which barrier of the program a warp has reached, and for what, if that matters.
    fn place(&self, core_index: usize, warp_index: usize) -> Option<ArrivedFor> {
        let notes = self.notes.filter(|_| self.config.checks.barriers)?;
        let warp = &self.cores[core_index].warps[warp_index];
        let note = notes.at(warp.pc.wrapping_sub(4));
        let counted = note.work;
        (note.meeting != 0).then(|| ArrivedFor {
            warp: warp_index as u32,
            meeting: note.meeting,
            work: counted.and_then(|at| at.word(warp, self.memory, warp.last_lane())),
        })
    }
}
