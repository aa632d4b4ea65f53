//! The bytes of device memory: a table of 64 KiB chunks, made when first written.
//!
//! Nothing is checked here; `protection.rs` knows what may be accessed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

pub(crate) const CHUNK_BITS: u32 = 16;
const CHUNK_BYTES: u32 = 1 << CHUNK_BITS;
pub(crate) const CHUNK_WORDS: usize = CHUNK_BYTES as usize / 4;

/// 64 KiB of memory as little-endian words. Atomic, because cores share them; relaxed accesses cost what plain ones do.
pub(crate) struct Chunk(Box<[AtomicU32; CHUNK_WORDS]>);

impl Clone for Chunk {
    fn clone(&self) -> Chunk {
        let words: Box<[AtomicU32]> = (self.0.iter())
            .map(|word| AtomicU32::new(word.load(Relaxed)))
            .collect();
        match words.try_into() {
            Ok(words) => Chunk(words),
            Err(_) => unreachable!("a chunk has as many words as a chunk has"),
        }
    }

    fn clone_from(&mut self, source: &Chunk) {
        self.copy_from(source);
    }
}

impl Chunk {
    /// Takes over what another one holds.
    fn copy_from(&self, source: &Chunk) {
        for (word, source) in self.0.iter().zip(source.0.iter()) {
            word.store(source.load(Relaxed), Relaxed);
        }
    }

    pub(crate) fn filled(value: u32) -> Chunk {
        let words: Box<[AtomicU32]> = (0..CHUNK_WORDS).map(|_| AtomicU32::new(value)).collect();
        match words.try_into() {
            Ok(words) => Chunk(words),
            Err(_) => unreachable!("as many words were made as a chunk has"),
        }
    }

    /// The word that holds the byte at `address`, of which only the low bits count.
    #[inline(always)]
    pub(crate) fn word(&self, address: u32) -> &AtomicU32 {
        &self.0[(address >> 2) as usize & (CHUNK_WORDS - 1)]
    }

    /// `SIZE` bytes at `address`, which is a multiple of `SIZE`, zero-extended.
    #[inline(always)]
    pub(crate) fn load<const SIZE: u32>(&self, address: u32) -> u32 {
        let word = self.word(address).load(Relaxed);
        if SIZE == 4 {
            word
        } else {
            word >> (address % 4 * 8) & low_bytes(SIZE)
        }
    }

    /// Writes the `SIZE` low bytes of `value` to `address`, which is a multiple of `SIZE`.
    #[inline(always)]
    pub(crate) fn store<const SIZE: u32>(&self, address: u32, value: u32) {
        let word = self.word(address);
        if SIZE == 4 {
            word.store(value, Relaxed);
        } else {
            let shift = address % 4 * 8;
            let mask = low_bytes(SIZE) << shift;
            word.store(word.load(Relaxed) & !mask | value << shift & mask, Relaxed);
        }
    }

    /// As [`Chunk::store`], and other threads may at the same time write other bytes of the word.
    #[inline(always)]
    pub(crate) fn merge<const SIZE: u32>(&self, address: u32, value: u32) {
        if SIZE == 4 {
            return self.store::<4>(address, value);
        }
        let shift = address % 4 * 8;
        let mask = low_bytes(SIZE) << shift;
        self.update(address, |word| word & !mask | value << shift & mask);
    }

    /// Changes a word in one step; returns what it was.
    #[inline]
    pub(crate) fn update(&self, address: u32, change: impl Fn(u32) -> u32) -> u32 {
        let word = self.word(address);
        let mut old = word.load(Relaxed);
        while let Err(other) = word.compare_exchange_weak(old, change(old), SeqCst, Relaxed) {
            old = other;
        }
        old
    }

    /// Changes a word in one step if it is still the same; returns whether it was.
    pub(crate) fn exchange(&self, address: u32, expected: u32, value: u32) -> bool {
        let word = self.word(address);
        word.compare_exchange(expected, value, SeqCst, Relaxed)
            .is_ok()
    }

    /// Sets the bytes from `from` up to `to`, offsets into the chunk, to those of `value`.
    pub(crate) fn fill(&mut self, from: u32, to: u32, value: u32) {
        // Words that are set as a whole, and those at the ends that are not.
        let (start, end) = (from.div_ceil(4), (to / 4).max(from.div_ceil(4)));
        for word in &mut self.0[start as usize..end as usize] {
            *word.get_mut() = value;
        }
        let ends = (from / 4..start).chain(end..to.div_ceil(4));
        for word in ends {
            let first = from.saturating_sub(word * 4);
            let end = (to - word * 4).min(4);
            let mask = low_bytes(end) & u32::MAX << (8 * first);
            let word = self.0[word as usize].get_mut();
            *word = *word & !mask | value & mask;
        }
    }
}

/// A mask of the `size` low bytes, 1 to 4.
pub(crate) const fn low_bytes(size: u32) -> u32 {
    u32::MAX >> (32 - 8 * size)
}

/// All of a device's memory, save the cores' local memories: a word for each of its addresses.
pub(crate) struct Memory {
    chunks: Box<[OnceLock<Chunk>]>,
    /// What words hold before anybody wrote them.
    blank: u32,
}

impl Memory {
    pub(crate) fn new(blank: u32) -> Memory {
        Memory {
            blank,
            chunks: (0..1 << (32 - CHUNK_BITS))
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    /// The chunk that holds `address`, if anything in it was written.
    #[inline(always)]
    pub(crate) fn existing(&self, address: u32) -> Option<&Chunk> {
        self.chunks[(address >> CHUNK_BITS) as usize & 0xffff].get()
    }

    /// The chunk that holds `address`.
    #[inline]
    pub(crate) fn chunk(&self, address: u32) -> &Chunk {
        self.chunks[(address >> CHUNK_BITS) as usize & 0xffff]
            .get_or_init(|| Chunk::filled(self.blank))
    }

    /// The word at `address`, a multiple of 4.
    #[inline]
    pub(crate) fn word(&self, address: u32) -> u32 {
        self.existing(address)
            .map_or(self.blank, |chunk| chunk.load::<4>(address))
    }

    /// What `SIZE` bytes at `address` hold before anybody wrote them.
    pub(crate) fn blank<const SIZE: u32>(&self, address: u32) -> u32 {
        self.blank >> (address % 4 * 8) & low_bytes(SIZE)
    }

    /// Makes the chunk that holds `address` what it was: another one, or none yet.
    pub(crate) fn restore(&self, address: u32, contents: Option<&Chunk>) {
        match (self.existing(address), contents) {
            (None, None) => {}
            (_, Some(contents)) => self.chunk(address).copy_from(contents),
            (Some(chunk), None) => {
                for word in chunk.0.iter() {
                    word.store(self.blank, Relaxed);
                }
            }
        }
    }

    /// Copies bytes out. The range must not wrap.
    pub(crate) fn read(&self, address: u32, bytes: &mut [u8]) {
        let (head, body) = bytes.split_at_mut(bytes.len().min(address.wrapping_neg() as usize % 4));
        self.read_bytes(address, head);
        let mut at = address.wrapping_add(head.len() as u32);
        let mut words = body.chunks_exact_mut(4);
        for word in &mut words {
            word.copy_from_slice(&self.word(at).to_le_bytes());
            at = at.wrapping_add(4);
        }
        self.read_bytes(at, words.into_remainder());
    }

    fn read_bytes(&self, address: u32, bytes: &mut [u8]) {
        for (n, byte) in bytes.iter_mut().enumerate() {
            let at = address.wrapping_add(n as u32);
            *byte = self.word(at & !3).to_le_bytes()[at as usize % 4];
        }
    }

    /// Copies bytes in. The range must not wrap.
    pub(crate) fn write(&mut self, address: u32, bytes: &[u8]) {
        let (head, body) = bytes.split_at(bytes.len().min(address.wrapping_neg() as usize % 4));
        self.write_bytes(address, head);
        let mut at = address.wrapping_add(head.len() as u32);
        let mut words = body.chunks_exact(4);
        while words.len() > 0 {
            // One chunk of memory at a time.
            let room = ((CHUNK_BYTES - at % CHUNK_BYTES) / 4) as usize;
            let chunk = self.chunk(at);
            for word in words.by_ref().take(room) {
                chunk.store::<4>(at, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                at = at.wrapping_add(4);
            }
        }
        self.write_bytes(at, words.remainder());
    }

    fn write_bytes(&mut self, address: u32, bytes: &[u8]) {
        for (n, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(n as u32);
            self.chunk(at).store::<1>(at, u32::from(byte));
        }
    }

    /// Forgets what `[first, last]` held.
    pub(crate) fn forget(&mut self, first: u32, last: u32) {
        for index in first >> CHUNK_BITS..=last >> CHUNK_BITS {
            let base = index << CHUNK_BITS;
            let from = first.max(base) - base;
            let to = last.min(base | (CHUNK_BYTES - 1)) - base + 1;
            let slot = &mut self.chunks[index as usize];
            if from == 0 && to == CHUNK_BYTES {
                slot.take();
            } else if let Some(chunk) = slot.get_mut() {
                chunk.fill(from, to, self.blank);
            }
        }
    }

    /// Forgets what `[first, last]` held, which will be written again soon: what was made stays.
    pub(crate) fn wipe(&mut self, first: u32, last: u32) {
        for index in first >> CHUNK_BITS..=last >> CHUNK_BITS {
            let base = index << CHUNK_BITS;
            let from = first.max(base) - base;
            let to = last.min(base | (CHUNK_BYTES - 1)) - base + 1;
            if let Some(chunk) = self.chunks[index as usize].get_mut() {
                chunk.fill(from, to, self.blank);
            }
        }
    }

    /// Sets the bytes of `[first, last]` to those of `value`.
    pub(crate) fn fill(&mut self, first: u32, last: u32, value: u32) {
        for index in first >> CHUNK_BITS..=last >> CHUNK_BITS {
            let base = index << CHUNK_BITS;
            let from = first.max(base) - base;
            let to = last.min(base | (CHUNK_BYTES - 1)) - base + 1;
            let slot = &mut self.chunks[index as usize];
            let mut chunk = slot.take().unwrap_or_else(|| Chunk::filled(self.blank));
            chunk.fill(from, to, value);
            *slot = OnceLock::from(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::UNINITIALISED;
    use super::*;

    #[test]
    fn bytes_at_any_offset_and_length_come_back() {
        let mut memory = Memory::new(UNINITIALISED);
        for start in 0xfff0..0x1_0010u32 {
            for length in 0..40 {
                let bytes: Vec<u8> = (0..length)
                    .map(|n| (start as u8).wrapping_mul(31) ^ n)
                    .collect();
                memory.write(start, &bytes);
                let mut back = vec![0; bytes.len()];
                memory.read(start, &mut back);
                assert_eq!(bytes, back, "{start:#x} + {length}");
            }
        }
    }

    #[test]
    fn forgotten_memory_reads_as_uninitialised() {
        let mut memory = Memory::new(UNINITIALISED);
        memory.write(0x8000, &[0; 0x3_0000]);
        memory.forget(0x9001, 0x2_fffe);
        assert_eq!(memory.word(0x9000), UNINITIALISED & !0xff);
        assert_eq!(memory.word(0x1_4000), UNINITIALISED);
        assert_eq!(memory.word(0x2_fffc), UNINITIALISED & 0xff_ffff);
        assert_eq!(memory.word(0x8ffc), 0);
        assert_eq!(memory.word(0x3_0000), 0);
        memory.fill(0xfffe, 0x2_0001, 0x1234_5678);
        assert_eq!(memory.word(0xfffc), 0x1234_0000 | UNINITIALISED & 0xffff);
        assert_eq!(memory.word(0x1_0000), 0x1234_5678);
        assert_eq!(memory.word(0x2_0000), UNINITIALISED & !0xffff | 0x5678);
    }
}
