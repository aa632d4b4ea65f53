//! Which image of a kernel a launch takes, for its report.

use std::borrow::Cow;
use std::fmt;

use crate::extents::Extents;

/// Which image of a kernel a launch took, and why. Prints as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The groups that the image relies on; any if there are none.
    pub block: Option<[u32; 3]>,
    /// Of how many images it was chosen.
    pub of: usize,
    pub(crate) reason: Cow<'static, str>,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block {
            Some(block) => write!(f, "for groups of {}", extents(block))?,
            None => write!(f, "for groups of any size")?,
        }
        match self.of {
            1 => write!(f, ", the only one"),
            of => write!(f, ", one of {of}: {}", self.reason),
        }
    }
}

impl Choice {
    /// An image that was compiled for a launch, one of so many.
    pub(crate) fn for_launch(block: Option<[u32; 3]>, of: usize) -> Self {
        let reason = match block {
            Some(_) => "the launch has these groups".into(),
            None => "there are already enough for groups of one size".into(),
        };
        Self { block, of, reason }
    }
}

/// Groups as messages spell them.
pub(crate) fn extents(block: [u32; 3]) -> Extents {
    Extents(block.map(u64::from))
}
