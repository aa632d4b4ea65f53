//! How many work items a launch runs, and how they are spread over the device.

mod coarse;

use coarse::Block;
pub(super) use coarse::Coarse;

use vortex_kernel::abi::{CoarseHeader, GroupHeader, LaunchHeader, MOST_ITEMS};
use vortex_kernel::codegen::{GroupUse, Room};
use vortex_kernel::isa::Generation;
use vortex_kernel::meta::Attributes;
use vortex_sim::Grid;

use crate::device::{Device, PrintArea};
use crate::driver::{Caps, HardwareThread};
use crate::error::{Error, LaunchError, Result};
use crate::extents::Extents;
use crate::fault::WorkItem;
use crate::name::Name;
use crate::resident::Launches;

/// A number of work items or groups in up to three dimensions, x first: `n`, `(w, h)` or `(w, h, d)`, or an array of
/// them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a size of a launch",
    label = "expected `n`, `(w, h)` or `(w, h, d)`, each a `usize`",
    note = "an integer of another type is converted, `n as usize`; what a reference leads to is `*n`"
)]
pub trait Size {
    /// As three dimensions.
    #[doc(hidden)]
    fn extent(self) -> [usize; 3];
}

#[diagnostic::do_not_recommend]
impl Size for usize {
    fn extent(self) -> [usize; 3] {
        [self, 1, 1]
    }
}

#[diagnostic::do_not_recommend]
impl Size for (usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, 1]
    }
}

#[diagnostic::do_not_recommend]
impl Size for (usize, usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

#[diagnostic::do_not_recommend]
impl Size for [usize; 1] {
    fn extent(self) -> [usize; 3] {
        [self[0], 1, 1]
    }
}

#[diagnostic::do_not_recommend]
impl Size for [usize; 2] {
    fn extent(self) -> [usize; 3] {
        [self[0], self[1], 1]
    }
}

#[diagnostic::do_not_recommend]
impl Size for [usize; 3] {
    fn extent(self) -> [usize; 3] {
        self
    }
}

/// The methods of a call with a `shape` that say how many work items to run, as rustc shows them to users.
macro_rules! sizes {
    (
        pub fn $over:ident($this:ident, $items:ident: $size:ty) -> Self;
        pub fn $grid:ident($of_grid:ident, $groups:ident: $grid_size:ty) -> Self;
        pub fn $block:ident($of_block:ident, $in_group:ident: $block_size:ty) -> Self;
    ) => {
        /// Runs this many work items: `n`, `(w, h)` or `(w, h, d)`. The runtime chooses the groups.
        pub fn $over(mut $this, $items: $size) -> Self {
            $this.shape.over = Some($items.extent());
            $this
        }

        /// Runs this many groups of work items; [`block`](Self::block) says how many items a group has, if the kernel
        /// does not.
        pub fn $grid(mut $of_grid, $groups: $grid_size) -> Self {
            $of_grid.shape.grid = Some($groups.extent());
            $of_grid
        }

        /// Gives each group this many work items.
        pub fn $block(mut $of_block, $in_group: $block_size) -> Self {
            $of_block.shape.block = Some($in_group.extent());
            $of_block
        }
    };
}
pub(crate) use sizes;

/// What a launch was told about its size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LaunchSize {
    pub(crate) over: Option<[usize; 3]>,
    pub(crate) grid: Option<[usize; 3]>,
    pub(crate) block: Option<[usize; 3]>,
}

/// Extents as messages have them.
fn extents(extent: [u128; 3]) -> Extents {
    Extents(extent.map(|n| u64::try_from(n).unwrap_or(u64::MAX)))
}

impl LaunchSize {
    /// The extent in work items, checked against what the device can do and what the kernel's attributes say.
    pub(crate) fn resolve(
        &self,
        kernel: &Name,
        attributes: &Attributes,
        caps: &Caps,
    ) -> Result<Extent> {
        if let Some(lanes) = attributes.subgroup
            && lanes != caps.threads
        {
            return Err(Error::refused(
                kernel,
                LaunchError::SubgroupMismatch {
                    required: lanes,
                    lanes: caps.threads,
                },
            ));
        }
        let given = self.block.map(|block| block.map(|n| n as u128));
        let required = attributes.block.map(|block| block.map(u128::from));
        if let (Some(given), Some(required)) = (given, required)
            && given != required
        {
            return Err(Error::refused(
                kernel,
                LaunchError::BlockMismatch {
                    required: extents(required),
                    given: extents(given),
                },
            ));
        }
        let hint = attributes.block_hint.map(|block| block.map(u128::from));
        let fits = |hint: &[u128; 3]| {
            let items = hint.iter().product::<u128>();
            items > 0 && items <= caps.max_group().into()
        };
        let hint = hint.filter(fits);
        let block = required.or(given).or(hint);
        if let Some([x, y, z]) = block {
            let items = x.saturating_mul(y).saturating_mul(z);
            if items == 0 {
                return Err(Error::refused(kernel, LaunchError::EmptyGroup));
            }
            if items > u128::from(caps.max_group()) {
                return Err(Error::refused(
                    kernel,
                    LaunchError::GroupTooLarge {
                        x: x as usize,
                        y: y as usize,
                        z: z as usize,
                        max: caps.max_group(),
                    },
                ));
            }
        }
        let required_grid = attributes.grid.map(|grid| grid.map(|n| n as usize));
        let grid = match self.over {
            None => self.grid.or(required_grid),
            Some(_) => self.grid,
        };
        let (items, groups) = match (self.over, grid) {
            (Some(over), None) => {
                let items = over.map(|n| n as u128);
                let whole = |block: &[u128; 3]| (0..3).all(|axis| items[axis] % block[axis] == 0);
                if let Some(required) = required.filter(|block| !whole(block)) {
                    return Err(Error::refused(
                        kernel,
                        LaunchError::PartialGroups {
                            required: extents(required),
                            items: extents(items),
                        },
                    ));
                }
                let block = required.or(hint).filter(whole);
                let grid = |block: [u128; 3]| std::array::from_fn(|axis| items[axis] / block[axis]);
                (items, block.map(|block| (grid(block), block)))
            }
            (None, Some(grid)) => {
                let block = block.ok_or_else(|| Error::refused(kernel, LaunchError::NoBlock))?;
                let grid = grid.map(|n| n as u128);
                let items = std::array::from_fn(|axis| grid[axis].saturating_mul(block[axis]));
                (items, Some((grid, block)))
            }
            (None, None) => {
                return Err(Error::refused(kernel, LaunchError::NoShape));
            }
            (Some(_), Some(_)) => {
                return Err(Error::refused(kernel, LaunchError::TwoShapes));
            }
        };
        if let Some(required) = attributes.grid.map(|grid| grid.map(u128::from))
            && groups.is_none_or(|(grid, _)| grid != required)
        {
            return Err(Error::refused(
                kernel,
                LaunchError::GridMismatch {
                    required: extents(required),
                    given: extents(groups.map_or(items, |(grid, _)| grid)),
                },
            ));
        }
        // The device adds a stride to item numbers below the total; that must not overflow.
        let max = MOST_ITEMS.min(u32::MAX - caps.harts());
        let [x, y, z] = items;
        let too_many = || {
            let items = extents(items);
            Error::refused(kernel, LaunchError::TooManyItems { items, max })
        };
        let total = x
            .checked_mul(y)
            .and_then(|area| area.checked_mul(z))
            .ok_or_else(too_many)?;
        if total == 0 {
            return Ok(Extent {
                total: 0,
                size: [0; 3],
                groups: None,
            });
        }
        if total > u128::from(max) {
            return Err(too_many());
        }
        Ok(Extent {
            total: total as u32,
            size: items.map(|n| n as u32),
            groups: groups.map(|(grid, block)| Groups {
                grid: grid.map(|n| n as u32),
                block: block.map(|n| n as u32),
            }),
        })
    }
}

/// Work items of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) total: u32,
    pub(crate) size: [u32; 3],
    /// How they are grouped, if the launch says so.
    pub(crate) groups: Option<Groups>,
}

/// Where a lane was when the kernel was stopped.
pub(super) struct Stopped {
    pub(super) at: HardwareThread,
    /// On Vortex 3, the number of the group that the hardware has handed to the warp, and the warp's number in it.
    pub(super) handed: Option<(u32, u32)>,
    /// What the kernel counts, the group or the block of groups, or else the item of lane 0: `None` for what it begins
    /// with.
    pub(super) number: Option<u32>,
    /// Which of the items in the lane's block the code is for, where it does several at once: column and row.
    pub(super) block_item: Option<[u8; 2]>,
}

/// The row of groups of warps that the hardware of Vortex 3 is to hand out: as many as run at a time, for each goes on
/// to what is a stride further.
pub(super) fn grid(header: &LaunchHeader, caps: &Caps, uses: Option<GroupUse>, entry: u32) -> Grid {
    let (groups, warps, local_bytes) = match uses {
        Some(_) => {
            let GroupHeader {
                stride,
                warps,
                local_bytes,
                ..
            } = header.group;
            (stride, warps, local_bytes)
        }
        None => (header.warps * caps.cores, 1, 0),
    };
    Grid {
        groups: [groups, 1, 1],
        items: [warps * caps.threads, 1, 1],
        local_bytes,
        entry,
    }
}

/// How the work items of a launch are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// Groups in x, y and z.
    pub(crate) grid: [u32; 3],
    /// Items of a group in x, y and z.
    pub(crate) block: [u32; 3],
}

impl Groups {
    /// How many there are.
    pub(super) fn count(self) -> u64 {
        self.grid.map(u64::from).into_iter().product()
    }
}

fn product(extent: [u32; 3]) -> u32 {
    extent.iter().product()
}

/// Coordinates of a number, x fastest.
fn coordinates(number: u32, extent: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = extent.map(|n| n.max(1));
    [number % x, number / x % y, number / x / y]
}

/// A stride taken apart by an extent: how far each coordinate advances, before carries.
fn steps(stride: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let rows = stride / x;
    [stride % x, rows % y, rows / y]
}

/// How far apart the hardware puts local memory of so many bytes.
pub(super) fn pitch(local_bytes: u32, caps: &Caps) -> u32 {
    match caps.generation {
        Generation::V2 => local_bytes,
        Generation::V3 => Grid::local_stride(local_bytes),
    }
}

/// How many groups of so many warps, and with so many bytes of local memory, a core has warps and local memory for.
pub(crate) fn slots(warps: u32, local_bytes: u32, caps: &Caps) -> [u32; 2] {
    let by_memory = match local_bytes {
        0 => u32::MAX,
        bytes if bytes > caps.local_memory => 0,
        bytes => (caps.local_memory / pitch(bytes, caps)).max(1),
    };
    [caps.warps / warps, by_memory]
}

impl Groups {
    /// The number in the launch of an item that is numbered group by group. What is beyond the last one, which a
    /// kernel with stray pointers can have left in a record, stays as it is.
    pub(crate) fn item(&self, number: u32) -> u32 {
        let Self { grid, block } = *self;
        let items = product(block);
        if number / items >= product(grid) {
            return number;
        }
        let (group, local) = (
            coordinates(number / items, grid),
            coordinates(number % items, block),
        );
        let at: [u32; 3] = std::array::from_fn(|d| group[d] * block[d] + local[d]);
        (at[2] * grid[1] * block[1] + at[1]) * grid[0] * block[0] + at[0]
    }

    /// What the device entry is told of groups.
    fn header(
        &self,
        kernel: &Name,
        caps: &Caps,
        uses: GroupUse,
        given: u64,
    ) -> Result<GroupHeader> {
        let items = product(self.block);
        let count = product(self.grid);
        let warps = items.div_ceil(caps.threads);
        let needed = given.saturating_add(uses.local_bytes.into());
        let local_bytes = u32::try_from(needed).ok();
        let Some(local_bytes) = local_bytes.filter(|bytes| *bytes <= caps.local_memory) else {
            return Err(Error::refused(
                kernel,
                LaunchError::LocalMemoryTooLarge {
                    needed,
                    given,
                    available: caps.local_memory,
                },
            ));
        };
        let [by_warps, by_memory] = slots(warps, local_bytes, caps);
        // No more than there is work for.
        let slots = count.div_ceil(caps.cores).clamp(1, by_warps.min(by_memory));
        let stride = slots * caps.cores;
        Ok(GroupHeader {
            items,
            size: self.block,
            count,
            groups: self.grid,
            stride,
            step: steps(stride, self.grid),
            warps,
            local_bytes,
        })
    }
}

impl Extent {
    /// What the device entry is told, but of blocks of items. No more warps are started than have work.
    pub(super) fn header(
        &self,
        kernel: &Name,
        caps: &Caps,
        uses: Option<GroupUse>,
        local: u64,
        faults: u32,
        prints: Option<PrintArea>,
    ) -> Result<LaunchHeader> {
        let turn = caps.cores * caps.threads;
        let (warps, group) = match (uses, &self.groups) {
            (None, _) => (self.warps(caps), GroupHeader::default()),
            (Some(_), None) => {
                return Err(Error::refused(kernel, LaunchError::NeedsGroups));
            }
            (Some(uses), Some(groups)) => {
                let group = groups.header(kernel, caps, uses, local)?;
                (group.stride / caps.cores * group.warps, group)
            }
        };
        let stride = warps * turn;
        Ok(LaunchHeader {
            total: self.total,
            size: self.size,
            stride,
            step: steps(stride, self.size),
            warps,
            faults,
            prints: prints.map_or(0, |area| area.headers),
            print_records: prints.map_or(0, |area| area.records),
            print_room: prints.map_or(0, |area| area.room),
            coarse: CoarseHeader::default(),
            answers: 0,
            group,
        })
    }

    /// The warps of a core that run, where items are not in groups.
    fn warps(&self, caps: &Caps) -> u32 {
        let turn = caps.cores * caps.threads;
        self.total.div_ceil(turn).clamp(1, caps.warps)
    }

    /// Usual launches like this one.
    pub(super) fn usual(&self, device: &Device) -> Launches {
        let largest = device.largest_block();
        Launches {
            block: self.groups.map(|groups| groups.block),
            are_usual: true,
            room: largest.map_or(Room::ANY, |largest| self.room(largest, device.caps())),
        }
    }

    /// How many items a lane can do at once so that few are left to be done one by one, as far as that is less than
    /// there are in the largest block. Rows are two where more are left: most kernels are the same then as with room
    /// for all, and need no other image.
    fn room(&self, [columns, rows]: [u32; 2], caps: &Caps) -> Room {
        let warps = self.warps(caps) * caps.cores;
        let less = |most: u32, block: fn(u32) -> Block| {
            let halves = std::iter::successors(Some(most), |n| Some(n / 2)).take_while(|n| *n > 1);
            let mut fitting = halves.filter(|n| block(*n).do_most(self.size, warps, caps.threads));
            let fits = fitting.next().unwrap_or(1);
            (fits < most).then_some(fits)
        };
        Room {
            columns: less(columns, |columns| Block { columns, rows: 1 }),
            rows: less(rows, |rows| Block { columns: 1, rows })
                .map(|fits| fits.max(2))
                .filter(|fits| *fits < rows && self.size[1] > 1),
        }
    }

    /// Adds to what the device entry is told how much is done by blocks.
    pub(super) fn add_blocks(&self, header: &mut LaunchHeader, caps: &Caps, coarse: Coarse) {
        match coarse {
            Coarse::None => {}
            Coarse::Items(block, coordinates) => {
                let warps = header.warps * caps.cores;
                header.coarse = block.header(self.size, coordinates, warps, caps.threads);
            }
            Coarse::Groups(block) => {
                if let Some((coarse, local_bytes)) = block.of_groups(&header.group, caps) {
                    header.coarse = coarse;
                    header.group.local_bytes = local_bytes;
                }
            }
        }
    }

    /// Which item a lane is at.
    pub(super) fn place(
        &self,
        header: &LaunchHeader,
        caps: &Caps,
        uses: Option<GroupUse>,
        coarse: Coarse,
        stopped: Stopped,
    ) -> Option<WorkItem> {
        let Stopped {
            at,
            handed,
            number,
            block_item,
        } = stopped;
        let HardwareThread { core, warp, lane } = at;
        let item = match (uses, &self.groups) {
            (Some(_), Some(groups)) => {
                let slot = warp.checked_div(header.group.warps)?;
                let (first, rank) =
                    handed.unwrap_or((slot * caps.cores + core, warp % header.group.warps));
                let counted = number.unwrap_or(first);
                let group = match (block_item, coarse, header.coarse.covered) {
                    (Some(item), Coarse::Groups(block), _) => {
                        block.group(groups.grid, counted, item)?
                    }
                    (Some(_), ..) => return None,
                    (None, _, 0) => counted,
                    // A lower number can be that of a block, and which of its groups it is for cannot be told.
                    (None, _, covered) => number.filter(|number| *number >= covered)?,
                };
                let local = rank * caps.threads + lane;
                let inside = group < header.group.count && local < header.group.items;
                groups.item(inside.then(|| group * header.group.items + local)?)
            }
            _ => {
                let number_of_warp = handed.map_or(warp * caps.cores + core, |(group, _)| group);
                match (block_item, coarse, header.coarse.covered) {
                    (Some(item), Coarse::Items(block, _), _) => {
                        let first = number_of_warp * block.columns * caps.threads;
                        let first = number.unwrap_or(first);
                        block.item(self.size, caps.threads, (first, lane), item)?
                    }
                    (Some(_), ..) => return None,
                    (None, _, 0) => {
                        let first = number_of_warp * caps.threads;
                        number.unwrap_or(first).checked_add(lane)?
                    }
                    // A lower number can be that of a block, and which of its items it is for cannot be told.
                    (None, _, covered) => {
                        let first = number.filter(|number| *number >= covered)?;
                        first.checked_add(lane)?
                    }
                }
            }
        };
        (item < self.total).then(|| self.item(item))
    }

    /// Where in the launch the item of this number is.
    pub(crate) fn item(&self, item: u32) -> WorkItem {
        let coordinates = self.coordinates(item);
        let group = |groups: Groups| std::array::from_fn(|d| coordinates[d] / groups.block[d]);
        WorkItem {
            item,
            coordinates,
            group: self.groups.map(group),
        }
    }

    /// The number of a group, x fastest.
    pub(super) fn group_number(&self, [x, y, z]: [u32; 3]) -> u32 {
        let [width, height, _] = self.groups.map_or([1; 3], |groups| groups.grid);
        x + width * (y + height * z)
    }

    /// Where in the launch an item is.
    pub(crate) fn coordinates(&self, item: u32) -> [u32; 3] {
        coordinates(item, self.size)
    }
}

#[cfg(test)]
mod tests;
