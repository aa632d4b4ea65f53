//! Vector clocks: where warps are in time, and what they know about each other.

use super::entry::{Entry, number};

/// How far the accesses of warps are known to lie in the past, for a range of them. Empty where nothing is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Vector {
    /// The [`number`] of the first.
    first: u32,
    clocks: Vec<u32>,
}

impl Vector {
    #[inline(always)]
    pub(super) fn knows(&self, entry: Entry) -> bool {
        entry.clock <= self.until(entry.number())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clocks.is_empty()
    }

    /// Knows nothing any more, and keeps its room.
    pub(super) fn clear(&mut self) {
        self.clocks.clear();
    }

    pub(super) fn copy_from(&mut self, other: &Vector) {
        self.first = other.first;
        self.clocks.clone_from(&other.clocks);
    }

    /// Learns what another one knows.
    pub(super) fn join(&mut self, other: &Vector) {
        if self.is_empty() {
            return self.copy_from(other);
        }
        if other.is_empty() {
            return;
        }
        let before = self.first.saturating_sub(other.first);
        if before != 0 {
            let zeros = std::iter::repeat_n(0, before as usize);
            self.clocks.splice(0..0, zeros);
            self.first = other.first;
        }
        let start = (other.first - self.first) as usize;
        let end = start + other.clocks.len();
        if end > self.clocks.len() {
            self.clocks.resize(end, 0);
        }
        for (mine, theirs) in self.clocks[start..].iter_mut().zip(&other.clocks) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Up to which of its clocks what a warp did is past.
    #[inline(always)]
    pub(super) fn until(&self, number: u32) -> u32 {
        let index = number.wrapping_sub(self.first);
        self.clocks.get(index as usize).map_or(0, |&clock| clock)
    }

    fn of(&mut self, number: u32) -> Option<&mut u32> {
        let index = number.wrapping_sub(self.first);
        self.clocks.get_mut(index as usize)
    }
}

/// Where a warp is in time.
#[derive(Clone)]
pub(super) struct Clock {
    number: u32,
    pub(super) now: u32,
    /// A number of its own for each moment of each warp, a multiple of 4 and not 0, in the tags of words.
    pub(super) tag: u32,
    /// Its own accesses are past for it.
    pub(super) seen: Vector,
    /// What was known at the last fence: what atomic accesses tell those who read what they wrote.
    pub(super) fenced: Vector,
    /// What atomic accesses read since, for the next fence.
    pub(super) heard: Vector,
}

impl Clock {
    /// That of a warp of a core with so many.
    pub(super) fn new(core: u32, warp: u32, warps: u32) -> Clock {
        let mut seen = Vector {
            first: number(core, 0),
            clocks: vec![0; warps as usize],
        };
        let number = number(core, warp);
        if let Some(own) = seen.of(number) {
            *own = u32::MAX;
        }
        Clock {
            number,
            now: 0,
            tag: 0,
            seen,
            fenced: Vector::default(),
            heard: Vector::default(),
        }
    }

    /// Adds what the warp knows and has done up to now.
    pub(super) fn publish(&self, to: &mut Vector) {
        let known = to.of(self.number).map_or(0, |clock| *clock);
        to.join(&self.seen);
        if let Some(clock) = to.of(self.number) {
            *clock = known.max(self.now);
        }
    }
}
