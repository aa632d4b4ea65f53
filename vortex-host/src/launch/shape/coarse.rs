//! How much of a launch is done by blocks, of items or of groups, several in each lane.

use super::{coordinates, pitch, steps};
use crate::driver::Caps;
use vortex_kernel::abi::{CoarseHeader, GroupHeader};
use vortex_kernel::codegen::Image;

/// What blocks an image has; none where somebody asks which item each access is of.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::launch) enum Coarse {
    #[default]
    None,
    /// Of items; and how many coordinates the kernel asks for.
    Items(Block, u32),
    /// Of groups: each lane does one item of each.
    Groups(Block),
}

/// What a lane does at once: of so many columns and rows.
#[derive(Clone, Copy, Debug)]
pub(in crate::launch) struct Block {
    pub(super) columns: u32,
    pub(super) rows: u32,
}

/// Few items are one of so many that blocks do.
const FEW: u32 = 8;

/// Iterations for which it does not matter that the last is not for all warps.
const MANY: u32 = 4;

impl Coarse {
    pub(in crate::launch) fn of(image: &Image, is_watched: bool) -> Self {
        // Without these nobody could say which item has failed.
        let can_tell = !image.block_items.is_empty();
        let facts = &image.facts;
        match (facts.coarsening, facts.coordinates) {
            (Some([columns, rows, _]), Some(coordinates)) if can_tell && !is_watched => {
                let block = Block { columns, rows };
                match image.groups {
                    Some(_) => Self::Groups(block),
                    None => Self::Items(block, coordinates),
                }
            }
            _ => Self::None,
        }
    }
}

impl Block {
    /// Whether of so many items few are left to be done one by one.
    pub(super) fn do_most(self, size: [u32; 3], warps: u32, lanes: u32) -> bool {
        let done = self.header(size, 0, warps, lanes).covered * self.rows;
        let items: u32 = size.iter().product();
        done > 0 && items - done <= done / FEW
    }

    /// For so many running warps of the device. Blocks of items cover what takes whole iterations of all warps, so that
    /// none of them waits long for the others; but where a block has several rows, all or nothing, except for the last
    /// rows where these are the last items.
    pub(super) fn header(
        self,
        size: [u32; 3],
        coordinates: u32,
        warps: u32,
        lanes: u32,
    ) -> CoarseHeader {
        let Self { columns, rows } = self;
        let [x, y, z] = size;
        let width = columns * lanes;
        let is_one_row = y == 1 && z == 1;
        let are_whole = x.is_multiple_of(width) || is_one_row && rows == 1;
        let asks_for_all = match coordinates {
            0 | 3.. => true,
            1 => is_one_row,
            2 => z == 1,
        };
        let stride = width * warps;
        let of_first_rows = [x, y / rows, z];
        let items: u32 = of_first_rows.iter().product();
        let rows_are_whole = y.is_multiple_of(rows) || z == 1 && y > rows;
        // After the last iteration, numbers of items are a stride more.
        let has_room = items.checked_add(stride).is_some();
        if !are_whole || !asks_for_all || !rows_are_whole || !has_room {
            return CoarseHeader::default();
        }
        CoarseHeader {
            covered: covered(items, stride, rows),
            stride,
            step: steps(stride, of_first_rows),
        }
    }

    /// How much is done by blocks of groups, and the bytes of local memory of a slot then. Nothing if fewer blocks
    /// would run at a time than groups, for want of local memory or of blocks.
    pub(super) fn of_groups(self, group: &GroupHeader, caps: &Caps) -> Option<(CoarseHeader, u32)> {
        let Self { columns, rows } = self;
        let [x, y, z] = group.groups;
        let is_one_row = y == 1 && z == 1;
        let are_whole = x.is_multiple_of(columns) || is_one_row;
        let blocks = [x / columns, y / rows, z];
        let count: u32 = blocks.iter().product();
        let slots = group.stride / caps.cores;
        let memory = group.local_bytes.checked_mul(columns * rows)?;
        let fits = slots.checked_mul(pitch(memory, caps))? <= caps.local_memory;
        let has_room = count.checked_add(group.stride).is_some();
        if !are_whole || !y.is_multiple_of(rows) || !fits || !has_room || count == 0 {
            return None;
        }
        let header = CoarseHeader {
            covered: covered(count, group.stride, rows),
            stride: group.stride,
            step: steps(group.stride, blocks),
        };
        (header.covered > 0).then_some((header, memory))
    }

    /// The number of a group of the `number`th block, in a launch of so many groups.
    pub(super) fn group(
        self,
        groups: [u32; 3],
        number: u32,
        [column, row]: [u8; 2],
    ) -> Option<u32> {
        let [x, y, z] = groups;
        let [bx, by, z] = coordinates(number, [x / self.columns, y / self.rows, z]);
        let at = bx * self.columns + u32::from(column);
        self.number(groups, [at, by, z], row)
    }

    /// The number of an item of a lane, in a launch of so many. `first` is the item that lane 0 has in the first column
    /// and row of the block, where blocks of several rows count these as one.
    pub(super) fn item(
        self,
        size: [u32; 3],
        lanes: u32,
        (first, lane): (u32, u32),
        [column, row]: [u8; 2],
    ) -> Option<u32> {
        let [x, y, z] = size;
        let number = first.checked_add(lane + u32::from(column) * lanes)?;
        self.number(size, coordinates(number, [x, y / self.rows, z]), row)
    }

    /// The number of what is at `x`, in a row of the `y`th row of blocks, of what has this extent.
    fn number(self, [width, height, _]: [u32; 3], [x, y, z]: [u32; 3], row: u8) -> Option<u32> {
        let row_of_all = (z.checked_mul(height)?).checked_add(y * self.rows + u32::from(row))?;
        row_of_all.checked_mul(width)?.checked_add(x)
    }
}

/// How many of so many blocks are covered, in iterations of so many.
fn covered(blocks: u32, stride: u32, rows: u32) -> u32 {
    match (blocks / stride, blocks % stride) {
        (_, 0) => blocks,
        (iterations, _) if rows == 1 => iterations * stride,
        (MANY.., _) => blocks,
        _ => 0,
    }
}
