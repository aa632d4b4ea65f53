//! Which instruction keeps the load-store unit busy: for profiles.

use super::{Access, Lsu, lanes_of};

/// What an access asks of the unit.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::timing) struct AccessShape {
    /// Turns of the coalescer.
    pub(in crate::timing) turns: u64,
    /// Lanes in local memory.
    pub(in crate::timing) local: u32,
    /// Turns of local memory.
    pub(in crate::timing) local_turns: u64,
}

impl Lsu {
    /// What an access asks for that has just been prepared.
    pub(in crate::timing) fn shape_of(&self, request: u16) -> AccessShape {
        let pending = &self.requests[usize::from(request)];
        let mut each = [0u64; 32];
        for lane in lanes_of(pending.local) {
            let bank = self.local_memory.bank_of(pending.words[lane as usize]);
            each[bank as usize] += 1;
        }
        AccessShape {
            turns: pending.batches.len() as u64,
            local: pending.local,
            local_turns: each.into_iter().max().unwrap_or(0),
        }
    }

    /// The access that keeps others out: a fence, what the coalescer works on, what local memory does, or else a load
    /// that was not answered.
    pub(in crate::timing) fn holder(&self, now: u64) -> Option<u16> {
        let numbers = || (0..self.requests.len() as u16).filter(|n| !self.free.contains(n));
        let find = |is: &dyn Fn(u16) -> bool| numbers().find(|&number| is(number));
        let fence = self
            .fence
            .then(|| find(&|n| self.requests[usize::from(n)].access == Some(Access::Flush)));
        fence
            .flatten()
            .or(self.global)
            .or(self.local_register.flatten())
            .or_else(|| self.queue.front(now).copied())
            .or_else(|| {
                find(&|n| {
                    let pending = &self.requests[usize::from(n)];
                    pending.access == Some(Access::Load) && pending.left != 0
                })
            })
    }

    /// The access that keeps a load from being sent, if another does.
    pub(in crate::timing) fn ahead_of(&self, request: u16, now: u64) -> Option<u16> {
        if !self.queue.contains(request) {
            return None;
        }
        let first = *self.queue.front(now)?;
        let sends = |&other: &u16| other != request;
        match first == request {
            true => self.global.or(self.local_register.flatten()).filter(sends),
            false => self.global.or(Some(first)).filter(sends),
        }
    }
}
