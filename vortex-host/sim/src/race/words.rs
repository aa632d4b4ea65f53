//! The records of memory, and a quick test whether a warp only repeats its accesses.

use super::cell::Packed;
use super::entry::Kind;
use crate::layout::LOCAL;
use crate::registers::{Octet, octet_of};

pub(super) const CHUNK_WORDS: usize = 1 << 14;

/// What is kept of 64 KiB of memory.
#[derive(Clone)]
pub(super) struct Words {
    pub(super) cells: Box<[Packed]>,
    /// Per word, who was last to access it, a [`Clock::tag`](super::clock::Clock::tag), and what it did: [`tag_of`].
    /// As long as it is the same warp at the same time, there is nothing new to determine. 0 for words of which a part
    /// was accessed last, or that were accessed atomically.
    pub(super) tags: Box<[u32; CHUNK_WORDS]>,
}

impl Words {
    fn new() -> Words {
        // From the heap, which has zeros without writing them.
        let tags: Box<[u32]> = vec![0; CHUNK_WORDS].into();
        let Ok(tags) = tags.try_into() else {
            unreachable!("there are as many as a chunk has")
        };
        Words {
            cells: vec![[0; 5]; CHUNK_WORDS].into(),
            tags,
        }
    }
}

/// Chunks of memory by their numbers.
#[derive(Clone)]
pub(super) struct Chunks {
    /// Where in `words` it is, from 1. Local memory is where nobody can see that of another core, so each core has
    /// its own.
    global: Box<[u32]>,
    local: Box<[u32]>,
    words: Vec<Words>,
    /// Those of chunks that are not kept any more.
    free: Vec<u32>,
}

impl Chunks {
    pub(super) fn new(cores: u32) -> Chunks {
        Chunks {
            global: vec![0; 1 << 16].into(),
            local: vec![0; cores as usize].into(),
            words: Vec::new(),
            free: Vec::new(),
        }
    }

    /// About how much host memory they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let word = size_of::<Packed>() + size_of::<u32>();
        self.words.len() * CHUNK_WORDS * word + size_of_val(&*self.global)
    }

    /// What is kept around an address, if anything.
    #[inline(always)]
    pub(super) fn of(&self, core: u32, address: u32) -> Option<&Words> {
        let number = if address >= LOCAL {
            self.local[core as usize]
        } else {
            self.global[(address >> 16) as usize]
        };
        self.words.get((number as usize).wrapping_sub(1))
    }

    #[inline(always)]
    pub(super) fn of_mut(&mut self, core: u32, address: u32) -> &mut Words {
        let number = if address >= LOCAL {
            &mut self.local[core as usize]
        } else {
            &mut self.global[(address >> 16) as usize]
        };
        if *number == 0 {
            *number = self.free.pop().unwrap_or_else(|| {
                self.words.push(Words::new());
                self.words.len() as u32
            });
        }
        &mut self.words[*number as usize - 1]
    }

    /// How many cores have local memory.
    pub(super) fn cores(&self) -> u32 {
        self.local.len() as u32
    }

    /// No word is known to anybody any more.
    pub(super) fn forget_tags(&mut self) {
        for words in &mut self.words {
            words.tags.fill(0);
        }
    }

    /// Takes a chunk of global memory away.
    pub(super) fn take(&mut self, chunk: u32) -> Option<Words> {
        let number = std::mem::take(&mut self.global[chunk as usize]);
        let words = self.words.get_mut((number as usize).wrapping_sub(1))?;
        self.free.push(number);
        Some(std::mem::replace(words, Words::new()))
    }
}

/// What tells a warp's repeated accesses in 64 KiB of memory: those that determine nothing new.
#[derive(Clone, Copy)]
pub(crate) struct Tags<'a> {
    words: &'a [u32; CHUNK_WORDS],
    /// Of words of which nothing is to be determined, except for bits outside of `relevant`.
    known: u32,
    relevant: u32,
}

impl<'a> Tags<'a> {
    #[inline]
    pub(super) fn new(words: &'a [u32; CHUNK_WORDS], warp: u32, kind: Kind) -> Tags<'a> {
        Tags {
            words,
            known: warp | STORED,
            // What the warp has done before counts, unless it does less now.
            relevant: match kind {
                Kind::SameStore => !STORED,
                Kind::Load => !STORED | LOADED,
                Kind::Store | Kind::Atomic | Kind::SameAtomic => !0,
            },
        }
    }

    #[inline(always)]
    fn tag(self, address: u32) -> u32 {
        self.words[(address >> 2) as usize % CHUNK_WORDS]
    }

    /// 0 for addresses of words of which nothing is to be determined.
    #[inline(always)]
    pub(crate) fn differences(self, addresses: &Octet) -> Octet {
        octet_of(|n| self.difference(self.tag(addresses[n])))
    }

    /// 0 for the tag of a word of which nothing is to be determined.
    #[inline(always)]
    pub(crate) fn difference(self, tag: u32) -> u32 {
        (tag ^ self.known) & self.relevant
    }

    /// Whether nothing is to be determined of the word at an address.
    #[inline(always)]
    pub(crate) fn is_known(self, address: u32) -> bool {
        self.difference(self.tag(address)) == 0
    }

    /// Whether the word at an address was last accessed, as a whole, by this warp at this time.
    #[inline(always)]
    pub(super) fn is_own(self, address: u32) -> bool {
        (self.tag(address) ^ self.known) & !STORED == 0
    }

    /// The tags of this many words, unless that is more than there are.
    #[inline(always)]
    pub(crate) fn words_from(self, address: u32, count: usize) -> Option<&'a [u32]> {
        let first = (address >> 2) as usize % CHUNK_WORDS;
        self.words.get(first..first + count)
    }
}

/// In the tag of a word: all that a load would determine is known.
const LOADED: u32 = 1;
/// And all that a store would.
const STORED: u32 = 3;
/// From the tag of a moment to the next.
pub(super) const TAG: u32 = 4;

/// That of a word that a warp has accessed.
#[inline]
pub(super) fn tag_of(warp: u32, kind: Kind) -> u32 {
    match kind {
        Kind::SameStore => warp,
        Kind::Load => warp | LOADED,
        Kind::Store => warp | STORED,
        Kind::Atomic | Kind::SameAtomic => 0,
    }
}
