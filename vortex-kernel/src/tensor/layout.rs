//! A user's declarations of a tensor's layout.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a tensor is when a kernel computes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TensorMemory {
    /// Global memory, which all groups share.
    #[default]
    #[serde(rename = "DRAM")]
    Dram,
    /// Local memory: each group has a part of it there.
    L1,
}

/// How the tiles of a tensor follow each other in global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// Tile by tile, the tiles row by row.
    #[default]
    Interleaved,
    /// Row by row, without tiles.
    Linear,
    /// Shard by shard, each tile by tile.
    Sharded,
}

/// An axis of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Axis {
    /// Along which rows follow each other.
    M,
    /// Along which columns follow each other.
    N,
}

/// The axes along which a tensor is cut into shards, in the order in which a grid counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axes {
    /// Along the rows only.
    M,
    /// Along the columns only.
    N,
    /// Along both, rows first.
    Mn,
    /// Along both, columns first.
    Nm,
}

impl Axes {
    /// The axes, one by one.
    #[must_use]
    pub const fn list(self) -> &'static [Axis] {
        match self {
            Self::M => &[Axis::M],
            Self::N => &[Axis::N],
            Self::Mn => &[Axis::M, Axis::N],
            Self::Nm => &[Axis::N, Axis::M],
        }
    }
}

/// Which shard belongs to the next group, and is next in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShardOrder {
    /// The one to the right.
    #[default]
    RowMajor,
    /// The one below.
    ColMajor,
}

macro_rules! named {
    ($($ty:ident { $($variant:ident $name:literal)* })*) => {$(
        impl $ty {
            /// As the records spell it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

named! {
    TensorMemory { Dram "DRAM" L1 "L1" }
    Arrangement { Interleaved "interleaved" Linear "linear" Sharded "sharded" }
    Axis { M "M" N "N" }
    ShardOrder { RowMajor "row_major" ColMajor "col_major" }
}

/// Where a tensor is stored, and in which order: declared by `#[layout(..)]`, and used by the host to upload a tensor.
///
/// ```
/// use vortex_kernel::tensor::{Axis, TensorLayout};
///
/// let tiles = TensorLayout::INTERLEAVED.tile_shape(16, 16);
/// let shards = TensorLayout::sharded(&[Axis::M, Axis::N], &[8, 8]).in_l1();
/// assert_ne!(tiles, shards);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorLayout {
    pub(super) memory: TensorMemory,
    pub(super) arrangement: Arrangement,
    pub(super) tile: [usize; 2],
    pub(super) depth: usize,
    pub(super) halo: [usize; 2],
    pub(super) shard: Shard,
}

/// What is said about shards. As many axes and grid extents are kept as any tensor has; the counts are as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shard {
    pub(super) axes: [Axis; 2],
    pub(super) axes_given: usize,
    pub(super) grid: [usize; 2],
    pub(super) grid_given: usize,
    pub(super) order: ShardOrder,
    pub(super) align_tiles: bool,
}

impl TensorLayout {
    /// In global memory, tile by tile, in tiles of 32 x 32, with circular buffers of two pages: the default.
    pub const INTERLEAVED: Self = Self {
        memory: TensorMemory::Dram,
        arrangement: Arrangement::Interleaved,
        tile: [32, 32],
        depth: 2,
        halo: [0, 0],
        shard: Shard {
            axes: [Axis::M, Axis::N],
            axes_given: 0,
            grid: [1, 1],
            grid_given: 0,
            order: ShardOrder::RowMajor,
            align_tiles: true,
        },
    };

    /// In global memory, row by row. Rows are padded to whole tiles.
    pub const LINEAR: Self = Self {
        arrangement: Arrangement::Linear,
        ..Self::INTERLEAVED
    };

    /// In global memory, shard by shard: cut along these axes into as many parts as `grid` has groups along each.
    #[must_use]
    pub const fn sharded(axes: &[Axis], grid: &[usize]) -> Self {
        Self::INTERLEAVED
            .arranged(Arrangement::Sharded)
            .shard(axes, grid)
    }

    /// Rows and columns of a tile.
    #[must_use]
    pub const fn tile_extents(&self) -> [usize; 2] {
        self.tile
    }

    /// The same in another arrangement.
    #[must_use]
    pub const fn arranged(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }

    /// The same, cut along these axes into as many parts as `grid` has groups along each.
    #[must_use]
    pub const fn shard(mut self, axes: &[Axis], grid: &[usize]) -> Self {
        self.shard.axes_given = axes.len();
        self.shard.grid_given = grid.len();
        let mut n = 0;
        while n < 2 {
            if n < axes.len() {
                self.shard.axes[n] = axes[n];
            }
            if n < grid.len() {
                self.shard.grid[n] = grid[n];
            }
            n += 1;
        }
        self
    }

    /// The same, for kernels that compute with it there.
    #[must_use]
    pub const fn in_memory(mut self, memory: TensorMemory) -> Self {
        self.memory = memory;
        self
    }

    /// The same, each group with its shard in local memory.
    #[must_use]
    pub const fn in_l1(self) -> Self {
        self.in_memory(TensorMemory::L1)
    }

    /// The same with tiles of this many rows and columns.
    #[must_use]
    pub const fn tile_shape(mut self, rows: usize, cols: usize) -> Self {
        self.tile = [rows, cols];
        self
    }

    /// The same with circular buffers of this many pages.
    #[must_use]
    pub const fn depth(mut self, pages: usize) -> Self {
        self.depth = pages;
        self
    }

    /// The same with shards that have so many of their neighbours' rows and columns around them, in local memory.
    #[must_use]
    pub const fn halo(mut self, rows: usize, cols: usize) -> Self {
        self.halo = [rows, cols];
        self
    }

    /// The same with shards in this order.
    #[must_use]
    pub const fn order(mut self, order: ShardOrder) -> Self {
        self.shard.order = order;
        self
    }

    /// The same with shards that must be whole tiles, or with shards that are padded to whole tiles.
    #[must_use]
    pub const fn align_tiles(mut self, align: bool) -> Self {
        self.shard.align_tiles = align;
        self
    }
}
