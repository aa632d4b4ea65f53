//! Requests to caches and memory, and their answers; and how a cache connects them.

use super::stages::CacheStages;

/// Requests of this kind do what they say when they reach a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    /// A load of a line that changes this word of it: one as the coalescer merges them, by its number there.
    Atomic {
        word: u8,
    },
    Store,
    /// A load that waits until the cache was emptied.
    Flush,
    /// Past the cache: device registers.
    Uncached {
        store: bool,
    },
}

impl Access {
    /// Whether it is answered with what is in the cache.
    pub(super) fn loads(self) -> bool {
        matches!(self, Self::Load | Self::Atomic { .. })
    }

    /// Whether it changes what is in the cache.
    pub(super) fn stores(self) -> bool {
        matches!(self, Self::Store | Self::Atomic { .. })
    }
}

/// A request, or the answer to one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) line: u32,
    pub(super) access: Access,
    /// Who asked: a port, and what it calls the request.
    pub(super) port: u16,
    pub(super) tag: u32,
    /// The words of its line that a core accesses, by bits; none where that is not known.
    pub(super) words: u16,
    /// In an answer: whether its line was not there.
    pub(super) missed: bool,
    /// It goes before a request for the same word that came earlier.
    pub(super) overtakes: bool,
}

/// Where a bank's requests to memory are answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    /// A line for a bank.
    Line { bank: u16, line: u32 },
    /// An answer that goes past the cache.
    Direct(Request),
}

/// What a cache asks of the level behind it; a store has no answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Miss {
    pub(super) line: u32,
    /// A level behind empties itself for a flush, too.
    pub(super) access: Access,
    pub(super) answer: Option<Fill>,
}

/// Places and registers around the banks, which differ between the levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheShape {
    pub(super) ports: usize,
    pub(super) banks: usize,
    pub(super) memory_ports: usize,
    /// Whether requests can go past the cache, at the price of a register either way.
    pub(super) bypass: bool,
    /// Lines from memory that wait at each memory port.
    pub(super) fill_queue: usize,
    /// Cycles by which its reset ends before the cores'.
    pub(super) early: u32,
    /// Lines that share a place, as a power of two.
    pub(super) sector_bits: u32,
    /// Stages between the look-up of tags and the data, beyond the one that every cache has.
    pub(super) deferred: usize,
    pub(super) stages: CacheStages,
}
