//! The launch and its device.

use serde::{Deserialize, Serialize};
use vortex_kernel::abi::LaunchHeader;
use vortex_kernel::codegen::GroupUse;
use vortex_sim::timing::Limits;

use super::costs::rounded;
use crate::driver::Caps;

/// The device of a profile: its shape, and what the cycle model lets it do at best.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeviceShape {
    /// The generation of Vortex: 2 or 3.
    pub generation: u32,
    /// Cores of the device.
    pub cores: u32,
    /// Warps that a core can have.
    pub warps: u32,
    /// Lanes of a warp.
    pub threads: u32,
    /// Instructions that a core can issue in a cycle.
    pub slices: u32,
    /// Bytes of local memory of a core, which the groups on it share.
    pub local_memory: u32,
    /// Bytes of the data cache of a socket.
    pub dcache: u32,
    /// Bytes of the instruction cache of a socket.
    pub icache: u32,
    /// Bytes that main memory moves in a cycle, at best.
    pub memory_bytes: f64,
    /// Float operations of the device in a cycle, at best.
    pub float_operations: f64,
    /// Bytes of a place that the coalescer merges, and how many places it asks for in a turn.
    pub coalesced: (u32, u32),
}

impl DeviceShape {
    pub(super) fn of(caps: &Caps, limits: &Limits) -> Self {
        Self {
            generation: caps.generation.number(),
            cores: caps.cores,
            warps: caps.warps,
            threads: caps.threads,
            slices: limits.slices,
            local_memory: caps.local_memory,
            dcache: limits.dcache_bytes,
            icache: limits.icache_bytes,
            memory_bytes: limits.memory_bytes,
            float_operations: rounded(limits.float_operations()),
            coalesced: (limits.coalesced_bytes, limits.coalesced_requests),
        }
    }

    /// Warps that all cores can have together.
    #[must_use]
    pub fn all_warps(&self) -> u64 {
        u64::from(self.cores) * u64::from(self.warps)
    }
}

/// How many work items a launch has.
pub(crate) struct Items {
    pub(crate) total: u32,
    /// In x, y and z.
    pub(crate) size: [u32; 3],
    /// Those of a group, if the launch has groups.
    pub(crate) block: Option<[u32; 3]>,
}

/// The size of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LaunchShape {
    /// Work items of the whole launch.
    pub items: u32,
    /// Their number in x, y and z.
    pub size: [u32; 3],
    /// Items of a group in x, y and z, if the kernel uses groups.
    pub block: Option<[u32; 3]>,
    /// Number of groups, if the kernel uses groups.
    pub groups: Option<u32>,
    /// Items that a lane does at once, in x, y and z, and how many items of the launch are done so, if any are. If the
    /// kernel uses groups, they are the same item of this many neighbouring groups.
    pub coarse: Option<([u32; 3], u32)>,
    /// Bytes of local memory of each group.
    pub local_bytes: u32,
    /// Warps that a core runs at a time.
    pub warps: u32,
    /// Warps that all items together fill; more than the device has where its warps do several steps of items.
    pub filled_warps: u64,
    /// What of a group keeps a core from running more warps at a time, in words, if that does and not the number of
    /// items: `4096 bytes of local memory for each group`.
    pub limit: Option<String>,
}

impl LaunchShape {
    pub(super) fn of(
        items: &Items,
        header: &LaunchHeader,
        uses: Option<GroupUse>,
        coarsening: Option<[u32; 3]>,
        caps: &Caps,
    ) -> Self {
        let group = &header.group;
        // Of how many neighbours a lane does an item each, and bytes of a group in a block of them.
        let covered = header.coarse.covered;
        let coarse = coarsening.filter(|_| covered > 0);
        let (coarse, local_bytes) = match (coarse, uses) {
            (Some(each @ [columns, rows, _]), Some(_)) => {
                let groups = columns * rows;
                let items = covered * groups * group.items;
                (Some((each, items)), group.local_bytes / groups)
            }
            (Some(each @ [_, rows, _]), None) => (Some((each, covered * rows)), 0),
            (None, _) => (None, group.local_bytes),
        };
        let filled_warps = match uses {
            Some(_) => u64::from(group.count) * u64::from(group.warps),
            None => u64::from(items.total).div_ceil(caps.threads.into()),
        };
        let has_more = filled_warps >= u64::from(caps.cores) * u64::from(caps.warps);
        let by_warps = (caps.warps / group.warps.max(1)) * group.warps;
        let limit =
            (has_more && header.warps < caps.warps).then(|| match by_warps > header.warps {
                true => format!("{local_bytes} bytes of local memory for each group"),
                false => format!("{} warps for each group", group.warps),
            });
        Self {
            items: items.total,
            size: items.size,
            block: uses.and(items.block),
            groups: uses.map(|_| group.count),
            coarse,
            local_bytes,
            warps: header.warps,
            filled_warps,
            limit,
        }
    }

    /// The share of lanes that have an item, of those of the warps that run.
    pub(super) fn filled_lanes(&self, threads: u32) -> f64 {
        let lanes = self.filled_warps as f64 * f64::from(threads.max(1));
        (f64::from(self.items) / lanes.max(1.0)).min(1.0)
    }
}
