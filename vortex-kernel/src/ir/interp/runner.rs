//! Where an item or a hart is, and what it can ask about that.

use super::{DeviceShape, LOCAL_BASE, Trap};
use crate::ir::{Csr, Id};

/// What runs.
#[derive(Clone, Copy)]
pub(super) enum Runner {
    /// Work items of a launch.
    Item {
        size: [u32; 3],
        block: [u32; 3],
        lanes: u32,
    },
    /// Harts of a device.
    Hart(DeviceShape),
}

impl Runner {
    /// The ids of item or hart `number`.
    pub(super) fn id(&self, number: u32, id: Id) -> Result<u32, Trap> {
        let Runner::Item { size, block, lanes } = *self else {
            return Err(Trap::Unsupported("id"));
        };
        let at = coordinates(number, size);
        let axis = |n: u8| usize::from(n.min(2));
        let local = |d: usize| at[d] % block[d];
        let group = |d: usize| at[d] / block[d];
        let groups: [u32; 3] = std::array::from_fn(|d| size[d] / block[d]);
        let linear =
            |[x, y, _]: [u32; 3], at: &dyn Fn(usize) -> u32| (at(2) * y + at(1)) * x + at(0);
        Ok(match id {
            Id::GlobalLinear => number,
            Id::Global(n) => at[axis(n)],
            Id::GlobalCount => count(size),
            Id::GlobalSize(n) => size[axis(n)],
            Id::LocalLinear => linear(block, &local),
            Id::Local(n) => local(axis(n)),
            Id::LocalCount => count(block),
            Id::LocalSize(n) => block[axis(n)],
            Id::GroupLinear => linear(groups, &group),
            Id::Group(n) => group(axis(n)),
            Id::GroupCount => count(groups),
            Id::Groups(n) => groups[axis(n)],
            Id::Lane => linear(block, &local) % lanes,
            Id::Lanes => lanes,
            // Which warp it is, is up to the device.
            Id::Warp | Id::Core => 0,
            Id::Warps | Id::Cores => 1,
        })
    }

    /// Likewise.
    pub(super) fn csr(&self, number: u32, csr: Csr) -> Result<u32, Trap> {
        let Runner::Hart(shape) = self else {
            return Err(Trap::Unsupported("csr"));
        };
        Ok(match csr {
            Csr::LaunchBlock => shape.launch_block,
            Csr::HartId => number,
            Csr::LaneId => number % shape.lanes,
            Csr::WarpId => number / shape.lanes % shape.warps,
            Csr::CoreId => number / shape.lanes / shape.warps,
            Csr::NumLanes => shape.lanes,
            Csr::NumWarps => shape.warps,
            Csr::NumCores => shape.cores,
            Csr::LocalBase | Csr::HandedLocal => LOCAL_BASE,
            // As if each warp were handed a group of its own.
            Csr::HandedGroup => number / shape.lanes,
            Csr::HandedSlot => number / shape.lanes % shape.warps,
            Csr::HandedWarps => 1,
            Csr::HandedRank => 0,
        })
    }
}

pub(super) fn coordinates(number: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (x.max(1), y.max(1));
    [number % x, number / x % y, number / x / y]
}

pub(super) fn count(size: [u32; 3]) -> u32 {
    size.iter().fold(1, |total, n| total.saturating_mul(*n))
}
