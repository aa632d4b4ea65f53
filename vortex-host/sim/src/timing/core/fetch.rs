//! Schedule, fetch and decode: which warp's instruction comes next.

use super::{
    Access, Core, Fetch, LINE_BITS, Memory, Program, Shared, TAG_MASK, Table, Uop, WarpState,
};
use crate::registers::lanes_of;

impl Core {
    /// Applies what took effect in earlier cycles.
    pub(super) fn release<P: Program>(&mut self, now: u64, program: &mut P) {
        for warp in lanes_of(self.released.take(now)) {
            let warp = warp as usize;
            if self.warps[warp].fetch == Fetch::Held {
                self.warps[warp].pc = program.pc(self.id, warp);
            }
            self.set(warp, Fetch::Ready);
        }
        for warp in lanes_of(self.retired.take(now)) {
            self.warps[warp as usize].pending -= 1;
        }
        let active = self.live.count_ones();
        if self.spawning.is_some_and(|since| since <= now)
            && self.active == 1
            && program.spawn(self.id)
        {
            self.spawning = None;
            for warp in 0..self.warps.len() {
                if program.is_ready(self.id, warp) {
                    let pc = program.pc(self.id, warp);
                    (self.warps[warp].pc, self.warps[warp].fetched) = (pc, pc);
                    self.set(warp, Fetch::Fetching);
                    self.hold_until(now + 1, warp as u8);
                }
            }
        }
        self.active = active;
    }

    /// Schedule, fetch and decode.
    pub(super) fn fetch<P: Program>(
        &mut self,
        now: u64,
        memory: &mut Memory,
        program: &mut P,
        table: &mut Table,
    ) {
        self.counts.fetch_latency += self.counts.fetching;
        let icache = &mut memory.sockets[self.socket].icache;
        if let Some(&answer) = icache.answers(self.slot, 0).front(now) {
            let warp = (answer.tag & TAG_MASK) as usize;
            let WarpState { slice, index, .. } = self.warps[warp];
            let to = &mut self.slices[usize::from(slice)];
            if to.has_room(now, usize::from(index)) {
                icache.answers(self.slot, 0).pop(now);
                self.counts.fetching -= 1;
                // Its pc has moved on.
                let pc = self.warps[warp].pc.wrapping_sub(4);
                let (entry, decoded) = table.decode(pc, program);
                let id = self.uops.add(Uop {
                    warp: warp as u8,
                    slice,
                    index,
                    entry,
                    decoded,
                    request: 0,
                    waits: false,
                    barrier: 0,
                });
                to.put(now, usize::from(index), id);
                if P::RECORDS
                    && let Some(recorder) = &mut self.recorder
                {
                    recorder.decoded(id, warp, pc);
                }
                if decoded.holds_fetch() {
                    self.set(warp, Fetch::Held);
                } else {
                    self.hold_until(now + self.unlock, warp as u8);
                }
            } else {
                self.counts.buffer_stalls += 1;
            }
        }
        if let Some(&warp) = self.scheduled.front(now) {
            if !icache.source(self.slot, 0).accepts(now) {
                self.counts.scheduler_stalls += 1;
            } else {
                self.counts.fetches += 1;
                self.counts.fetching += 1;
                self.scheduled.pop(now);
                let state = &mut self.warps[usize::from(warp)];
                let request = Shared::request(
                    self.slot,
                    0,
                    (state.pc >> LINE_BITS, 0),
                    Access::Load,
                    u32::from(warp),
                );
                icache.source(self.slot, 0).push(now, request);
                if P::RECORDS
                    && let Some(recorder) = &mut self.recorder
                {
                    recorder.fetched(usize::from(warp), state.pc);
                }
                state.pc = state.pc.wrapping_add(4);
                state.pending += 1;
            }
        }
        let ready = self.schedulable();
        if ready == 0 {
            self.counts.scheduler_idle += 1;
        } else if self.scheduled.accepts(now) {
            let warp = ready.trailing_zeros() as usize;
            self.warps[warp].ahead += 1;
            self.warps[warp].fetched = self.warps[warp].pc;
            self.set(warp, Fetch::Fetching);
            self.scheduled.push(now, warp as u8);
            if P::RECORDS
                && let Some(recorder) = &mut self.recorder
            {
                recorder.scheduled(warp);
            }
        }
    }

    /// The warps of which one may be chosen.
    pub(super) fn schedulable(&self) -> u32 {
        let Some(most) = self.most_ahead else {
            return self.ready;
        };
        // One that has more, as all were full, does not count as full.
        let is_full = |&warp: &u32| self.warps[warp as usize].ahead == most;
        let all = self.warps.len() as u32;
        let full = (0..all)
            .filter(is_full)
            .fold(0, |mask, warp| mask | 1 << warp);
        match full == u32::MAX >> (32 - all) {
            true => self.ready,
            false => self.ready & !full,
        }
    }
}
