//! From an index of a tensor to its address: the arithmetic that the host and the device share.

use super::accessor::{RuntimeBinding, StrideMode};
use super::infer::BufferRecord;
use super::layout::ShardOrder;

/// A number that can be computed with: of the host, or of the device.
pub trait Word: Copy {
    /// A constant.
    fn constant(number: u32) -> Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The quotient, rounded down.
    fn over(self, other: Self) -> Self;
    /// What the division leaves.
    fn modulo(self, other: Self) -> Self;

    /// The quotient, rounded up.
    fn over_up(self, other: u32) -> Self {
        self.plus(Self::constant(other.wrapping_sub(1)))
            .over(Self::constant(other))
    }
}

/// Sizes of tensors fit 32 bits, which layouts are checked for, so nothing here overflows.
impl Word for u32 {
    fn constant(number: u32) -> Self {
        number
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn times(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }

    fn over(self, other: Self) -> Self {
        self.checked_div(other).unwrap_or(0)
    }

    fn modulo(self, other: Self) -> Self {
        self.checked_rem(other).unwrap_or(0)
    }
}

/// A tensor's tiles and shards, with its extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry<W> {
    mode: StrideMode,
    extents: [W; 2],
    tile: [u32; 2],
    /// Tiles along the rows and the columns; for sharded layouts, including the padding of each shard.
    tiles: [W; 2],
    grid: [u32; 2],
    /// Rows and columns of a shard.
    shard: [W; 2],
    /// Tiles of a shard.
    shard_tiles: [W; 2],
    order: ShardOrder,
}

impl Geometry<u32> {
    /// The values of an accessor for a tensor at this address.
    #[must_use]
    pub fn binding(&self, base_address: u32) -> RuntimeBinding {
        let tile = self.tile_elements();
        let strides = match self.mode {
            StrideMode::Linear => [self.row_stride(), 1],
            StrideMode::Tiled | StrideMode::Sharded => [self.shard_tiles[1].times(tile), tile],
        };
        let [rows, cols] = self.grid;
        let is_sharded = self.mode == StrideMode::Sharded;
        let shards = (0..rows).flat_map(|m| (0..cols).map(move |n| [m, n]));
        RuntimeBinding {
            base_address,
            strides,
            shard_owner: is_sharded.then(|| shards.map(|at| self.shard_number(at)).collect()),
        }
    }
}

impl<W: Word> Geometry<W> {
    /// Of a tensor with this buffer and of this many rows and columns.
    #[must_use]
    pub fn of(buffer: &BufferRecord, extents: [W; 2]) -> Self {
        let tile = buffer.tile_shape;
        let grid = buffer.nd_shard.map_or([1, 1], |shard| shard.projected_grid);
        let order = buffer
            .nd_shard
            .map_or(ShardOrder::RowMajor, |shard| shard.order);
        let both = |f: &dyn Fn(usize) -> W| [f(0), f(1)];
        let shard = both(&|axis| match grid[axis] {
            1 => extents[axis],
            parts => extents[axis].over_up(parts),
        });
        let shard_tiles = both(&|axis| shard[axis].over_up(tile[axis]));
        let tiles = both(&|axis| match grid[axis] {
            1 => shard_tiles[axis],
            parts => shard_tiles[axis].times(W::constant(parts)),
        });
        Self {
            mode: buffer.layout.into(),
            extents,
            tile,
            tiles,
            grid,
            shard,
            shard_tiles,
            order,
        }
    }

    /// Rows and columns.
    #[must_use]
    pub const fn extents(&self) -> [W; 2] {
        self.extents
    }

    /// Rows and columns of a tile.
    #[must_use]
    pub const fn tile(&self) -> [u32; 2] {
        self.tile
    }

    /// Tiles along the rows and along the columns.
    #[must_use]
    pub const fn tiles(&self) -> [W; 2] {
        self.tiles
    }

    /// Rows and columns of a shard; all of them if it is not sharded.
    #[must_use]
    pub const fn shard(&self) -> [W; 2] {
        self.shard
    }

    /// Shards along the rows and along the columns.
    #[must_use]
    pub const fn grid(&self) -> [u32; 2] {
        self.grid
    }

    fn tile_elements(&self) -> W {
        W::constant(self.tile[0].wrapping_mul(self.tile[1]))
    }

    /// Elements in memory, padding included.
    #[must_use]
    pub fn elements(&self) -> W {
        self.tiles[0]
            .times(self.tiles[1])
            .times(self.tile_elements())
    }

    /// The place of an element, counted in elements from the first. Its tile does not depend on where it is in the
    /// tile.
    #[must_use]
    pub fn element(&self, row: W, col: W) -> W {
        let [height, width] = self.tile.map(W::constant);
        if self.mode == StrideMode::Linear {
            return row.times(self.row_stride()).plus(col);
        }
        let (first, row, col) = match self.mode {
            StrideMode::Sharded => {
                let [rows, cols] = self.shard;
                let first = self.first_of_shard([row.over(rows), col.over(cols)]);
                (first, row.modulo(rows), col.modulo(cols))
            }
            StrideMode::Tiled | StrideMode::Linear => (W::constant(0), row, col),
        };
        let tile = self.tile_in_shard([row.over(height), col.over(width)]);
        let within = row.modulo(height).times(width).plus(col.modulo(width));
        first.plus(tile).plus(within)
    }

    /// The place of the first element of a tile, counted in elements.
    #[must_use]
    pub fn tile_start(&self, [down, across]: [W; 2]) -> W {
        match self.mode {
            StrideMode::Tiled => self.tile_in_shard([down, across]),
            StrideMode::Linear => {
                let [height, width] = self.tile.map(W::constant);
                let row = down.times(height).times(self.row_stride());
                row.plus(across.times(width))
            }
            StrideMode::Sharded => {
                let [m, n] = self.shard_tiles;
                let first = self.first_of_shard([down.over(m), across.over(n)]);
                first.plus(self.tile_in_shard([down.modulo(m), across.modulo(n)]))
            }
        }
    }

    /// Elements from a row of a tile to the next.
    #[must_use]
    pub fn row_stride(&self) -> W {
        let width = W::constant(self.tile[1]);
        match self.mode {
            StrideMode::Linear => self.tiles[1].times(width),
            StrideMode::Tiled | StrideMode::Sharded => width,
        }
    }

    /// The number of a shard: its place in memory, and the group that it belongs to.
    #[must_use]
    pub fn shard_number(&self, [m, n]: [W; 2]) -> W {
        match self.order {
            ShardOrder::RowMajor => m.times(W::constant(self.grid[1])).plus(n),
            ShardOrder::ColMajor => n.times(W::constant(self.grid[0])).plus(m),
        }
    }

    /// The shard of this number.
    #[must_use]
    pub fn shard_at(&self, number: W) -> [W; 2] {
        match self.order {
            ShardOrder::RowMajor => {
                let cols = W::constant(self.grid[1]);
                [number.over(cols), number.modulo(cols)]
            }
            ShardOrder::ColMajor => {
                let rows = W::constant(self.grid[0]);
                [number.modulo(rows), number.over(rows)]
            }
        }
    }

    /// The place of the first element of a shard.
    fn first_of_shard(&self, shard: [W; 2]) -> W {
        let [m, n] = self.shard_tiles;
        let elements = m.times(n).times(self.tile_elements());
        self.shard_number(shard).times(elements)
    }

    /// The place of a tile, from that of the first of its shard.
    fn tile_in_shard(&self, [down, across]: [W; 2]) -> W {
        let number = down.times(self.shard_tiles[1]).plus(across);
        number.times(self.tile_elements())
    }
}
