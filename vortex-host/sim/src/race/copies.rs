//! Copies of memory that the data caches of cores may still hold, on Vortex 3.
//!
//! With several cores, each one's cache writes through: what it stores is in memory for all. But the other caches are
//! not updated. A core that has loaded from a line continues to read its copy, whatever others store to that memory,
//! until it drops it by a `fence` or the launch ends. So accesses that a barrier of all cores orders, and that do not
//! race, may read stale data. (Vortex's RTL does so: a probe with two cores reads 5 where 77 was stored before the
//! barrier, if the line was loaded before that, and 77 after a fence.)
//!
//! Two cases are not modelled: lines that a cache has evicted in the meantime, and a warp that repeats a load after
//! another one's fence, which makes a copy again.

use super::entry::Entry;
use std::collections::HashMap;

/// log2 of the bytes of a line.
const LINE_BITS: u32 = 6;

/// What a core may hold of a line.
#[derive(Clone)]
struct Copy {
    core: u32,
    /// How many fences the core had executed when it was made.
    fences: u32,
    /// Words of it, by their addresses, with bytes to which others have stored since.
    old: Vec<(u32, Entry)>,
}

/// All that may be held, by numbers of lines.
#[derive(Clone)]
pub(super) struct Copies {
    fences: Box<[u32]>,
    lines: HashMap<u32, Vec<Copy>>,
}

impl Copies {
    pub(super) fn new(cores: u32) -> Copies {
        Copies {
            fences: vec![0; cores as usize].into(),
            lines: HashMap::new(),
        }
    }

    /// A core drops its copies.
    pub(super) fn fence(&mut self, core: u32) {
        self.fences[core as usize] += 1;
    }

    /// A core loads bytes of the word at an address, one bit each. Returns the latest store to them that is not in the
    /// core's copy.
    pub(super) fn load(&mut self, core: u32, address: u32, bytes: u32) -> Option<Entry> {
        let fences = self.fences[core as usize];
        let copies = self.lines.entry(address >> LINE_BITS).or_default();
        let Some(copy) = copies.iter_mut().find(|copy| copy.core == core) else {
            copies.push(Copy {
                core,
                fences,
                old: Vec::new(),
            });
            return None;
        };
        if copy.fences != fences {
            copy.fences = fences;
            copy.old.clear();
            return None;
        }
        let is_old =
            |(word, entry): &&(u32, Entry)| *word == address & !3 && entry.bytes() & bytes != 0;
        let found = copy.old.iter().rfind(is_old);
        found.map(|(_, entry)| entry.only(bytes))
    }

    /// A core stores to a word.
    pub(super) fn store(&mut self, core: u32, address: u32, entry: Entry) {
        let Some(copies) = self.lines.get_mut(&(address >> LINE_BITS)) else {
            return;
        };
        let address = address & !3;
        for copy in copies {
            // Its own copy has it, and of those of others it is the latest.
            copy.old.retain_mut(|(word, earlier)| {
                if *word == address {
                    *earlier = earlier.only(!entry.bytes());
                }
                earlier.bytes() != 0
            });
            let is_held = copy.fences == self.fences[copy.core as usize];
            if copy.core != core && is_held {
                copy.old.push((address, entry));
            }
        }
    }

    /// A core has changed a word atomically: it does so in memory, and drops its copy.
    pub(super) fn exchange(&mut self, core: u32, address: u32, entry: Entry) {
        self.store(core, address, entry);
        if let Some(copies) = self.lines.get_mut(&(address >> LINE_BITS)) {
            copies.retain(|copy| copy.core != core);
        }
    }
}
