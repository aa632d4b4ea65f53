//! The console: line buffers that kernels write to byte by byte.

use crate::count::Count;
use crate::layout::{CONSOLE, RING_BYTES, RINGS, RINGS_LOST, RINGS_READ, RINGS_TEXT};
use crate::memory::Memory;
use std::collections::BTreeMap;

/// How much is kept of what is printed in a run, in bytes; what comes after that is only counted. A kernel can print
/// for as long as it runs, and the host's memory is not its own.
const ROOM: usize = 1 << 20;

/// What the end of a line takes, with the number of its buffer.
const END_OF_LINE: usize = 6;

/// What a run printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Console {
    /// Unfinished lines by core and buffer.
    lines: BTreeMap<(u32, u32), Vec<u8>>,
    text: String,
    /// Bytes in both of them, as they were printed: those that are not text take more.
    kept: usize,
    /// Bytes that found no room.
    lost: u64,
}

impl Console {
    /// Appends a character to a line; a newline prints it. After the first byte that finds no room none does, so that
    /// text is missing at the end only.
    pub(crate) fn put(&mut self, core: u32, buffer: u32, byte: u8) {
        if self.lost > 0 || self.kept >= ROOM {
            self.lost += 1;
            return;
        }
        let line = self.lines.entry((core, buffer)).or_default();
        if byte == b'\n' {
            let line = std::mem::take(line);
            self.print(buffer, &line);
            self.kept += END_OF_LINE;
        } else {
            line.push(byte);
            self.kept += 1;
        }
    }

    fn print(&mut self, buffer: u32, line: &[u8]) {
        self.text += &format!("#{buffer}: {}\n", String::from_utf8_lossy(line));
    }

    /// Takes what programs for Vortex 3 have put into the rings of characters in memory, which are empty then.
    pub(crate) fn drain(&mut self, memory: &Memory) {
        for ring in 0..RINGS {
            let (written, read) = (
                memory.word(CONSOLE + 4 * ring),
                memory.word(RINGS_READ + 4 * ring),
            );
            // A program may have written any number there.
            let fresh = written.wrapping_sub(read).min(RING_BYTES);
            for n in 0..fresh {
                let at = read.wrapping_add(n) % RING_BYTES;
                let mut byte = [0];
                memory.read(RINGS_TEXT + RING_BYTES * ring + at, &mut byte);
                self.put(0, ring, byte[0]);
            }
            self.lost += u64::from(memory.word(RINGS_LOST + 4 * ring));
        }
    }

    /// Prints what was begun, and says how much was lost. Nothing is printed after that.
    pub(crate) fn flush(&mut self) {
        for ((_, buffer), line) in std::mem::take(&mut self.lines) {
            if !line.is_empty() {
                self.print(buffer, &line);
            }
        }
        if self.lost > 0 {
            self.text += &format!("({} found no room)\n", Count(self.lost, "more byte"));
        }
    }

    /// Adds what other cores printed.
    pub(crate) fn append(&mut self, other: Console) {
        self.lost += other.lost;
        for (place, line) in other.lines {
            if self.has_room(line.len()) {
                self.lines.insert(place, line);
            }
        }
        for line in other.text.split_inclusive('\n') {
            if self.has_room(line.len()) {
                self.text += line;
            }
        }
    }

    /// Records as many bytes, which are kept if there is room.
    fn has_room(&mut self, bytes: usize) -> bool {
        let fits = self.kept + bytes <= ROOM;
        match fits {
            true => self.kept += bytes,
            false => self.lost += bytes as u64,
        }
        fits
    }

    /// All that was printed and kept.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many bytes of what was printed were not kept.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(core: u32, bytes: usize, line: usize) -> Console {
        let mut console = Console::default();
        for n in 1..=bytes {
            let byte = if n % line == 0 { b'\n' } else { 0xff };
            console.put(core, 3, byte);
        }
        console
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        for line in [1, 2, 100, usize::MAX] {
            let mut console = filled(0, 3 * ROOM, line);
            console.flush();
            assert!(console.text().len() <= 3 * ROOM + 100, "{line}");
            assert!(console.lost() >= 2 * ROOM as u64, "{line}");
            let said = format!("({} more bytes found no room)", console.lost());
            assert_eq!(console.text().lines().last(), Some(&*said));
        }
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let mut console = filled(0, 1000, 10);
        console.flush();
        assert_eq!((console.text().lines().count(), console.lost()), (100, 0));
        assert!(console.text().ends_with("\u{fffd}\n"));
    }

    #[test]
    fn the_room_is_that_of_all_cores() {
        let mut console = Console::default();
        for core in 0..4 {
            console.append(filled(core, ROOM / 2, 64));
        }
        console.flush();
        assert!(console.text().len() < 3 * ROOM);
        assert!(console.lost() > 0);
    }
}
