//! Shared by both tables of functions that C calls: handles, pointers to results, and a boundary that stops panics.

use crate::failure::Failure;
use std::ffi::{c_int, c_void};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A device or a buffer: `void*` in C, a number here.
pub type Handle = *mut c_void;

pub(crate) fn as_pointer(handle: usize) -> Handle {
    std::ptr::without_provenance_mut(handle)
}

/// What a call returns that failed.
const FAILED: c_int = -1;
/// What waiting for a kernel returns once it has ended, but not as it should: what it used can be freed then. No
/// driver of Vortex's own returns this; they have no such errors.
const ENDED_BY_FAULT: c_int = -2;

/// Turns failures and panics into a return value, and a line on stderr.
pub(crate) fn guard(call: &str, action: impl FnOnce() -> Result<(), Failure>) -> c_int {
    // What an interrupted call leaves behind is behind locks whose users say why they can continue.
    let (code, why) = match catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(())) => return 0,
        // Programs poll with short waits; that is no news.
        Ok(Err(Failure::TimedOut(_))) => return FAILED,
        Ok(Err(failure @ Failure::Kernel(_))) => (ENDED_BY_FAULT, failure.to_string()),
        Ok(Err(failure)) => (FAILED, failure.to_string()),
        Err(_) => (
            FAILED,
            "the device failed, which is a mistake in it".to_owned(),
        ),
    };
    // Nobody is left to tell if stderr is closed.
    let _ = writeln!(std::io::stderr(), "vortex-embedded: {call}: {why}");
    code
}

/// Where the caller wants a result: a pointer that is not null.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    pub(crate) fn new(pointer: *mut T, what: &'static str) -> Result<Out<T>, Failure> {
        if pointer.is_null() {
            return Err(Failure::Null(what));
        }
        Ok(Out(pointer))
    }

    pub(crate) fn set(self, value: T) {
        // SAFETY: not null, and by the functions' contracts then valid for a write; unaligned is fine.
        unsafe { self.0.write_unaligned(value) };
    }
}
