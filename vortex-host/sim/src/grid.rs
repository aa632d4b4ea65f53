//! Grids of work groups, in the form that the hardware of Vortex 3 accepts.

use super::config::Config;
use super::layout::LOCAL;
use thiserror::Error;
use vortex_isa::Generation;

/// The granule of a group's local memory, in bytes.
const LOCAL_LINE: u32 = 64;

/// Work groups for the hardware to hand out to cores ("CTAs"), along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of groups along x, y and z. Of none, a run does nothing.
    pub groups: [u32; 3],
    /// Work items of a group along x, y and z; in all at most as many as a core has threads.
    pub items: [u32; 3],
    /// Bytes of local memory that each group has for itself, in whole lines of 64 ([`Grid::local_stride`]).
    pub local_bytes: u32,
    /// Address of the kernel that the program's start goes to: what programs read as CSR `cta_entry`.
    pub entry: u32,
}

/// Why a device cannot run a [`Grid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GridError {
    /// The device is of a generation whose programs start their warps themselves.
    #[error("{0} has no hardware that hands out work groups; Vortex 3 has")]
    Generation(Generation),
    /// A group that no core has room for, or of nothing.
    #[error(
        "a group of {}x{}x{} work items is not possible: a core has {most} threads for it",
        .items[0], .items[1], .items[2]
    )]
    Items {
        /// Work items of a group along x, y and z, as asked for.
        items: [u32; 3],
        /// Threads of a core.
        most: u32,
    },
    /// More local memory than a core has.
    #[error("a group with {bytes} bytes of local memory is not possible: a core has {most}")]
    LocalMemory {
        /// Bytes for each group, as asked for.
        bytes: u32,
        /// Bytes of a core's local memory.
        most: u32,
    },
    /// More groups along x, y and z than 64 bits can count.
    #[error("{}x{}x{} groups are more than can be counted", .0[0], .0[1], .0[2])]
    Groups([u32; 3]),
}

impl Grid {
    /// What Vortex's runtime asks for on behalf of programs that know nothing of groups: one full warp of each core.
    pub(super) fn of_cores(config: &Config, start: u32) -> Grid {
        Grid {
            groups: [config.cores, 1, 1],
            items: [config.threads, 1, 1],
            local_bytes: 0,
            entry: start,
        }
    }

    /// Checks whether a device can run this.
    ///
    /// # Errors
    /// [`GridError::Generation`] on a device of Vortex 2, and otherwise as [`Grid::check_for`].
    pub fn check(&self, config: &Config) -> Result<(), GridError> {
        if !config.generation.has(Generation::V3) {
            return Err(GridError::Generation(config.generation));
        }
        self.check_for(config.warps * config.threads, config.local_mem)
    }

    /// The same of a device of Vortex 3 whose cores have this many threads (`most`) and bytes of local memory.
    ///
    /// # Errors
    /// [`GridError::Items`] if a group has no items or more than `most`, [`GridError::LocalMemory`] if it asks for more
    /// than `local_memory`, [`GridError::Groups`] if 64 bits do not count the groups.
    pub fn check_for(&self, most: u32, local_memory: u32) -> Result<(), GridError> {
        let product = |counts: [u32; 3]| {
            let [x, y, z] = counts.map(u64::from);
            x.checked_mul(y)?.checked_mul(z)
        };
        if !product(self.items).is_some_and(|items| (1..=u64::from(most)).contains(&items)) {
            let items = self.items;
            return Err(GridError::Items { items, most });
        }
        if self.local_bytes > local_memory {
            return Err(GridError::LocalMemory {
                bytes: self.local_bytes,
                most: local_memory,
            });
        }
        product(self.groups)
            .map(|_| ())
            .ok_or(GridError::Groups(self.groups))
    }

    /// Groups in all.
    pub(super) fn count(&self) -> u64 {
        self.groups.iter().map(|&n| u64::from(n)).product()
    }

    /// Work items of a group in all.
    pub(super) fn group_size(&self) -> u32 {
        self.items.iter().product()
    }

    /// The place of a group in the grid, by its number: x changes first.
    pub(super) fn place(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.groups.map(|n| u64::from(n).max(1));
        // Below a count that has 32 bits.
        [number % x, number / x % y, number / (x * y)].map(|n| n as u32)
    }

    /// Bytes from the local memory of a group with this many bytes of it to that of the next slot's group: these in
    /// whole lines of 64, as Vortex 3's `VX_cta_dispatch` spaces them.
    #[must_use]
    pub const fn local_stride(local_bytes: u32) -> u32 {
        local_bytes.div_ceil(LOCAL_LINE).saturating_mul(LOCAL_LINE)
    }
}

/// What a warp knows about its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupOfWarp {
    /// The group's slot on its core.
    pub(crate) slot: u32,
    /// Warp in the group.
    pub(crate) rank: u32,
    /// Warps of the group.
    pub(crate) size: u32,
    /// The group's place in the grid.
    pub(crate) at: [u32; 3],
    /// Where its local memory starts.
    pub(crate) local: u32,
    pub(crate) grid: Grid,
}

impl GroupOfWarp {
    /// Of a warp that no group was handed to.
    pub(crate) const NONE: GroupOfWarp = GroupOfWarp {
        slot: 0,
        rank: 0,
        size: 0,
        at: [0; 3],
        local: LOCAL,
        grid: Grid {
            groups: [0; 3],
            items: [0; 3],
            local_bytes: 0,
            entry: 0,
        },
    };

    /// The place of a lane's work item in its group, along an axis.
    pub(crate) fn item(&self, axis: usize, lane: u32, threads: u32) -> u32 {
        let [x, y, _] = self.grid.items.map(|n| n.max(1));
        let number = self.rank * threads + lane;
        [number % x, number / x % y, number / (x * y)][axis]
    }
}
