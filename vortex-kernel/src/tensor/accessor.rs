//! Pass A3: how an index of each tensor becomes an address.

use serde::{Deserialize, Serialize};

use super::infer::BufferRecord;
use super::layout::{Arrangement, TensorMemory};

/// The accessor of a tensor: `tt.tensor_accessor.<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessorRecord {
    /// Name of the buffer record that it accesses.
    pub layout_ref: String,
    /// How it steps.
    pub stride_mode: StrideMode,
    /// The grid of tiles or shards that it steps over.
    pub tile_params: TileParams,
    /// Where the tensor is, during a launch.
    pub runtime_binding: Option<RuntimeBinding>,
}

/// How an accessor steps through a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrideMode {
    /// From tile to tile.
    Tiled,
    /// From row to row.
    Linear,
    /// From shard to shard, and within one from tile to tile.
    Sharded,
}

impl StrideMode {
    /// As the records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tiled => "tiled",
            Self::Linear => "linear",
            Self::Sharded => "sharded",
        }
    }
}

impl From<Arrangement> for StrideMode {
    fn from(arrangement: Arrangement) -> Self {
        match arrangement {
            Arrangement::Interleaved => Self::Tiled,
            Arrangement::Linear => Self::Linear,
            Arrangement::Sharded => Self::Sharded,
        }
    }
}

/// What an accessor steps over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TileParams {
    /// A grid of tiles.
    Grid(GridParams),
    /// A grid of shards.
    Shards(ShardParams),
}

impl TileParams {
    /// Of a tensor with this buffer, and of this many rows and columns if that is known.
    #[must_use]
    pub fn of(buffer: &BufferRecord, extents: Option<[u32; 2]>) -> Self {
        let [tile_height, tile_width] = buffer.tile_shape;
        let Some(shard) = buffer.nd_shard else {
            let tiles =
                |[rows, cols]: [u32; 2]| [rows.div_ceil(tile_height), cols.div_ceil(tile_width)];
            let tiles = extents.map(tiles);
            return Self::Grid(GridParams {
                tile_height,
                tile_width,
                tiles_per_row: tiles.map(|[_, across]| across),
                total_tiles: tiles.map(|[down, across]| down * across),
            });
        };
        Self::Shards(ShardParams {
            tile_height,
            tile_width,
            shard_tiles_m: shard.projected_shard_tiles.map(|[m, _]| m),
            shard_tiles_n: shard.projected_shard_tiles.map(|[_, n]| n),
            grid_m: shard.projected_grid[0],
            grid_n: shard.projected_grid[1],
        })
    }
}

/// A grid of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridParams {
    /// Rows of a tile.
    pub tile_height: u32,
    /// Columns of a tile.
    pub tile_width: u32,
    /// Tiles next to each other; `None` if the launch determines that.
    pub tiles_per_row: Option<u32>,
    /// Tiles in all; likewise.
    pub total_tiles: Option<u32>,
}

/// A grid of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardParams {
    /// Rows of a tile.
    pub tile_height: u32,
    /// Columns of a tile.
    pub tile_width: u32,
    /// Tiles of a shard along the rows; `None` if the launch determines that.
    pub shard_tiles_m: Option<u32>,
    /// Tiles of a shard along the columns.
    pub shard_tiles_n: Option<u32>,
    /// Shards along the rows.
    pub grid_m: u32,
    /// Shards along the columns.
    pub grid_n: u32,
}

/// Where a tensor is, during a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeBinding {
    /// Address of the first element.
    pub base_address: u32,
    /// Elements from a tile to the one below, and to the one to the right; for linear layouts, from a row to the next,
    /// and 1.
    pub strides: [u32; 2],
    /// The number of the group that each shard belongs to, row by row of the shards.
    pub shard_owner: Option<Vec<u32>>,
}

/// A line of the summary of accessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessorSummary {
    /// How it steps.
    pub stride_mode: StrideMode,
    /// Where kernels compute with the tensor.
    pub memory: TensorMemory,
}
