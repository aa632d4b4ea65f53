//! Operand collection: registers are read from banks, each of which gives one in a cycle.

use super::queue::{Queue, RoundRobin};
use super::uop::{Id, Uops};

/// Reads the operands of an instruction at a time.
#[derive(Debug)]
struct Collector {
    /// Reads that the instruction before it still must make.
    reads: u8,
    reading: Option<(Id, bool)>,
    read: Option<Id>,
    out: Queue<Id>,
}

impl Collector {
    fn new() -> Collector {
        Collector {
            reads: 0,
            reading: None,
            read: None,
            out: Queue::new(2),
        }
    }

    /// Moves its stages on.
    fn step(&mut self, now: u64) {
        if let Some(id) = self.read
            && self.out.offer(now, id)
        {
            self.read = None;
        }
        if self.read.is_none()
            && let Some((id, last)) = self.reading.take()
            && last
        {
            self.read = Some(id);
        }
    }

    /// Begins to read what an instruction lacks, if there is room. Returns whether that is all.
    fn begin(&mut self, id: Id, uops: &Uops) -> Option<bool> {
        if self.reading.is_some() {
            return None;
        }
        if self.reads == 0 {
            self.reads = uops[id].decoded.reads;
        }
        self.reads -= 1;
        self.reading = Some((id, self.reads == 0));
        Some(self.reads == 0)
    }

    /// Whether nothing moves in the next cycle, except for a lack of room.
    fn is_still(&self, now: u64) -> bool {
        let reads = self.read.is_none() && self.reading.is_some();
        !reads && (self.read.is_none() || !self.out.accepts(now)) && !self.out.moved(now)
    }
}

/// What several collectors have read, in turn.
#[derive(Debug)]
struct Merge {
    turn: RoundRobin,
    out: Queue<Id>,
}

/// The collectors of a slice.
#[derive(Debug)]
pub(super) struct Collectors {
    each: Vec<Collector>,
    merge: Option<Merge>,
}

impl Collectors {
    pub(super) fn new(count: usize) -> Collectors {
        Collectors {
            each: (0..count).map(|_| Collector::new()).collect(),
            merge: (count > 1).then(|| Merge {
                turn: RoundRobin::default(),
                out: Queue::new(2),
            }),
        }
    }

    /// The instruction whose operands have been read and that can continue in this cycle.
    #[inline]
    pub(super) fn front(&self, now: u64) -> Option<&Id> {
        match &self.merge {
            None => self.each[0].out.front(now),
            Some(merge) => merge.out.front(now),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self, now: u64) {
        match &mut self.merge {
            None => self.each[0].out.pop(now),
            Some(merge) => merge.out.pop(now),
        };
    }

    /// Moves on, and takes what was issued. Returns whether an operand had to wait for another of its bank.
    pub(super) fn step(&mut self, now: u64, issued: &mut Queue<Id>, uops: &Uops) -> bool {
        if let Some(Merge { turn, out }) = &mut self.merge
            && out.accepts(now)
        {
            let each = &self.each;
            let chosen = turn.choose(each.len(), |n| each[n].out.front(now).is_some());
            if let Some(n) = chosen {
                turn.served(n);
                if let Some(id) = self.each[n].out.pop(now) {
                    out.push(now, id);
                }
            }
        }
        for collector in &mut self.each {
            collector.step(now);
        }
        let Some(&id) = issued.front(now) else {
            return false;
        };
        let count = self.each.len();
        let mine = &mut self.each[usize::from(uops[id].index) % count];
        match mine.begin(id, uops) {
            Some(true) => {
                issued.pop(now);
                false
            }
            Some(false) => true,
            None => false,
        }
    }

    /// Whether nothing moved in this cycle, and nothing but what is behind can make it.
    pub(super) fn is_still(&self, now: u64, issued: &Queue<Id>, uops: &Uops) -> bool {
        let begins = issued.front(now + 1).is_some_and(|&id| {
            let mine = &self.each[usize::from(uops[id].index) % self.each.len()];
            mine.reading.is_none()
        });
        let merges = self.merge.as_ref().is_some_and(|merge| {
            let waits = self.each.iter().any(|collector| !collector.out.is_empty());
            merge.out.moved(now) || waits && merge.out.accepts(now)
        });
        !begins && !merges && self.each.iter().all(|collector| collector.is_still(now))
    }
}
