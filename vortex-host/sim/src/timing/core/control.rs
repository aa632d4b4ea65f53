//! How branches, changes of masks and barriers take effect, and which warps then continue.

use super::{Core, Fetch, Id, Kind, Program, Table, Uop, WarpState};

impl Core {
    /// A branch takes effect in a cycle.
    pub(super) fn resolve<P: Program>(&mut self, when: u64, warp: u8, program: &mut P) {
        if program.is_ready(self.id, usize::from(warp)) {
            self.hold_until(when, warp);
        } else {
            self.halted = true;
        }
    }

    /// A control instruction takes effect. Returns the barrier that it completed.
    pub(super) fn control<P: Program>(&mut self, now: u64, id: Id, program: &mut P) -> Option<u32> {
        let Uop {
            warp,
            decoded,
            waits,
            barrier,
            ..
        } = self.uops[id];
        let index = usize::from(warp);
        let is_barrier = decoded.kind == Kind::Barrier;
        let after_barrier = now + self.after_barrier;
        if decoded.kind == Kind::Arrival {
            self.pass(barrier);
            self.wake(after_barrier, barrier, program);
            return Some(barrier);
        }
        if program.is_idle(self.id, index) {
            self.set(index, Fetch::Inactive);
            if let Some(dispatcher) = &mut self.dispatcher {
                dispatcher.ended(now, index);
            }
        } else if !waits && is_barrier {
            self.hold_until(after_barrier, warp);
            self.pass(barrier);
            self.wake(after_barrier, barrier, program);
            return Some(barrier);
        } else if !waits {
            self.hold_until(now + 1 + u64::from(decoded.kind == Kind::Join), warp);
        } else if is_barrier && !self.passes(barrier) && program.is_ready(self.id, index) {
            // Another slice's warp was executed later and took effect earlier.
            self.hold_until(after_barrier, warp);
        } else {
            self.set(index, Fetch::Waiting);
            self.warps[index].barrier = barrier;
            if !is_barrier {
                self.spawning = Some(now + 1);
            }
        }
        None
    }

    /// Lets warps whose barrier another core completed continue.
    pub(in super::super) fn wake_from_outside<P: Program>(
        &mut self,
        when: u64,
        barrier: u32,
        program: &mut P,
        table: &mut Table,
    ) {
        self.rouse::<P>(table);
        // A core that is about to complete the barrier itself wakes its warps then.
        if !self.passes(barrier) {
            self.wake(when, barrier, program);
        }
    }

    /// Whether a warp has executed the instruction that completes a barrier, which is on its way to take effect.
    fn passes(&self, barrier: u32) -> bool {
        self.passing.contains(&barrier)
    }

    /// What a warp has done at a barrier takes effect.
    fn pass(&mut self, barrier: u32) {
        if let Some(which) = self.passing.iter().position(|&passing| passing == barrier) {
            self.passing.swap_remove(which);
        }
    }

    /// Lets warps that wait at a complete barrier continue.
    fn wake<P: Program>(&mut self, when: u64, barrier: u32, program: &mut P) {
        for warp in 0..self.warps.len() {
            let WarpState {
                fetch, barrier: at, ..
            } = self.warps[warp];
            let waits = fetch == Fetch::Waiting && at == barrier;
            if waits && program.is_ready(self.id, warp) {
                self.set(warp, Fetch::Held);
                self.hold_until(when, warp as u8);
            }
        }
    }
}
