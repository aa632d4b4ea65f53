//! Places in the user's source.

use std::fmt;
use std::panic::Location;

use serde::{Deserialize, Serialize};

use crate::escape::Escaped;

/// One entry of the location table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceLoc {
    /// Path as rustc prints it; empty for [`Loc::NONE`](super::Loc::NONE).
    pub file: String,
    /// Line, from 1; 0 for [`Loc::NONE`](super::Loc::NONE).
    pub line: u32,
    /// Column in characters, from 1; likewise.
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
