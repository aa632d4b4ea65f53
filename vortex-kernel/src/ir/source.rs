//! Places in the user's source.

use std::fmt;
use std::panic::Location;

use serde::{Deserialize, Serialize};

use crate::escape::Escaped;

/// A place in the user's source: an index into [`Function::locs`](super::Function::locs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub u32);

impl Loc {
    /// The location of code the compiler made up. Always entry 0 of [`Function::locs`](super::Function::locs).
    pub const NONE: Self = Self(0);
}

/// One entry of the location table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceLoc {
    /// Path as rustc prints it; empty for [`Loc::NONE`].
    pub file: String,
    /// One-based line.
    pub line: u32,
    /// One-based column.
    pub column: u32,
}

impl SourceLoc {
    /// The place of a `#[track_caller]` call.
    #[must_use]
    pub fn from_caller(at: &Location<'_>) -> Self {
        Self {
            file: at.file().to_owned(),
            line: at.line(),
            column: at.column(),
        }
    }
}

impl fmt::Display for SourceLoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", Escaped(&self.file), self.line, self.column)
    }
}
