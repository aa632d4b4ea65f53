//! Which iteration of its loop over work items a warp was in when it stopped.
//!
//! This costs kernels no instructions. The compiler records places where some register holds the iteration's number
//! ([`Image::item_counters`]). Elsewhere it may be on the stack, in another register, or only in rarely executed code.
//! But sooner or later, before the iteration ends, it is in that register again. So the code is followed backwards from
//! the recorded places, without executing it, to where the word that arrives there comes from: the nearest recorded
//! place that an instruction leads to decides where the number is before it.
//!
//! An image may come from a file, and can be any code. Each instruction is visited a few times, so time and memory are
//! proportional to the code's size.

mod code;
mod stack_words;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use vortex_kernel::codegen::{Image, ItemCounterEntry};
use vortex_kernel::isa::x;

use code::Code;
use vortex_sim::debug::WordLocation;

/// The iteration that a warp is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iteration {
    /// It has yet to begin.
    First,
    /// The one with the number that is here.
    In(WordLocation),
    /// That of the code which has called this, whose address is in [`CALLER`].
    Called,
}

/// Where routines of an image find where they go back to.
pub(crate) const CALLER: WordLocation = WordLocation::Register(x::TP);

/// Where the number of the iteration is, for each instruction of an image.
pub(crate) struct ItemCounters<'a> {
    code: Code,
    iterations: &'a [ItemCounterEntry],
    /// Where it is before an instruction, by the number of that.
    places: Vec<Option<WordLocation>>,
    /// What is needed only for a warp that was stopped: which instructions are of routines, and which can be executed
    /// once the first iteration has begun.
    parts: OnceCell<Parts>,
}

struct Parts {
    routines: Vec<bool>,
    after_marks: Vec<bool>,
}

impl<'a> ItemCounters<'a> {
    pub(crate) fn of(image: &'a Image) -> Self {
        Self::new(&image.bytes, &image.item_counters)
    }

    fn new(bytes: &[u8], iterations: &'a [ItemCounterEntry]) -> Self {
        let code = Code::of(bytes);
        let places = code.places(&code.marks(iterations));
        Self {
            code,
            iterations,
            places,
            parts: OnceCell::new(),
        }
    }

    /// The iteration of a warp that was stopped `offset` bytes from the image's start, if that can be determined.
    pub(crate) fn at(&self, offset: u32) -> Option<Iteration> {
        let parts = self.parts.get_or_init(|| Parts {
            routines: self.code.routines(),
            after_marks: self
                .code
                .reached(self.iterations.iter().map(|entry| entry.offset)),
        });
        let index = index(offset)?;
        let is_among = |those: &[bool]| those.get(index).copied().unwrap_or_default();
        if is_among(&parts.routines) {
            return Some(Iteration::Called);
        }
        if let Some(place) = self.place(offset) {
            return Some(Iteration::In(place));
        }
        let before = !self.iterations.is_empty() && !is_among(&parts.after_marks);
        before.then_some(Iteration::First)
    }

    /// Where the number of the iteration is in which a warp comes to the instruction there, if it is known: nowhere
    /// before the first begins.
    pub(crate) fn place(&self, offset: u32) -> Option<WordLocation> {
        *self.places.get(index(offset)?)?
    }
}

/// The number of the instruction at an offset.
fn index(offset: u32) -> Option<usize> {
    usize::try_from(offset / 4)
        .ok()
        .filter(|_| offset.is_multiple_of(4))
}
