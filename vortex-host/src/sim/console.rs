//! The console: line buffers that kernels write to byte by byte.

use std::collections::BTreeMap;

/// What a run printed.
#[derive(Debug, Default)]
pub(crate) struct Console {
    /// Unfinished lines by core and buffer.
    lines: BTreeMap<(u32, u32), Vec<u8>>,
    text: String,
}

impl Console {
    /// Appends a character to a line; a newline prints it.
    pub(crate) fn put(&mut self, core: u32, buffer: u32, byte: u8) {
        let line = self.lines.entry((core, buffer)).or_default();
        if byte == b'\n' {
            let line = std::mem::take(line);
            self.print(buffer, &line);
        } else {
            line.push(byte);
        }
    }

    fn print(&mut self, buffer: u32, line: &[u8]) {
        self.text += &format!("#{buffer}: {}\n", String::from_utf8_lossy(line));
    }

    /// Prints what was begun.
    pub(crate) fn flush(&mut self) {
        for ((_, buffer), line) in std::mem::take(&mut self.lines) {
            if !line.is_empty() {
                self.print(buffer, &line);
            }
        }
    }

    /// Adds what other cores printed.
    pub(crate) fn append(&mut self, other: Console) {
        self.lines.extend(other.lines);
        self.text += &other.text;
    }

    /// All that was printed.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}
