//! How much of a launch is done by blocks of items, several in each lane.

use super::{pitch, steps};
use crate::driver::Caps;
use vortex_kernel::abi::{CoarseHeader, GroupHeader};
use vortex_kernel::codegen::Image;

/// What blocks an image has; none where somebody asks which item each access is of.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::launch) struct Coarse(Option<Blocks>);

#[derive(Clone, Copy, Debug)]
struct Blocks {
    /// Items in x and y that a lane does at once.
    columns: u32,
    rows: u32,
    /// How many coordinates the kernel asks for.
    coordinates: u32,
    /// They are of groups: each lane does one item of each.
    of_groups: bool,
}

/// Iterations for which it does not matter that the last is not for all warps.
const MANY: u32 = 4;

impl Coarse {
    pub(in crate::launch) fn of(image: &Image, is_watched: bool) -> Self {
        // Without these nobody could say which item has failed.
        let can_tell = !image.block_items.is_empty();
        let facts = &image.facts;
        let blocks =
            facts
                .coarsening
                .zip(facts.coordinates)
                .map(|([columns, rows, _], coordinates)| Blocks {
                    columns,
                    rows,
                    coordinates,
                    of_groups: image.groups.is_some(),
                });
        Self(blocks.filter(|_| can_tell && !is_watched))
    }

    /// For so many running warps of the device. Blocks cover what takes whole iterations of all warps, so that none of
    /// them waits long for the others; but where a block has several rows, all or nothing.
    pub(super) fn header(self, size: [u32; 3], warps: u32, lanes: u32) -> CoarseHeader {
        let Some(Blocks {
            columns,
            rows,
            coordinates,
            of_groups: false,
        }) = self.0
        else {
            return CoarseHeader::default();
        };
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
        // After the last iteration, numbers of items are a stride more.
        let has_room = items.checked_add(stride).is_some();
        if !are_whole || !asks_for_all || !y.is_multiple_of(rows) || !has_room {
            return CoarseHeader::default();
        }
        CoarseHeader {
            covered: covered(items, stride, rows),
            stride,
            step: steps(stride, of_first_rows),
        }
    }

    /// For a kernel of groups: how much is done by blocks of them, and the bytes of local memory of a slot then.
    /// Nothing if fewer blocks would run at a time than groups, for want of local memory or of blocks.
    pub(super) fn of_groups(self, group: &GroupHeader, caps: &Caps) -> Option<(CoarseHeader, u32)> {
        let Blocks {
            columns,
            rows,
            of_groups: true,
            ..
        } = self.0?
        else {
            return None;
        };
        let [x, y, z] = group.groups;
        let is_one_row = y == 1 && z == 1;
        let are_whole = x.is_multiple_of(columns) || is_one_row;
        let blocks = [x / columns, y / rows, z];
        let count: u32 = blocks.iter().product();
        let slots = group.stride / caps.cores.max(1);
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

    /// The number of a group: that of the block which the warp began with, and what it has counted to, are those of
    /// blocks.
    pub(super) fn group(
        self,
        [x, y, _]: [u32; 3],
        block: u32,
        [column, row]: [u8; 2],
    ) -> Option<u32> {
        let Blocks { columns, rows, .. } = self.0?;
        if rows == 1 {
            return block.checked_mul(columns)?.checked_add(column.into());
        }
        let (width, height) = ((x / columns).max(1), (y / rows).max(1));
        let [bx, by, z] = [
            block % width,
            block / width % height,
            block / width / height,
        ];
        let row = z.checked_mul(y)?.checked_add(by * rows + u32::from(row))?;
        row.checked_mul(x)?
            .checked_add(bx * columns + u32::from(column))
    }

    /// The number of an item: that of the warp, and what it has counted to, are those of its blocks.
    pub(super) fn item(
        self,
        [x, y, _]: [u32; 3],
        lanes: u32,
        (number_of_warp, number): (u32, Option<u32>),
        (lane, [column, row]): (u32, [u8; 2]),
    ) -> Option<u32> {
        let Blocks { columns, rows, .. } = self.0?;
        let first = number.unwrap_or(number_of_warp * columns * lanes);
        let of_first_row = first.checked_add(lane + u32::from(column) * lanes)?;
        let (at, row_of_blocks) = (of_first_row % x, of_first_row / x);
        // Blocks of several rows count these as one.
        let rows_of_blocks = (y / rows).max(1);
        let (z, above) = (
            row_of_blocks / rows_of_blocks,
            row_of_blocks % rows_of_blocks,
        );
        let row = z
            .checked_mul(y)?
            .checked_add(above * rows + u32::from(row))?;
        row.checked_mul(x)?.checked_add(at)
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
