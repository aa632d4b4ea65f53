//! The memory that an argument refers to, in metadata.

use serde::{Deserialize, Serialize};

/// Storage class of what an argument refers to, numbered as OpenCL's address spaces are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[repr(u8)]
pub enum Space {
    /// Memory of one work item; values are private.
    Private = 0,
    /// Memory that every work item of every launch can reach.
    Global = 1,
    /// Memory that is read-only during a launch.
    Constant = 2,
    /// Memory of one work group.
    Local = 3,
    /// Not known: any of the others. Kernels of this library have no such arguments.
    Unknown = 4,
}

impl Space {
    /// All of them, by their numbers.
    pub const ALL: [Self; 5] = [
        Self::Private,
        Self::Global,
        Self::Constant,
        Self::Local,
        Self::Unknown,
    ];
}

impl From<Space> for u8 {
    fn from(space: Space) -> Self {
        space as Self
    }
}

impl TryFrom<u8> for Space {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        let found = Self::ALL.get(usize::from(number));
        found
            .copied()
            .ok_or("storage classes are numbered from 0 to 4")
    }
}
