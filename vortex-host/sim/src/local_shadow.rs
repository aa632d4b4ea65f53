//! Which bits of a core's local memory hold no value.

use super::memory::{CHUNK_WORDS, Chunk};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The most words that are looked at to find out whether a load of some of them need not look next time.
const MOST: u32 = 64;

/// The shadow of a core's local memory. Atomic as its memory is, but no two threads use it at once.
pub(crate) struct LocalShadow {
    /// Ones for the bits without a value.
    bits: Chunk,
    /// The words that may have such bits, one bit each. Of others it is known that they have none, so that accesses
    /// between two places need not look at each word: kernels load what they have stored.
    doubtful: Box<[AtomicU64]>,
    /// Whether anything was written since the last reset.
    written: AtomicBool,
}

impl Clone for LocalShadow {
    fn clone(&self) -> LocalShadow {
        let doubtful = self.doubtful.iter();
        LocalShadow {
            bits: self.bits.clone(),
            doubtful: doubtful
                .map(|words| AtomicU64::new(words.load(Relaxed)))
                .collect(),
            written: AtomicBool::new(self.written.load(Relaxed)),
        }
    }
}

impl LocalShadow {
    pub(crate) fn new() -> LocalShadow {
        LocalShadow {
            bits: Chunk::filled(u32::MAX),
            doubtful: (0..CHUNK_WORDS / 64)
                .map(|_| AtomicU64::new(u64::MAX))
                .collect(),
            written: AtomicBool::new(false),
        }
    }

    /// Nothing holds a value any more in this many bytes, outside of which nothing was written.
    pub(crate) fn reset(&mut self, room: u32) {
        if std::mem::take(self.written.get_mut()) {
            self.bits.fill(0, room, u32::MAX);
            for words in &mut self.doubtful {
                *words.get_mut() = u64::MAX;
            }
        }
    }

    /// The bits, to be read, or set to zero by who calls [`LocalShadow::touch`].
    #[inline(always)]
    pub(crate) fn bits(&self) -> &Chunk {
        &self.bits
    }

    /// Something is about to be written.
    #[inline(always)]
    pub(crate) fn touch(&self) {
        self.written.store(true, Relaxed);
    }

    /// Sets the bits at an address.
    pub(crate) fn store<const SIZE: u32>(&self, address: u32, bits: u32) {
        self.touch();
        self.bits.store::<SIZE>(address, bits);
        if bits != 0 {
            let (words, word) = self.doubt(address);
            words.store(words.load(Relaxed) | 1 << word, Relaxed);
        }
    }

    /// Where it is noted whether the word at an address may have bits without a value.
    fn doubt(&self, address: u32) -> (&AtomicU64, u32) {
        let word = (address >> 2) % CHUNK_WORDS as u32;
        (&self.doubtful[(word / 64) as usize], word % 64)
    }

    /// Whether all words from that at an address to that at another, which is not below, are known to hold values.
    #[inline(always)]
    pub(crate) fn is_settled(&self, low: u32, high: u32) -> bool {
        let [low, high] = [low, high].map(|address| (address >> 2) as usize % CHUNK_WORDS);
        let (from, to) = (u64::MAX << (low % 64), u64::MAX >> (63 - high % 64));
        match self.doubtful.get(low / 64..=high / 64).unwrap_or_default() {
            [words] => words.load(Relaxed) & from & to == 0,
            [first, between @ .., last] => {
                let all = |words: &AtomicU64| words.load(Relaxed);
                all(first) & from | all(last) & to == 0
                    && between.iter().all(|words| all(words) == 0)
            }
            [] => false,
        }
    }

    /// Looks at these words, unless they are many, so that it is known which of them hold values.
    #[inline(never)]
    pub(crate) fn settle(&self, low: u32, high: u32) {
        if (high >> 2) - (low >> 2) >= MOST {
            return;
        }
        for address in (low & !3..=high).step_by(4) {
            if self.bits.load::<4>(address) == 0 {
                let (words, word) = self.doubt(address);
                words.store(words.load(Relaxed) & !(1 << word), Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_values_until_one_is_stored_that_does_not() {
        let mut shadow = LocalShadow::new();
        shadow.settle(0, 0x100);
        assert!(!shadow.is_settled(0, 0));
        for address in (0x20..0x220).step_by(4) {
            shadow.store::<4>(address, 0);
        }
        // Too many at once.
        shadow.settle(0x20, 0x21c);
        assert!(!shadow.is_settled(0x20, 0x21c));
        for low in [0x1c, 0x10c, 0x1f0] {
            shadow.settle(low, low + 0xf3);
        }
        for (low, high, is_settled) in [
            (0x20, 0x21f, true),
            (0x20, 0x20, true),
            (0x1c, 0x21c, false),
            (0x20, 0x220, false),
            (0x100, 0x1ff, true),
        ] {
            assert_eq!(
                shadow.is_settled(low, high),
                is_settled,
                "{low:#x} to {high:#x}"
            );
        }
        shadow.store::<1>(0x102, 0x80);
        assert!(!shadow.is_settled(0x100, 0x100));
        assert!(shadow.is_settled(0x104, 0x21c) && shadow.is_settled(0x20, 0xfc));
        shadow.store::<1>(0x102, 0);
        assert!(!shadow.is_settled(0x100, 0x100));
        shadow.settle(0x102, 0x102);
        assert!(shadow.clone().is_settled(0x20, 0x21c));
        shadow.reset(0x1000);
        assert!(!shadow.is_settled(0x20, 0x20));
    }
}
