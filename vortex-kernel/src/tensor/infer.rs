//! Pass A1: the canonical buffer of each tensor.

use std::fmt;
use std::panic::Location;

use serde::{Deserialize, Serialize};

use super::error::LayoutError;
use super::layout::{Arrangement, Axes, Axis, ShardOrder, TensorLayout, TensorMemory};
use super::{AT_LAUNCH, Dtype, TensorMeta};

/// The canonical buffer of a tensor: `tt.buffer.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferRecord {
    /// Where kernels compute with it.
    pub memory: TensorMemory,
    /// Its order in global memory.
    pub layout: Arrangement,
    /// Rows and columns of a tile.
    pub tile_shape: [u32; 2],
    /// The type of its elements.
    pub dtype: Dtype,
    /// How it is cut, if it is sharded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nd_shard: Option<ShardRecord>,
}

/// How a tensor is cut into shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ShardInFile", into = "ShardInFile")]
pub struct ShardRecord {
    /// Along which axes.
    pub axes: Axes,
    /// Rows and columns of a shard, without padding; `None` if the launch determines that.
    pub shard_shape_elems: Option<[u32; 2]>,
    /// In which order shards follow each other.
    pub order: ShardOrder,
    /// Whether shards are whole tiles by themselves.
    pub align_tiles: bool,
    /// Rows and columns of its neighbours around a shard in local memory.
    pub halo: [u32; 2],
    /// Shards along the rows and along the columns.
    pub projected_grid: [u32; 2],
    /// Tiles of a shard along the rows and along the columns.
    pub projected_shard_tiles: Option<[u32; 2]>,
}

/// The same as files have it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardInFile {
    axes: Vec<Axis>,
    grid: Vec<u32>,
    shard_shape_elems: Option<[u32; 2]>,
    order: ShardOrder,
    align_tiles: bool,
    #[serde(default, skip_serializing_if = "is_none")]
    halo: [u32; 2],
    projected_grid: [u32; 2],
    projected_shard_tiles: Option<[u32; 2]>,
}

fn is_none(halo: &[u32; 2]) -> bool {
    *halo == [0, 0]
}

impl From<ShardRecord> for ShardInFile {
    fn from(shard: ShardRecord) -> Self {
        let [m, n] = shard.projected_grid;
        let along = |axis: &Axis| match axis {
            Axis::M => m,
            Axis::N => n,
        };
        Self {
            axes: shard.axes.list().to_vec(),
            grid: shard.axes.list().iter().map(along).collect(),
            shard_shape_elems: shard.shard_shape_elems,
            order: shard.order,
            align_tiles: shard.align_tiles,
            halo: shard.halo,
            projected_grid: shard.projected_grid,
            projected_shard_tiles: shard.projected_shard_tiles,
        }
    }
}

impl TryFrom<ShardInFile> for ShardRecord {
    type Error = String;

    fn try_from(file: ShardInFile) -> Result<Self, String> {
        let axes = match file.axes.as_slice() {
            [Axis::M] => Axes::M,
            [Axis::N] => Axes::N,
            [Axis::M, Axis::N] => Axes::Mn,
            [Axis::N, Axis::M] => Axes::Nm,
            _ => return Err("the axes of shards are M, N, or both".to_owned()),
        };
        let shard = Self {
            axes,
            shard_shape_elems: file.shard_shape_elems,
            order: file.order,
            align_tiles: file.align_tiles,
            halo: file.halo,
            projected_grid: file.projected_grid,
            projected_shard_tiles: file.projected_shard_tiles,
        };
        match ShardInFile::from(shard).grid == file.grid {
            true => Ok(shard),
            false => Err("`grid` and `projected_grid` of shards do not agree".to_owned()),
        }
    }
}

impl TensorMeta {
    /// The canonical buffer of the tensor of this name.
    ///
    /// # Errors
    /// If no tensor can be laid out like that.
    pub fn buffer(&self, name: &'static str) -> Result<BufferRecord, LayoutError> {
        infer(name, self, None)
    }
}

impl fmt::Display for BufferRecord {
    /// How it rests, as the attribute has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, cols] = self.tile_shape;
        write!(f, "layout = {}, tile_shape = [{rows}, {cols}]", self.layout)?;
        let Some(shard) = self.nd_shard else {
            return Ok(());
        };
        let ShardInFile {
            axes,
            grid,
            order,
            align_tiles,
            ..
        } = shard.into();
        let axes: Vec<_> = axes.into_iter().map(Axis::name).collect();
        write!(
            f,
            ", shard(axes = [{}], grid = {grid:?}), order = {order}, align_tiles = {align_tiles}",
            axes.join(", ")
        )
    }
}

/// The canonical buffer of one tensor.
pub(super) const fn infer(
    name: &'static str,
    meta: &TensorMeta,
    capacity: Option<u64>,
) -> Result<BufferRecord, LayoutError> {
    let layout = &meta.layout;
    if let Some(error) = impossible_size(meta) {
        return Err(error);
    }
    let tile = [layout.tile[0] as u32, layout.tile[1] as u32];
    let halo = [layout.halo[0] as u32, layout.halo[1] as u32];
    let has_halo = halo[0] > 0 || halo[1] > 0;
    let is_sharded = matches!(layout.arrangement, Arrangement::Sharded);
    let is_local = matches!(layout.memory, TensorMemory::L1);
    if has_halo && !(is_sharded && is_local) {
        return Err(LayoutError::Halo { buffer: name, halo });
    }
    if is_local && !is_sharded {
        return Err(LayoutError::WholeInL1);
    }
    let nd_shard = if is_sharded {
        match shards(meta, halo) {
            Ok(shard) => Some(shard),
            Err(error) => return Err(error),
        }
    } else if layout.shard.axes_given > 0 || layout.shard.grid_given > 0 {
        return Err(LayoutError::UnexpectedShard);
    } else {
        None
    };
    let mut buffer = BufferRecord {
        memory: layout.memory,
        layout: layout.arrangement,
        tile_shape: tile,
        dtype: meta.dtype,
        nd_shard,
    };
    if let Some(extents) = meta.known_extents() {
        buffer = match buffer.of_extents(extents) {
            Ok(buffer) => buffer,
            Err(error) => return Err(error),
        };
    }
    match capacity {
        Some(capacity) => match buffer.exceeds(capacity) {
            Some(error) => Err(error),
            None => Ok(buffer),
        },
        None => Ok(buffer),
    }
}

/// No size that is stored is larger.
const MOST: u128 = u32::MAX as u128;

/// A size that nothing can have.
const fn impossible_size(meta: &TensorMeta) -> Option<LayoutError> {
    let layout = &meta.layout;
    let sizes = [
        (meta.extents[0], "the extent M of a tensor"),
        (meta.extents[1], "the extent N of a tensor"),
        (layout.tile[0], "the height of a tile"),
        (layout.tile[1], "the width of a tile"),
        (layout.depth, "the depth of a circular buffer"),
        (layout.shard.grid[0], "an extent of a shard grid"),
        (layout.shard.grid[1], "an extent of a shard grid"),
    ];
    let mut n = 0;
    while n < sizes.len() {
        let (size, what) = sizes[n];
        if size == 0 {
            return Some(LayoutError::Zero { what });
        }
        if size != AT_LAUNCH && size as u128 > MOST {
            return Some(LayoutError::TooLarge { what });
        }
        n += 1;
    }
    let size = meta.dtype.bytes() as u128;
    if layout.tile[0] as u128 * layout.tile[1] as u128 * size * layout.depth as u128 > MOST {
        return Some(LayoutError::TooLarge {
            what: "a circular buffer",
        });
    }
    if layout.halo[0] as u128 > MOST || layout.halo[1] as u128 > MOST {
        return Some(LayoutError::TooLarge { what: "a halo" });
    }
    None
}

/// How a tensor is cut, as far as its extents do not matter.
const fn shards(meta: &TensorMeta, halo: [u32; 2]) -> Result<ShardRecord, LayoutError> {
    let hint = &meta.layout.shard;
    if hint.axes_given == 0 && hint.grid_given == 0 {
        return Err(LayoutError::NoShard);
    }
    if hint.axes_given > 2 {
        return Err(LayoutError::Rank {
            axes: hint.axes_given,
        });
    }
    if hint.axes_given != hint.grid_given {
        return Err(LayoutError::GridRank {
            axes: hint.axes_given,
            grid: hint.grid_given,
        });
    }
    let (first, second) = (hint.grid[0] as u32, hint.grid[1] as u32);
    let (axes, grid) = match (hint.axes_given, hint.axes[0], hint.axes[1]) {
        (1, Axis::M, _) => (Axes::M, [first, 1]),
        (1, Axis::N, _) => (Axes::N, [1, first]),
        (_, Axis::M, Axis::N) => (Axes::Mn, [first, second]),
        (_, Axis::N, Axis::M) => (Axes::Nm, [second, first]),
        (_, axis, _) => return Err(LayoutError::AxisTwice { axis: axis.name() }),
    };
    Ok(ShardRecord {
        axes,
        shard_shape_elems: None,
        order: hint.order,
        align_tiles: hint.align_tiles,
        halo,
        projected_grid: grid,
        projected_shard_tiles: None,
    })
}

impl ShardRecord {
    /// The same of a tensor of this many rows and columns, which are not zero.
    const fn of_extents(
        mut self,
        extents: [u32; 2],
        memory: TensorMemory,
        tile: [u32; 2],
    ) -> Result<Self, LayoutError> {
        let grid = self.projected_grid;
        let shape = [extents[0].div_ceil(grid[0]), extents[1].div_ceil(grid[1])];
        let mut axis = 0;
        while axis < 2 {
            let filled = extents[axis].div_ceil(shape[axis]);
            if filled < grid[axis] {
                return Err(LayoutError::EmptyShards {
                    axis: [Axis::M, Axis::N][axis].name(),
                    grid: grid[axis],
                    filled,
                });
            }
            axis += 1;
        }
        let aligned = shape[0].is_multiple_of(tile[0]) && shape[1].is_multiple_of(tile[1]);
        if self.align_tiles && !aligned {
            return Err(LayoutError::Unaligned {
                memory,
                shard: shape,
                tile,
            });
        }
        let halo = self.halo;
        if halo[0] > shape[0] || halo[1] > shape[1] {
            return Err(LayoutError::WideHalo { halo, shard: shape });
        }
        self.shard_shape_elems = Some(shape);
        let [m, n] = [shape[0].div_ceil(tile[0]), shape[1].div_ceil(tile[1])];
        self.projected_shard_tiles = Some([m, n]);
        Ok(self)
    }
}

impl BufferRecord {
    /// Of a tensor of this many rows and columns in this layout.
    ///
    /// # Errors
    /// If no tensor can have it.
    pub fn of(
        dtype: Dtype,
        layout: TensorLayout,
        extents: [usize; 2],
    ) -> Result<Self, LayoutError> {
        let meta = TensorMeta {
            dtype,
            extents,
            layout,
            at: Location::caller(),
        };
        infer("", &meta, None)
    }

    /// The same of a tensor of this many rows and columns: how large its shards are then.
    ///
    /// # Errors
    /// If a tensor of that size cannot be laid out like this.
    pub const fn of_extents(mut self, extents: [u32; 2]) -> Result<Self, LayoutError> {
        let grid = match &self.nd_shard {
            Some(shard) => shard.projected_grid,
            None => [1, 1],
        };
        let mut bytes = self.dtype.bytes() as u128;
        let mut axis = 0;
        while axis < 2 {
            if extents[axis] == 0 {
                let what = ["the extent M of a tensor", "the extent N of a tensor"][axis];
                return Err(LayoutError::Zero { what });
            }
            // Padding included, with something to spare.
            bytes *= extents[axis] as u128 + self.tile_shape[axis] as u128 * grid[axis] as u128;
            if bytes > MOST {
                return Err(LayoutError::TooLarge { what: "a tensor" });
            }
            axis += 1;
        }
        if let Some(shard) = self.nd_shard {
            self.nd_shard = match shard.of_extents(extents, self.memory, self.tile_shape) {
                Ok(shard) => Some(shard),
                Err(error) => return Err(error),
            };
        }
        Ok(self)
    }

    /// The same of a tensor of any size.
    #[must_use]
    pub fn without_extents(mut self) -> Self {
        if let Some(shard) = &mut self.nd_shard {
            (shard.shard_shape_elems, shard.projected_shard_tiles) = (None, None);
        }
        self
    }

    /// Why a core with this many bytes of local memory has no room for a shard.
    #[must_use]
    pub const fn exceeds(&self, available: u64) -> Option<LayoutError> {
        let required = self.local_bytes();
        if required <= available {
            return None;
        }
        Some(LayoutError::ShardCapacity {
            required,
            available,
        })
    }

    /// The layout with which the host uploads a tensor so that it is stored like this.
    #[must_use]
    pub fn layout(&self) -> TensorLayout {
        let tile = self.tile_shape.map(|extent| extent as usize);
        let layout = TensorLayout::INTERLEAVED
            .arranged(self.layout)
            .in_memory(self.memory)
            .tile_shape(tile[0], tile[1]);
        let Some(shard) = self.nd_shard else {
            return layout;
        };
        let ShardInFile {
            axes, grid, halo, ..
        } = shard.into();
        let grid: Vec<_> = grid.into_iter().map(|parts| parts as usize).collect();
        layout
            .shard(&axes, &grid)
            .order(shard.order)
            .align_tiles(shard.align_tiles)
            .halo(halo[0] as usize, halo[1] as usize)
    }

    /// Whether tensors of both have the same layout in global memory.
    #[must_use]
    pub fn rests_like(&self, other: &Self) -> bool {
        let shards = |buffer: &Self| {
            let shard = buffer.nd_shard?;
            Some((shard.projected_grid, shard.order, shard.shard_shape_elems))
        };
        self.dtype == other.dtype
            && self.layout == other.layout
            && self.tile_shape == other.tile_shape
            && shards(self) == shards(other)
    }

    /// Bytes of local memory that a group needs for its shard, with the rim around it; none for a tensor in global
    /// memory.
    #[must_use]
    pub const fn local_bytes(&self) -> u64 {
        (self.local_elements()).saturating_mul(self.dtype.bytes() as u64)
    }

    /// The same in elements.
    #[must_use]
    pub const fn local_elements(&self) -> u64 {
        match (self.memory, self.local_shape()) {
            (TensorMemory::L1, Some([rows, cols])) => rows as u64 * cols as u64,
            _ => 0,
        }
    }

    /// Rows and columns of a shard with the rim around it, if that is known.
    #[must_use]
    pub const fn local_shape(&self) -> Option<[u32; 2]> {
        let Some(shard) = &self.nd_shard else {
            return None;
        };
        let Some([rows, cols]) = shard.shard_shape_elems else {
            return None;
        };
        Some([
            rows.saturating_add(shard.halo[0].saturating_mul(2)),
            cols.saturating_add(shard.halo[1].saturating_mul(2)),
        ])
    }
}
