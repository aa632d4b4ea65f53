//! Which lines a bank of a cache holds: tags by set and way, the oldest of a set replaced first.
//!
//! A place may hold several sectors, lines of 64 bytes that follow each other and come and go to memory one by one:
//! they share a tag, and lose their place together.

use super::config::CacheConfig;
use super::config::LINE_BITS;
use super::request::CacheShape;

const INVALID: u32 = u32::MAX;

/// What has lost its place and was written to: the first of its lines, and which of them, a bit each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evicted {
    pub(super) line: u32,
    pub(super) written: u8,
}

#[derive(Debug)]
pub(super) struct Tags {
    sets: u32,
    /// Of a set's number, if their number is a power of two.
    set_mask: Option<u32>,
    ways: usize,
    /// Bits of a line's number that say which sector of its place it is in, and of what is left, which bank.
    sector_bits: u32,
    bank_bits: u32,
    tags: Vec<u32>,
    /// Of each place, the sectors that are there, and those that were written to.
    valid: Vec<u8>,
    written: Vec<u8>,
    next_way: Vec<u8>,
    /// Whether nothing has come since all was forgotten: a sweep forgets all at each of its steps.
    is_swept: bool,
}

impl Tags {
    pub(super) fn new(config: &CacheConfig, shape: &CacheShape) -> Tags {
        let places = config.size >> (LINE_BITS + shape.sector_bits);
        let sets = (places / config.ways / shape.banks as u32).max(1);
        let ways = config.ways as usize;
        let places = sets as usize * ways;
        Tags {
            sets,
            set_mask: sets.is_power_of_two().then(|| sets - 1),
            ways,
            sector_bits: shape.sector_bits,
            bank_bits: shape.banks.trailing_zeros(),
            tags: vec![INVALID; places],
            valid: vec![0; places],
            written: vec![0; places],
            next_way: vec![0; sets as usize],
            is_swept: true,
        }
    }

    pub(super) fn sets(&self) -> u32 {
        self.sets
    }

    pub(super) fn places(&self) -> u32 {
        self.sets * self.ways as u32
    }

    /// The first place of a line's set.
    #[inline(always)]
    fn first_place(&self, line: u32) -> usize {
        let above = line >> (self.sector_bits + self.bank_bits);
        let set = match self.set_mask {
            Some(mask) => above & mask,
            None => above % self.sets,
        };
        set as usize * self.ways
    }

    /// The bit of a line among the sectors of its place.
    #[inline(always)]
    fn sector(&self, line: u32) -> u8 {
        1 << (line & ((1 << self.sector_bits) - 1))
    }

    /// Where the sectors of a line are, this one or others.
    #[inline(always)]
    fn place(&self, line: u32) -> Option<usize> {
        let first = self.first_place(line);
        let tag = line >> self.sector_bits;
        let ways = &self.tags[first..][..self.ways];
        let way = ways.iter().position(|&other| other == tag)?;
        Some(first + way)
    }

    /// Whether a line is there. `write`: it is written to.
    #[inline(always)]
    pub(super) fn look_up(&mut self, line: u32, write: bool) -> bool {
        let sector = self.sector(line);
        let Some(place) = self.place(line) else {
            return false;
        };
        let hit = self.valid[place] & sector != 0;
        if hit && write {
            self.written[place] |= sector;
        }
        hit
    }

    /// Puts a line where it belongs: with the other sectors of its place if some are there, or else instead of what has
    /// been in its set for longest.
    pub(super) fn fill(&mut self, line: u32) -> Option<Evicted> {
        let first = self.first_place(line);
        let next = &mut self.next_way[first / self.ways];
        let oldest = first + usize::from(*next);
        *next = ((usize::from(*next) + 1) % self.ways) as u8;
        let sector = self.sector(line);
        if let Some(place) = self.place(line) {
            self.valid[place] |= sector;
            self.written[place] &= !sector;
            return None;
        }
        self.is_swept = false;
        let evicted = self.empty(oldest);
        self.tags[oldest] = line >> self.sector_bits;
        self.valid[oldest] = sector;
        evicted
    }

    /// Empties one of all places, numbered way by way.
    pub(super) fn clean(&mut self, number: u32) -> Option<Evicted> {
        let (way, set) = (number / self.sets, number % self.sets);
        self.empty(set as usize * self.ways + way as usize)
    }

    fn empty(&mut self, place: usize) -> Option<Evicted> {
        let tag = std::mem::replace(&mut self.tags[place], INVALID);
        self.valid[place] = 0;
        let written = std::mem::take(&mut self.written[place]);
        (written != 0).then_some(Evicted {
            line: tag << self.sector_bits,
            written,
        })
    }

    /// Forgets all, of which nothing was written to.
    pub(super) fn sweep(&mut self) {
        if !std::mem::replace(&mut self.is_swept, true) {
            self.tags.fill(INVALID);
            self.valid.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::stages::CacheStages;

    /// Two ways of two lines each, in one set.
    fn sectored() -> Tags {
        let config = CacheConfig {
            size: 4 << LINE_BITS,
            ways: 2,
            misses: 1,
            memory_queue: 4,
        };
        let shape = CacheShape {
            ports: 1,
            banks: 1,
            memory_ports: 1,
            bypass: false,
            fill_queue: 0,
            early: 0,
            sector_bits: 1,
            deferred: 0,
            stages: CacheStages::default(),
        };
        Tags::new(&config, &shape)
    }

    #[test]
    fn sectors_come_one_by_one_and_go_together() {
        let mut tags = sectored();
        assert!(tags.fill(4).is_none());
        assert!(tags.look_up(4, true), "it has come");
        assert!(!tags.look_up(5, false), "its other sector has not");
        assert!(tags.fill(5).is_none(), "that takes no other place");
        assert!(tags.look_up(4, false) && tags.look_up(5, true));
        // The second way is free, but fills of sectors count, too: it is the first one's turn again.
        let evicted = tags.fill(8).map(|evicted| (evicted.line, evicted.written));
        assert_eq!(evicted, Some((4, 0b11)));
        assert!(!tags.look_up(5, false) && tags.look_up(8, false));
    }

    #[test]
    fn what_is_cleaned_is_written_back_once() {
        let mut tags = sectored();
        tags.fill(4);
        tags.look_up(4, true);
        let written = tags.clean(0).map(|evicted| evicted.written);
        assert_eq!(written, Some(0b01));
        assert!(tags.clean(0).is_none());
        assert!(!tags.look_up(4, false));
    }
}
