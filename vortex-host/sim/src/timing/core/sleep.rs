//! Cycles in which nothing in a core moves.
//!
//! What a stage does in a cycle depends on what was inside when the cycle began, and on the stages around it. So if
//! nothing moved in a cycle, nothing does in the next, until something comes from outside: an answer, room on the way
//! to the data cache, a barrier of the device. Such cycles are counted when the core wakes.

use super::{Blocked, Core, Memory, Program, Socket, Table};

/// A core that waits.
#[derive(Clone, Debug, Default)]
pub(super) struct Sleep {
    asleep: bool,
    /// Cycles slept and not yet counted.
    cycles: u64,
    /// What keeps each slice from issuing, in every one of them.
    blocked: Vec<Blocked>,
    /// The coalescer waits until its last requests have left.
    sending: bool,
}

impl Core {
    /// Sleeps through this cycle, or wakes up. Returns whether it slept.
    pub(super) fn sleeps<P: Program>(&mut self, memory: &mut Memory, table: &mut Table) -> bool {
        if !self.sleep.asleep {
            return false;
        }
        let Socket { icache, dcache, .. } = &mut memory.sockets[self.socket];
        let called = !icache.answers(self.slot, 0).is_empty()
            || dcache.has_answers(self.slot)
            || self.sleep.sending && dcache.has_sent(self.slot);
        if !called {
            self.sleep.cycles += 1;
            return true;
        }
        self.rouse::<P>(table);
        false
    }

    /// Counts the cycles slept. The core continues as if it had been awake all the time.
    pub(in super::super) fn rouse<P: Program>(&mut self, table: &mut Table) {
        self.sleep.asleep = false;
        let cycles = std::mem::take(&mut self.sleep.cycles);
        if cycles == 0 {
            return;
        }
        self.counts.scheduler_idle += cycles;
        self.counts.fetch_latency += cycles * self.counts.fetching;
        self.lsu.wait(cycles);
        self.busy_cycles += cycles * u64::from(self.was_active || self.dispatching);
        if P::RECORDS
            && let Some(recorder) = &mut self.recorder
        {
            recorder.now += cycles;
            self.observe(cycles, table);
        }
        for slice in 0..self.slices.len() {
            self.account::<P>(slice, self.sleep.blocked[slice], cycles, table);
        }
    }

    /// What every slice did in this cycle.
    pub(super) fn blocked(&self) -> &[Blocked] {
        &self.sleep.blocked
    }

    /// Notes what keeps a slice from issuing in this cycle.
    pub(super) fn note_blocked(&mut self, slice: usize, blocked: Blocked) {
        self.sleep.blocked[slice] = blocked;
    }

    /// Goes to sleep if nothing moved in this cycle.
    pub(super) fn doze(&mut self, now: u64, memory: &mut Memory, more_groups: bool) {
        let fetches = self.schedulable() != 0 || !self.scheduled.is_empty();
        let timed = !self.released.is_empty() || !self.retired.is_empty();
        let active = self.live.count_ones();
        let spawns = self.spawning.is_some() && (active == 1 || active != self.active);
        if fetches || timed || spawns || !self.is_still(now) {
            return;
        }
        if !self.dispatcher_is_still(more_groups) {
            return;
        }
        let Socket { icache, dcache, .. } = &mut memory.sockets[self.socket];
        if !icache.answers(self.slot, 0).is_empty() || dcache.has_answers(self.slot) {
            return;
        }
        self.sleep.sending = !dcache.has_sent(self.slot);
        self.sleep.asleep = true;
    }

    /// Whether nothing behind the fetch moved.
    fn is_still(&self, now: u64) -> bool {
        self.slices
            .iter()
            .all(|slice| slice.is_still(now, &self.uops))
            && self.sfu.is_empty()
            && !self.lsu_input.moved(now)
            && self.lsu.is_still(now)
            && self
                .sfu_funnel
                .is_still(now, &self.slices, super::Unit::Sfu, &self.sfu.input)
            && self
                .lsu_funnel
                .is_still(now, &self.slices, super::Unit::Lsu, &self.lsu_input)
    }
}

impl Sleep {
    pub(super) fn new(slices: usize) -> Sleep {
        Sleep {
            blocked: vec![Blocked::Empty; slices],
            ..Sleep::default()
        }
    }
}
