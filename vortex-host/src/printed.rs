//! What kernels printed, in words.

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
