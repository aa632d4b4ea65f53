//! What orders warps on Vortex 3 beside its barriers of all: slots, which a group leaves before the next one enters it,
//! and barriers at which some arrive and others wait.

use super::clock::Vector;
use super::{Clock, Races};
use crate::warp::lanes_of;
use std::collections::HashMap;

/// What was left for those who come later, in this launch.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// By the groups that had a slot, by core and slot.
    slots: HashMap<(u32, u32), Vector>,
    /// By those who arrived at a barrier, by core and the barrier's state.
    barriers: HashMap<(u32, u32), Arrivals>,
}

#[derive(Debug, Default)]
struct Arrivals {
    /// In the phase that is under way.
    now: Vector,
    /// In those before.
    before: Vector,
}

impl Left {
    /// A launch begins.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.barriers.clear();
    }
}

impl Races {
    /// A warp of a group has ended: what it did is past for the next group in the slot.
    pub(crate) fn leave_slot(&mut self, core: u32, warp: u32, slot: u32) {
        let index = self.index(core, warp);
        let left = self.left_behind.slots.entry((core, slot)).or_default();
        self.clocks[index].publish(left);
        self.tick(core, warp);
    }

    /// A warp begins with a group in a slot.
    pub(crate) fn enter_slot(&mut self, core: u32, warp: u32, slot: u32) {
        let started = &mut self.started[core as usize];
        *started = (warp + 1).max(*started);
        let index = self.index(core, warp);
        if let Some(left) = self.left_behind.slots.get(&(core, slot)) {
            self.clocks[index].seen.join(left);
        }
        self.tick(core, warp);
        if let Some(lockstep) = &mut self.lockstep {
            lockstep.meet_all(core, warp);
        }
    }

    /// A warp arrives at a barrier of its core, and may not wait there.
    pub(crate) fn arrive(&mut self, core: u32, warp: u32, barrier: u32) {
        let index = self.index(core, warp);
        let arrivals = self
            .left_behind
            .barriers
            .entry((core, barrier))
            .or_default();
        self.clocks[index].publish(&mut arrivals.now);
        self.tick(core, warp);
    }

    /// A phase of a barrier is over, for which the warps of this mask have waited.
    pub(crate) fn end_phase(&mut self, core: u32, barrier: u32, waited: u32) {
        let arrivals = self
            .left_behind
            .barriers
            .entry((core, barrier))
            .or_default();
        arrivals.before.join(&arrivals.now);
        arrivals.now.clear();
        for warp in lanes_of(waited) {
            self.wait(core, warp, barrier);
        }
    }

    /// A warp has waited for the end of a phase: what those did who arrived until then is past for it.
    pub(crate) fn wait(&mut self, core: u32, warp: u32, barrier: u32) {
        let index = self.index(core, warp);
        let Clock { seen, .. } = &mut self.clocks[index];
        if let Some(arrivals) = self.left_behind.barriers.get(&(core, barrier)) {
            seen.join(&arrivals.before);
        }
        self.tick(core, warp);
        if let Some(lockstep) = &mut self.lockstep {
            lockstep.meet_all(core, warp);
        }
    }
}
