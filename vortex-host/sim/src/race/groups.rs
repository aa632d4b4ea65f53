//! What orders warps on Vortex 3 besides barriers: slots, which a group leaves before the next one enters it, and
//! barriers at which some arrive and others wait.

use super::Races;
use super::clock::Vector;
use crate::registers::lanes_of;

/// What was left for later warps in this launch. It is not allocated until something is left.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    /// By the groups that had a slot, in the order of warps.
    slots: Vec<Vector>,
    /// By those who arrived at a barrier, in the order of cores and their barriers' states.
    barriers: Vec<Arrivals>,
    is_used: bool,
}

#[derive(Clone, Debug, Default)]
struct Arrivals {
    /// In the phase that is under way.
    now: Vector,
    /// In those before.
    before: Vector,
}

impl Left {
    /// A launch begins.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_used) {
            self.slots.iter_mut().for_each(Vector::clear);
            for arrivals in &mut self.barriers {
                arrivals.now.clear();
                arrivals.before.clear();
            }
        }
    }

    /// By the groups of the slot with this number.
    fn slot(&mut self, number: usize) -> &mut Vector {
        self.is_used = true;
        at(&mut self.slots, number)
    }

    fn barrier(&mut self, number: usize) -> &mut Arrivals {
        self.is_used = true;
        at(&mut self.barriers, number)
    }
}

/// An element of a list that becomes as long as it takes.
fn at<T: Default>(list: &mut Vec<T>, number: usize) -> &mut T {
    if number >= list.len() {
        list.resize_with(number + 1, T::default);
    }
    &mut list[number]
}

/// The most barriers that a slot can have.
const BARRIERS: u32 = 8;

impl Races {
    /// A warp of a group has ended: what it did is past for the next group in the slot.
    pub(crate) fn leave_slot(&mut self, core: u32, warp: u32, slot: u32) {
        let index = self.index(core, warp);
        let slot = self.index(core, slot);
        let left = self.left_behind.slot(slot);
        self.clocks[index].publish(left);
        self.tick(core, warp);
    }

    /// A warp begins with a group in a slot.
    pub(crate) fn enter_slot(&mut self, core: u32, warp: u32, slot: u32) {
        let started = &mut self.started[core as usize];
        *started = (warp + 1).max(*started);
        let index = self.index(core, warp);
        let slot = self.index(core, slot);
        self.clocks[index].seen.join(self.left_behind.slot(slot));
        self.tick(core, warp);
        if let Some(lockstep) = &mut self.lockstep {
            lockstep.meet_all(core, warp);
        }
    }

    fn barrier_number(&self, core: u32, barrier: u32) -> usize {
        (core * self.warps * BARRIERS + barrier) as usize
    }

    /// A warp arrives at a barrier of its core, and may not wait there.
    pub(crate) fn arrive(&mut self, core: u32, warp: u32, barrier: u32) {
        let number = self.barrier_number(core, barrier);
        let index = self.index(core, warp);
        let arrivals = self.left_behind.barrier(number);
        self.clocks[index].publish(&mut arrivals.now);
        self.tick(core, warp);
        if let Some(lockstep) = &mut self.lockstep {
            lockstep.arrive(core, warp);
        }
    }

    /// A phase of a barrier is over, for which the warps of this mask have waited.
    pub(crate) fn end_phase(&mut self, core: u32, barrier: u32, waited: u32) {
        let number = self.barrier_number(core, barrier);
        let arrivals = self.left_behind.barrier(number);
        arrivals.before.join(&arrivals.now);
        arrivals.now.clear();
        for warp in lanes_of(waited) {
            self.wait(core, warp, barrier);
        }
    }

    /// A warp has waited for the end of a phase: what those did who arrived until then is past for it.
    pub(crate) fn wait(&mut self, core: u32, warp: u32, barrier: u32) {
        let number = self.barrier_number(core, barrier);
        let index = self.index(core, warp);
        let arrivals = self.left_behind.barrier(number);
        self.clocks[index].seen.join(&arrivals.before);
        self.tick(core, warp);
        if let Some(lockstep) = &mut self.lockstep {
            lockstep.wait(core, warp);
        }
    }
}
