//! Atomic operations in a bank of a cache: what they make is written some cycles after they were answered.
//!
//! An atomic operation that hits is looked up and answered like a load. In the next cycle the sum is computed, and from
//! the one after that it waits to be written, for which it passes through the bank once more; until then no new request
//! is taken. (`VX_cache_amo.sv`; `VX_cache_bank.sv`: `do_store_st0`, `cmp_valid`, `wb_fire`.)

use std::collections::VecDeque;

/// A word as the coalescer merges them, by its number in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    line: u32,
    word: u8,
}

#[derive(Debug, Default)]
pub(super) struct Atomics {
    /// There has been one. Most programs have none, and nothing to ask for.
    pub(super) seen: bool,
    /// In this cycle one was looked up that hits, or was answered.
    looked_up: bool,
    answered: bool,
    /// What is computed, and what was in the last cycle.
    computed: Option<Word>,
    ready: Option<Word>,
    /// What waits to be written, each word once.
    writes: VecDeque<Word>,
}

/// What the writes of atomic operations leave to others.
pub(super) enum Turn {
    /// There are none.
    Free,
    /// One is on its way: no new request is taken.
    Held,
    /// This line is written.
    Write(u32),
}

impl Atomics {
    /// Begins a cycle.
    pub(super) fn step(&mut self) {
        if !self.seen {
            return;
        }
        if let Some(made) = self.ready.take()
            && !self.writes.contains(&made)
        {
            self.writes.push_back(made);
        }
        self.ready = self.computed.take();
        (self.looked_up, self.answered) = (false, false);
    }

    /// Notes that one was looked up, and whether it hits.
    pub(super) fn looked_up(&mut self, hits: bool) {
        (self.seen, self.looked_up) = (true, hits);
    }

    /// Notes that one was answered.
    pub(super) fn answered(&mut self, line: u32, word: u8) {
        self.answered = true;
        self.computed = Some(Word { line, word });
    }

    /// Whether an access to a line waits in front of the data, as one of its words has just been computed.
    pub(super) fn stalls(&self, line: u32) -> bool {
        self.ready.is_some_and(|ready| ready.line == line)
    }

    /// What is written in this cycle, if it can be.
    pub(super) fn turn(&mut self, can_write: bool) -> Turn {
        if self.writes.is_empty() {
            return match self.looked_up || self.answered || self.ready.is_some() {
                true => Turn::Held,
                false => Turn::Free,
            };
        }
        match self.writes.front() {
            Some(Word { line, .. }) if can_write && !self.answered => {
                let line = *line;
                self.writes.pop_front();
                Turn::Write(line)
            }
            _ => Turn::Held,
        }
    }

    /// Whether nothing is left to compute or write.
    pub(super) fn rest(&self) -> bool {
        self.computed.is_none() && self.ready.is_none() && self.writes.is_empty()
    }
}
