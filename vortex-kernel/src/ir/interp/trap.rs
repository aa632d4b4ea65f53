//! What stops a run.

use thiserror::Error;

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Trap {
    /// An access outside all regions.
    #[error("item {item}: {size} bytes at {address:#x} are not mapped")]
    OutOfBounds {
        /// Linear number of the item, or of the hart.
        item: u32,
        /// Address of the first byte.
        address: u32,
        /// Bytes of the access.
        size: u32,
    },
    /// An access that is not aligned to its size.
    #[error("item {item}: {size} bytes at {address:#x} are not aligned")]
    Misaligned {
        /// Linear number of the item, or of the hart.
        item: u32,
        /// Address of the first byte.
        address: u32,
        /// Bytes of the access.
        size: u32,
    },
    /// The item ran longer than allowed.
    #[error("item {item} did not end within the budget of instructions")]
    Budget {
        /// Linear number of the item, or of the hart.
        item: u32,
    },
    /// An assumption that does not hold: a bug of the compiler.
    #[error("item {item}: an assumption of the compiler does not hold")]
    Assumption {
        /// Linear number of the item, or of the hart.
        item: u32,
    },
    /// A barrier that not all items of the group have come to: the others would never arrive.
    #[error("item {item} waits at a barrier that not all items of its group have come to")]
    Barrier {
        /// Linear number of an item that waits.
        item: u32,
    },
    /// An operation that this way of running cannot answer, or arguments that are too short for it.
    #[error("`{0}` has no meaning here")]
    Unsupported(&'static str),
}
