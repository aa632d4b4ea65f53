//! The part of a core that the hardware hands work groups to (Vortex 3's `VX_cta_dispatch`): it takes a group when it
//! has a slot for one, and then starts a warp in each cycle, as warps become free.

use super::{Core, Fetch};
use crate::registers::lanes_of;
use crate::timing::program::{GroupShape, Program};

/// Cycles from the end of a warp until its group's count is right.
const RETIREMENT: u64 = 3;

#[derive(Debug)]
pub(super) struct Dispatcher {
    shape: GroupShape,
    /// Of each slot, the warps that its group has not ended.
    slots: Vec<u32>,
    /// The slot that is next.
    tail: usize,
    /// Of each warp, the slot of its group, if it runs for one: warps can start others.
    slot_of: Vec<Option<usize>>,
    /// Of the group taken last: its slot, its warps that were not started, and the mask of those chosen for it.
    slot: usize,
    left: u32,
    chosen: u32,
    /// The warp that starts in this cycle.
    starting: Option<u8>,
    /// Ends of warps under way: when they count, and in which slot.
    ending: Vec<(u64, usize)>,
    /// A slot's count is written in this cycle, in which no group is taken.
    writes: u64,
}

impl Dispatcher {
    pub(super) fn new(shape: GroupShape, warps: u32) -> Dispatcher {
        Dispatcher {
            shape,
            slots: vec![0; shape.slots],
            tail: 0,
            slot_of: vec![None; warps as usize],
            slot: 0,
            left: 0,
            chosen: 0,
            starting: None,
            ending: Vec::new(),
            writes: 0,
        }
    }

    /// Whether it has nothing to do.
    pub(super) fn rests(&self) -> bool {
        self.left == 0 && self.starting.is_none() && self.ending.is_empty()
    }

    /// Whether it would take a group in this cycle: not while the end of a warp is counted.
    fn takes(&self, now: u64) -> bool {
        let counts = self.writes == now || self.ending.iter().any(|&(when, _)| when == now);
        self.left == 0 && self.slots[self.tail] == 0 && !counts
    }

    /// Whether a cycle changes nothing until a warp ends.
    fn is_still(&self, live: u32, all: u32, more: bool) -> bool {
        let chooses = self.left > 0 && !(live | self.chosen) & all != 0;
        let takes = more && self.left == 0 && self.slots[self.tail] == 0;
        self.starting.is_none() && self.ending.is_empty() && !chooses && !takes
    }

    /// A warp has ended.
    pub(super) fn ended(&mut self, now: u64, warp: usize) {
        if let Some(slot) = self.slot_of[warp].take() {
            self.ending.push((now + RETIREMENT, slot));
        }
    }
}

impl Core {
    /// Whether it would take a work group in this cycle.
    pub(in super::super) fn takes_group(&self, now: u64) -> bool {
        self.dispatcher
            .as_ref()
            .is_some_and(|dispatcher| dispatcher.takes(now))
    }

    /// Whether there is nothing for the dispatcher to do until a warp ends.
    pub(super) fn dispatcher_is_still(&self, more: bool) -> bool {
        let all = u32::MAX >> (32 - self.warps.len());
        self.dispatcher
            .as_ref()
            .is_none_or(|dispatcher| dispatcher.is_still(self.live, all, more))
    }

    /// Moves the dispatcher on. `offered`: the number of a group for this core; returns whether it took that.
    pub(super) fn dispatch<P: Program>(
        &mut self,
        now: u64,
        program: &mut P,
        offered: Option<u64>,
    ) -> bool {
        let Some(dispatcher) = &mut self.dispatcher else {
            return false;
        };
        dispatcher.ending.retain(|&(when, slot)| {
            if when == now {
                dispatcher.slots[slot] -= 1;
                dispatcher.writes = now;
            }
            when != now
        });
        if dispatcher.left == 0 {
            let group = offered.filter(|_| dispatcher.takes(now));
            if let Some(number) = group {
                let slot = program.take_group(self.id, number);
                dispatcher.slots[slot] = dispatcher.shape.warps;
                dispatcher.tail = (slot + 1) % dispatcher.slots.len();
                dispatcher.left = dispatcher.shape.warps;
                dispatcher.chosen = 0;
                dispatcher.slot = slot;
            }
            self.dispatching = group.is_some();
            return self.dispatching;
        }
        self.dispatching = true;
        let started = dispatcher.starting.take();
        let all = u32::MAX >> (32 - self.warps.len());
        if let Some(warp) = lanes_of(!(self.live | dispatcher.chosen) & all).next() {
            dispatcher.chosen |= 1 << warp;
            dispatcher.starting = Some(warp as u8);
        }
        if let Some(warp) = started {
            let index = usize::from(warp);
            dispatcher.slot_of[index] = Some(dispatcher.slot);
            dispatcher.left -= 1;
            if dispatcher.left == 0 {
                dispatcher.starting = None;
            }
            program.start_warp(self.id, index);
            let pc = program.pc(self.id, index);
            (self.warps[index].pc, self.warps[index].fetched) = (pc, pc);
            self.set(index, Fetch::Fetching);
            self.hold_until(now + 1, warp);
        }
        false
    }
}
