//! Why a tensor cannot have a layout. The texts are made at compile time where the facts are known then.

use std::fmt;

use super::layout::TensorMemory;
use crate::types::Text;

/// Why a tensor cannot have a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// A shard that is larger than local memory.
    ShardCapacity {
        /// Bytes of the shard.
        required: u64,
        /// Bytes of local memory.
        available: u64,
    },
    /// Circular buffers and shards that are larger than local memory together.
    Capacity {
        /// Bytes of all.
        required: u64,
        /// Bytes of local memory.
        available: u64,
    },
    /// A shard that is not made of whole tiles.
    Unaligned {
        /// Which memory it is in.
        memory: TensorMemory,
        /// Rows and columns of the shard.
        shard: [u32; 2],
        /// Rows and columns of a tile.
        tile: [u32; 2],
    },
    /// A halo around what is not a shard in local memory.
    Halo {
        /// Name of the tensor.
        buffer: &'static str,
        /// Rows and columns of the halo.
        halo: [u32; 2],
    },
    /// A halo that reaches beyond the neighbours' shards.
    WideHalo {
        /// Rows and columns of the halo.
        halo: [u32; 2],
        /// Rows and columns of a shard.
        shard: [u32; 2],
    },
    /// As many grid extents as axes are needed, one or two.
    GridRank {
        /// How many axes there are.
        axes: usize,
        /// How many extents.
        grid: usize,
    },
    /// More axes than a tensor has.
    Rank {
        /// How many are named.
        axes: usize,
    },
    /// An axis that is there twice.
    AxisTwice {
        /// Name of the axis.
        axis: &'static str,
    },
    /// A grid with more shards along an axis than the tensor fills.
    EmptyShards {
        /// Name of the axis.
        axis: &'static str,
        /// Shards along it.
        grid: u32,
        /// How many the tensor fills.
        filled: u32,
    },
    /// A size of zero.
    Zero {
        /// What has that size.
        what: &'static str,
    },
    /// A size that no device has memory for.
    TooLarge {
        /// What has that size.
        what: &'static str,
    },
    /// A sharded tensor without shards.
    NoShard,
    /// Shards of a tensor that is not sharded.
    UnexpectedShard,
    /// Local memory for a tensor that is not cut into shards.
    WholeInL1,
    /// A pass that does not find what the one before it must write.
    Missing {
        /// Name of the record.
        record: &'static str,
        /// Name of the tensor.
        buffer: &'static str,
    },
}

impl LayoutError {
    /// The message.
    pub(super) const fn text(&self) -> Text {
        let text = Text::EMPTY;
        match *self {
            Self::ShardCapacity {
                required,
                available,
            } => text
                .with("L1 shard exceeds capacity: ")
                .with_bytes(required, available),
            Self::Capacity {
                required,
                available,
            } => text
                .with("circular buffers and shards exceed local memory: ")
                .with_bytes(required, available),
            Self::Unaligned {
                memory,
                shard,
                tile,
            } => text
                .with(memory.name())
                .with(" shard not tile-aligned: shard_shape ")
                .with_pair(shard)
                .with(" must be multiples of tile_shape ")
                .with_pair(tile),
            Self::Halo { buffer, halo } => text
                .with("Halo hints not supported: buffer ")
                .with(buffer)
                .with(" has halo ")
                .with_pair(halo)
                .with("; only shards in L1 have their neighbours' rim around them"),
            Self::WideHalo { halo, shard } => text
                .with("Halo exceeds the neighbours: halo ")
                .with_pair(halo)
                .with(" must be within shard_shape ")
                .with_pair(shard),
            Self::GridRank { axes, grid } => text
                .with("Shard grid mismatch: ")
                .with_count(axes)
                .with(" in `axes` and ")
                .with_count(grid)
                .with(" in `grid` must be as many"),
            Self::Rank { axes } => text
                .with("Shard rank mismatch: ")
                .with_count(axes)
                .with(" in `axes`, but a tensor has the axes M and N"),
            Self::AxisTwice { axis } => text
                .with("Shard axes mismatch: ")
                .with(axis)
                .with(" is there twice"),
            Self::EmptyShards { axis, grid, filled } => text
                .with("Shard grid mismatch: ")
                .with_count(grid as usize)
                .with(" shards along ")
                .with(axis)
                .with(", but the tensor fills only ")
                .with_count(filled as usize),
            Self::Zero { what } => text.with(what).with(" must not be zero"),
            Self::TooLarge { what } => text.with(what).with(" is beyond the memory of any Vortex"),
            Self::NoShard => text
                .with("layout = sharded needs shards: write `shard(axes = [M, N], grid = [8, 8])`"),
            Self::UnexpectedShard => {
                text.with("shards are for `layout = sharded`: write that, or leave `shard(..)` out")
            }
            Self::WholeInL1 => text.with(
                "a tensor in L1 is cut into shards, one for each group: \
                 write `layout = sharded, shard(axes = [M, N], grid = [8, 8])`",
            ),
            Self::Missing { record, buffer } => text
                .with("there is no record `")
                .with(record)
                .with(buffer)
                .with("`: the passes have to run in order"),
        }
    }
}

impl Text {
    const fn with_count(self, number: usize) -> Self {
        self.with_number(number as u128)
    }

    const fn with_bytes(self, required: u64, available: u64) -> Self {
        self.with_number(required as u128)
            .with(" bytes required, ")
            .with_number(available as u128)
            .with(" bytes available")
    }

    const fn with_pair(self, pair: [u32; 2]) -> Self {
        self.with("[")
            .with_number(pair[0] as u128)
            .with(", ")
            .with_number(pair[1] as u128)
            .with("]")
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl std::error::Error for LayoutError {}
