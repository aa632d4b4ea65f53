//! What an item or a hart can ask about its place.

/// Values the entry provides about the current work item. All are `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// Linear index of the item in the launch, x fastest.
    GlobalLinear,
    /// Coordinate in the given dimension (0 = x, 1 = y, 2 = z).
    Global(u8),
    /// Number of items in the launch.
    GlobalCount,
    /// Extent of the launch in the given dimension.
    GlobalSize(u8),
    /// Linear index of the item in its group, x fastest.
    LocalLinear,
    /// Coordinate in its group, in the given dimension.
    Local(u8),
    /// Number of items in a group.
    LocalCount,
    /// Extent of a group in the given dimension.
    LocalSize(u8),
    /// Linear index of the group in the launch, x fastest.
    GroupLinear,
    /// Coordinate of the group in the given dimension.
    Group(u8),
    /// Number of groups in the launch.
    GroupCount,
    /// Number of groups in the given dimension.
    Groups(u8),
    /// The lane of its warp that the item runs in.
    Lane,
    /// The warp of its core that the item runs in.
    Warp,
    /// The core that the item runs on.
    Core,
    /// Lanes per warp of the device.
    Lanes,
    /// Warps per core of the device.
    Warps,
    /// Cores of the device.
    Cores,
}

impl Id {
    /// Its dimension, if it has one.
    #[must_use]
    pub const fn dimension(self) -> Option<u8> {
        match self {
            Self::Global(n)
            | Self::GlobalSize(n)
            | Self::Local(n)
            | Self::LocalSize(n)
            | Self::Group(n)
            | Self::Groups(n) => Some(n),
            Self::GlobalLinear
            | Self::GlobalCount
            | Self::LocalLinear
            | Self::LocalCount
            | Self::GroupLinear
            | Self::GroupCount
            | Self::Lane
            | Self::Warp
            | Self::Core
            | Self::Lanes
            | Self::Warps
            | Self::Cores => None,
        }
    }

    /// Whether this is an id of groups, so that a launch must state them.
    #[must_use]
    pub const fn needs_groups(self) -> bool {
        matches!(
            self,
            Self::LocalLinear
                | Self::Local(_)
                | Self::LocalCount
                | Self::LocalSize(_)
                | Self::GroupLinear
                | Self::Group(_)
                | Self::GroupCount
                | Self::Groups(_)
        )
    }

    /// Whether all items of a group have the same value.
    #[must_use]
    pub const fn is_uniform_in_group(self) -> bool {
        !matches!(
            self,
            Self::GlobalLinear
                | Self::Global(_)
                | Self::LocalLinear
                | Self::Local(_)
                | Self::Lane
                | Self::Warp
        )
    }
}

/// Values read from the hart at run time. All are `u32`. Emitted by the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Csr {
    /// Address of the launch block (mscratch); its type is `ptr<constant>`.
    LaunchBlock,
    /// Global number of the hart (mhartid).
    HartId,
    /// Lane in the warp.
    LaneId,
    /// Warp in the core.
    WarpId,
    /// Core in the device.
    CoreId,
    /// Lanes per warp.
    NumLanes,
    /// Warps per core.
    NumWarps,
    /// Cores of the device.
    NumCores,
    /// Address of the core's local memory; its type is `ptr<local>`.
    LocalBase,
    /// Only on Vortex 3, like the following: number of the group that the hardware has handed to the warp.
    HandedGroup,
    /// That group's slot on the core.
    HandedSlot,
    /// Warps of that group.
    HandedWarps,
    /// Warp in that group.
    HandedRank,
    /// Address of that group's local memory; its type is `ptr<local>`.
    HandedLocal,
}
