//! Why a text is not IR, and where.

use thiserror::Error;

/// Deepest nesting of blocks that is read.
pub const MAX_NESTING: u32 = 200;

/// Values, variables, locations and labels are numbered below this.
pub(super) const MAX_NUMBER: u32 = 1 << 20;

/// Why a text is not IR, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct ParseError {
    /// One-based line in the text.
    pub line: u32,
    /// One-based column, in characters.
    pub column: u32,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else was needed here.
    #[error("expected {wanted}, found {found}")]
    Expected {
        /// What was expected.
        wanted: &'static str,
        /// What was found.
        found: String,
    },
    /// A string or a number that does not end or does not fit.
    #[error("malformed {0}")]
    Malformed(&'static str),
    /// Blocks nested too deeply.
    #[error("blocks are nested more than {MAX_NESTING} deep")]
    TooDeep,
    /// A value, variable or location numbered twice or too high.
    #[error("{0} is defined twice, out of order, or numbered too high")]
    Numbering(String),
}
