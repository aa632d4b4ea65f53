//! What kernels printed, in words.

use vortex_kernel::ir::Stream;

use crate::name::Name;

/// What a launch printed.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    /// Text for the host's standard output, items in ascending order.
    pub(crate) out: String,
    pub(crate) err: String,
    /// Messages that found no room.
    pub(crate) lost: u64,
}

impl Printed {
    /// What items print, by their numbers; what one item prints is in order.
    pub(crate) fn of_items(mut said: Vec<(u32, Stream, String)>) -> Self {
        said.sort_by_key(|(item, ..)| *item);
        let mut printed = Self::default();
        for (_, stream, text) in said {
            match stream {
                Stream::Out => printed.out.push_str(&text),
                Stream::Err => printed.err.push_str(&text),
            }
        }
        printed
    }

    /// Writes it to the host's standard output and standard error.
    pub(crate) fn show(&self, kernel: &Name) {
        print!("{}", self.out);
        eprint!("{}", self.err);
        if self.lost > 0 {
            eprintln!(
                "kernel {kernel}: {} more messages found no room and are lost",
                self.lost
            );
        }
    }
}
