//! How many work items a launch runs, and how they are spread over the device.

use vortex_kernel::abi::{GroupHeader, LaunchHeader};
use vortex_kernel::codegen::GroupUse;
use vortex_kernel::meta::Attributes;

use super::prints::PrintArea;
use crate::driver::{Caps, HardwareThread};
use crate::error::{Error, Result};
use crate::extents::Extents;
use crate::fault::WorkItem;

/// A number of work items or groups in up to three dimensions, x first: `n`, `(w, h)` or `(w, h, d)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a size of a launch",
    label = "expected `n`, `(w, h)` or `(w, h, d)`, each a `usize`"
)]
pub trait Size {
    /// As three dimensions.
    #[doc(hidden)]
    fn extent(self) -> [usize; 3];
}

impl Size for usize {
    fn extent(self) -> [usize; 3] {
        [self, 1, 1]
    }
}

impl Size for (usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, 1]
    }
}

impl Size for (usize, usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

/// The methods of a call with a `shape` that say how many work items to run.
macro_rules! sizes {
    () => {
        /// Runs this many work items: `n`, `(w, h)` or `(w, h, d)`. The runtime chooses the groups.
        pub fn over(mut self, items: impl $crate::launch::Size) -> Self {
            self.shape.over = Some(items.extent());
            self
        }

        /// Runs this many groups of work items; [`block`](Self::block) says how many items a group has.
        pub fn grid(mut self, groups: impl $crate::launch::Size) -> Self {
            self.shape.grid = Some(groups.extent());
            self
        }

        /// Gives each group this many work items.
        pub fn block(mut self, items: impl $crate::launch::Size) -> Self {
            self.shape.block = Some(items.extent());
            self
        }
    };
}
pub(crate) use sizes;

/// What a launch was told about its size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) over: Option<[usize; 3]>,
    pub(crate) grid: Option<[usize; 3]>,
    pub(crate) block: Option<[usize; 3]>,
}

/// Extents as messages have them; they come from numbers of 32 bits or of `usize`.
fn extents(extent: [u128; 3]) -> Extents {
    Extents(extent.map(|n| n as u64))
}

impl Shape {
    /// The extent in work items, checked against what the device can do and what the kernel's attributes say.
    pub(super) fn resolve(
        &self,
        kernel: &'static str,
        attributes: &Attributes,
        caps: &Caps,
    ) -> Result<Extent> {
        if let Some(lanes) = attributes.subgroup
            && lanes != caps.threads
        {
            return Err(Error::SubgroupMismatch {
                kernel,
                required: lanes,
                lanes: caps.threads,
            });
        }
        let given = self.block.map(|block| block.map(|n| n as u128));
        let required = attributes.block.map(|block| block.map(u128::from));
        if let (Some(given), Some(required)) = (given, required)
            && given != required
        {
            return Err(Error::BlockMismatch {
                kernel,
                required: extents(required),
                given: extents(given),
            });
        }
        let hint = attributes.block_hint.map(|block| block.map(u128::from));
        let hint = hint.filter(|hint| hint.iter().product::<u128>() <= caps.max_group().into());
        let block = required.or(given).or(hint);
        if let Some([x, y, z]) = block {
            let items = x.saturating_mul(y).saturating_mul(z);
            if items == 0 {
                return Err(Error::EmptyGroup { kernel });
            }
            if items > u128::from(caps.max_group()) {
                return Err(Error::GroupTooLarge {
                    kernel,
                    x: x as usize,
                    y: y as usize,
                    z: z as usize,
                    max: caps.max_group(),
                });
            }
        }
        let (items, groups) = match (self.over, self.grid) {
            (Some(over), None) => {
                let items = over.map(|n| n as u128);
                let whole = |block: &[u128; 3]| (0..3).all(|axis| items[axis] % block[axis] == 0);
                if let Some(required) = required.filter(|block| !whole(block)) {
                    return Err(Error::PartialGroups {
                        kernel,
                        required: extents(required),
                        items: extents(items),
                    });
                }
                let block = required.or(hint).filter(whole);
                let grid = |block: [u128; 3]| std::array::from_fn(|axis| items[axis] / block[axis]);
                (items, block.map(|block| (grid(block), block)))
            }
            (None, Some(grid)) => {
                let grid = grid.map(|n| n as u128);
                let block = block.unwrap_or([1; 3]);
                let items = std::array::from_fn(|axis| grid[axis].saturating_mul(block[axis]));
                (items, Some((grid, block)))
            }
            (None, None) => return Err(Error::NoShape { kernel }),
            (Some(_), Some(_)) => return Err(Error::TwoShapes { kernel }),
        };
        // The device adds a stride to item numbers below the total; that must not overflow.
        let max = u32::MAX - caps.harts();
        let [x, y, z] = items;
        let too_many = || Error::TooManyItems {
            kernel,
            x,
            y,
            z,
            max,
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
pub(super) struct Extent {
    pub(super) total: u32,
    pub(super) size: [u32; 3],
    /// How they are grouped, if the launch says so.
    pub(super) groups: Option<Groups>,
}

/// How the work items of a launch are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    /// Groups in x, y and z.
    pub(super) grid: [u32; 3],
    /// Items of a group in x, y and z.
    pub(super) block: [u32; 3],
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

impl Groups {
    /// The number in the launch of an item that is numbered group by group.
    pub(super) fn item(&self, number: u32) -> u32 {
        let Self { grid, block } = *self;
        let items = product(block);
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
        kernel: &'static str,
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
            return Err(Error::LocalMemoryTooLarge {
                kernel,
                needed,
                given,
                available: caps.local_memory,
            });
        };
        let by_memory = caps
            .local_memory
            .checked_div(local_bytes)
            .unwrap_or(u32::MAX);
        let slots = (caps.warps / warps).min(by_memory);
        // No more than there is work for.
        let slots = count.div_ceil(caps.cores).clamp(1, slots);
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
    /// What the device entry is told. No more warps are started than have work.
    pub(super) fn header(
        &self,
        kernel: &'static str,
        caps: &Caps,
        uses: Option<GroupUse>,
        local: u64,
        faults: u32,
        prints: Option<PrintArea>,
    ) -> Result<LaunchHeader> {
        let turn = caps.cores * caps.threads;
        let (warps, group) = match (uses, &self.groups) {
            (None, _) => {
                let warps = self.total.div_ceil(turn).clamp(1, caps.warps);
                (warps, GroupHeader::default())
            }
            (Some(_), None) => return Err(Error::NeedsGroups { kernel }),
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
            group,
        })
    }

    /// Which item a lane is at. `turn` is what a kernel counts, the group or else the item of lane 0: `None` for what it begins with.
    pub(super) fn place(
        &self,
        header: &LaunchHeader,
        caps: &Caps,
        uses: Option<GroupUse>,
        (at, turn): (HardwareThread, Option<u32>),
    ) -> Option<WorkItem> {
        let HardwareThread { core, warp, lane } = at;
        let item = match (uses, &self.groups) {
            (Some(_), Some(groups)) => {
                let slot = warp.checked_div(header.group.warps)?;
                let group = turn.unwrap_or(slot * caps.cores + core);
                let local = warp % header.group.warps * caps.threads + lane;
                let inside = group < header.group.count && local < header.group.items;
                groups.item(inside.then(|| group * header.group.items + local)?)
            }
            _ => {
                let first = (warp * caps.cores + core) * caps.threads;
                turn.unwrap_or(first).checked_add(lane)?
            }
        };
        (item < self.total).then(|| self.item(item))
    }

    /// Where in the launch the item of this number is.
    pub(super) fn item(&self, item: u32) -> WorkItem {
        let coordinates = self.coordinates(item);
        let group = |groups: Groups| std::array::from_fn(|d| coordinates[d] / groups.block[d]);
        WorkItem {
            item,
            coordinates,
            group: self.groups.map(group),
        }
    }

    /// Where in the launch an item is.
    pub(super) fn coordinates(&self, item: u32) -> [u32; 3] {
        coordinates(item, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CAPS: Caps = Caps {
        cores: 4,
        warps: 16,
        threads: 32,
        zicond: true,
        atomics: true,
        warp_ops: true,
        local_memory: 0,
    };

    /// Attributes with groups of 8 x 2 items.
    const BLOCK: Attributes = Attributes {
        block: Some([8, 2, 1]),
        ..Attributes::NONE
    };

    #[test]
    fn a_required_block_is_the_block() {
        let groups = |shape: Shape| {
            shape
                .resolve("k", &BLOCK, &CAPS)
                .map(|extent| extent.groups)
        };
        let block = [8, 2, 1];
        for shape in [
            Shape {
                grid: Some([3, 4, 1]),
                ..Shape::default()
            },
            Shape {
                grid: Some([3, 4, 1]),
                block: Some([8, 2, 1]),
                ..Shape::default()
            },
            Shape {
                over: Some([24, 8, 1]),
                ..Shape::default()
            },
        ] {
            let expected = Groups {
                grid: [3, 4, 1],
                block,
            };
            assert_eq!(groups(shape).unwrap(), Some(expected));
        }
        let other = Shape {
            grid: Some([1; 3]),
            block: Some([2, 8, 1]),
            ..Shape::default()
        };
        assert_eq!(
            groups(other).unwrap_err().to_string(),
            "kernel k is declared with groups of 8 x 2 work items, but this launch gives groups of 2 x 8; \
             write `.block((8, 2))`, or leave it out"
        );
        let partial = Shape {
            over: Some([24, 7, 1]),
            ..Shape::default()
        };
        assert_eq!(
            groups(partial).unwrap_err().to_string(),
            "kernel k is declared with groups of 8 x 2 work items, which do not divide 24 x 7 work items; \
             round the number up, and let the kernel skip what is too much"
        );
    }

    #[test]
    fn a_hint_is_taken_where_it_fits() {
        let attributes = Attributes {
            block_hint: Some([64, 1, 1]),
            ..Attributes::NONE
        };
        let block = |shape: Shape, caps: &Caps| {
            let extent = shape.resolve("k", &attributes, caps).unwrap();
            extent.groups.map(|groups| groups.block)
        };
        let over = |n| Shape {
            over: Some([n, 1, 1]),
            ..Shape::default()
        };
        assert_eq!(block(over(640), &CAPS), Some([64, 1, 1]));
        assert_eq!(block(over(641), &CAPS), None);
        let small = Caps {
            warps: 4,
            threads: 4,
            ..CAPS
        };
        assert_eq!(block(over(640), &small), None);
        let given = Shape {
            grid: Some([2, 1, 1]),
            block: Some([3, 1, 1]),
            ..Shape::default()
        };
        assert_eq!(block(given, &CAPS), Some([3, 1, 1]));
    }

    #[test]
    fn a_required_subgroup_is_held_against_the_device() {
        let attributes = Attributes {
            subgroup: Some(4),
            ..Attributes::NONE
        };
        let shape = Shape {
            over: Some([1; 3]),
            ..Shape::default()
        };
        assert_eq!(
            shape
                .resolve("k", &attributes, &CAPS)
                .unwrap_err()
                .to_string(),
            "kernel k is declared with `subgroup = 4`, but the warps of this device have 32 lanes"
        );
    }

    fn over(size: impl Size) -> Result<Extent> {
        Shape {
            over: Some(size.extent()),
            ..Shape::default()
        }
        .resolve("k", &Attributes::NONE, &CAPS)
    }

    #[test]
    fn literals_are_sizes() {
        assert_eq!(over(1 << 20).unwrap().total, 1 << 20);
        assert_eq!(over((3, 4)).unwrap().size, [3, 4, 1]);
        assert_eq!(over((3, 4, 5)).unwrap().total, 60);
        assert_eq!(over((3, 0, 5)).unwrap().total, 0);
    }

    #[test]
    fn grid_times_block() {
        let shape = Shape {
            grid: Some([3, 2, 1]),
            block: Some([8, 4, 1]),
            over: None,
        };
        assert_eq!(
            shape.resolve("k", &Attributes::NONE, &CAPS).unwrap(),
            Extent {
                total: 192,
                size: [24, 8, 1],
                groups: Some(Groups {
                    grid: [3, 2, 1],
                    block: [8, 4, 1]
                })
            }
        );
    }

    #[test]
    fn impossible_sizes_are_errors() {
        let message = |shape: Shape| {
            shape
                .resolve("k", &Attributes::NONE, &CAPS)
                .unwrap_err()
                .to_string()
        };
        assert!(matches!(
            Shape::default().resolve("k", &Attributes::NONE, &CAPS),
            Err(Error::NoShape { .. })
        ));
        let both = Shape {
            over: Some([1; 3]),
            grid: Some([1; 3]),
            block: None,
        };
        assert!(matches!(
            both.resolve("k", &Attributes::NONE, &CAPS),
            Err(Error::TwoShapes { .. })
        ));
        let block = Shape {
            block: Some([32, 17, 1]),
            grid: Some([1; 3]),
            over: None,
        };
        assert_eq!(
            message(block),
            "kernel k: a group of 32 x 17 x 1 work items does not fit a core of this device, which runs 512 at a time"
        );
        let empty = Shape {
            block: Some([0, 1, 1]),
            grid: Some([1; 3]),
            over: None,
        };
        assert_eq!(
            message(empty),
            "kernel k: a group of 0 work items cannot cover any work"
        );
        assert!(matches!(over(usize::MAX), Err(Error::TooManyItems { .. })));
        assert!(matches!(
            over((usize::MAX, usize::MAX, usize::MAX)),
            Err(Error::TooManyItems { .. })
        ));
        assert!(over(u32::MAX as usize - 2048).is_ok());
        assert!(over(u32::MAX as usize - 2047).is_err());
    }

    proptest! {
        #[test]
        fn steps_add_up_to_the_stride(x in 1usize..5000, y in 1usize..50, z in 1usize..9) {
            let extent = over((x, y, z)).unwrap();
            let header = extent.header("k", &CAPS, None, 0, 0, None).unwrap();
            let [sx, sy, sz] = header.step;
            prop_assert!(sx < header.size[0] && sy < header.size[1]);
            prop_assert_eq!(sx + header.size[0] * (sy + header.size[1] * sz), header.stride);
            prop_assert!((1..=16).contains(&header.warps));
            prop_assert_eq!(header.stride, header.warps * 128);
            prop_assert!(header.warps == 16 || header.stride >= header.total);
        }

        #[test]
        fn groups_fit_the_device(
            grid in [1usize..40, 1usize..6, 1usize..3], block in [1usize..20, 1usize..5, 1usize..6], local in 0u32..9000
        ) {
            let caps = Caps { local_memory: 16384, ..CAPS };
            let shape = Shape { grid: Some(grid), block: Some(block), over: None };
            let extent = shape.resolve("k", &Attributes::NONE, &caps).unwrap_or_else(|_| over(1).unwrap());
            let uses = Some(GroupUse { local_bytes: 512 });
            if let Some(groups) = extent.groups {
                let header = extent.header("k", &caps, uses, local.next_multiple_of(16).into(), 0, None).unwrap();
                let group = header.group;
                let slots = group.stride / caps.cores;
                prop_assert!(group.warps * caps.threads >= group.items && (group.warps - 1) * caps.threads < group.items);
                prop_assert!(slots >= 1 && slots * group.warps == header.warps && header.warps <= caps.warps);
                prop_assert!(slots * group.local_bytes <= caps.local_memory);
                let [x, y, z] = group.step;
                prop_assert_eq!(x + group.groups[0] * (y + group.groups[1] * z), group.stride);
                let mut seen: Vec<u32> = (0..extent.total).map(|n| groups.item(n)).collect();
                seen.sort_unstable();
                prop_assert!(seen.into_iter().eq(0..extent.total));
            }
        }

        #[test]
        fn coordinates_are_the_items(x in 1usize..50, y in 1usize..50, z in 1usize..9, item in 0u32..1000) {
            let extent = over((x, y, z)).unwrap();
            let item = item % extent.total;
            let [cx, cy, cz] = extent.coordinates(item);
            prop_assert_eq!((cz * y as u32 + cy) * x as u32 + cx, item);
        }
    }
}
