//! The generations of Vortex: what the hardware promises to programs.

use std::fmt;

/// A generation of the hardware. Programs for one run on the other as far as they use what both have; in how they are
/// started, in what their special instructions do and in their control registers they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// Vortex 2: one warp of each core starts, and starts the others.
    #[default]
    V2,
    /// Vortex 3: the hardware hands out the groups of a grid to the warps of the cores.
    V3,
}

impl Generation {
    /// All generations, the oldest first.
    pub const ALL: [Generation; 2] = [Generation::V2, Generation::V3];

    /// Its number, the first one of Vortex's version: 2 or 3.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Generation::V2 => 2,
            Generation::V3 => 3,
        }
    }

    /// The generation with this number, as [`Generation::number`] has it. `None` of others.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Generation> {
        Generation::ALL
            .into_iter()
            .find(|generation| generation.number() == number)
    }

    /// Whether hardware of this generation has all that a program for another one uses of what came with it.
    #[must_use]
    pub fn has(self, since: Generation) -> bool {
        since <= self
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Vortex {}", self.number())
    }
}
