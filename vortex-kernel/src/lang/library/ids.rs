//! Which work item this is, of which group, and how many there are.

use std::panic::Location;

use crate::ir::{Id, Op, Type};
use crate::lang::base::lane::Lane;
use crate::lang::recorder::{At, emit};

/// A function of no arguments for an id, and those for its coordinates in two and in three dimensions.
macro_rules! ids {
    ($(
        $what:literal, $coordinates:literal: $linear:ident = $whole:ident,
        $two:ident $three:ident = $axis:ident;
    )*) => {$(
        #[doc = $what]
        #[track_caller]
        #[must_use]
        pub fn $linear() -> Lane<usize> {
            id(Id::$whole, Location::caller())
        }

        #[doc = concat!($coordinates, ": `(x, y)`.")]
        #[track_caller]
        #[must_use]
        pub fn $two() -> (Lane<usize>, Lane<usize>) {
            let at = Location::caller();
            (id(Id::$axis(0), at), id(Id::$axis(1), at))
        }

        #[doc = concat!($coordinates, ": `(x, y, z)`.")]
        #[track_caller]
        #[must_use]
        pub fn $three() -> (Lane<usize>, Lane<usize>, Lane<usize>) {
            let at = Location::caller();
            (id(Id::$axis(0), at), id(Id::$axis(1), at), id(Id::$axis(2), at))
        }
    )*};
}

ids! {
    "The number of this work item in the launch, from 0; in two and three dimensions x runs fastest.",
    "The coordinates of this work item in the launch":
        global_id = GlobalLinear, global_id_2d global_id_3d = Global;
    "How many work items the launch has.",
    "The extent of the launch in work items":
        global_size = GlobalCount, global_size_2d global_size_3d = GlobalSize;
    "The number of this work item in its group, from 0; in two and three dimensions x runs fastest.",
    "The coordinates of this work item in its group":
        local_id = LocalLinear, local_id_2d local_id_3d = Local;
    "How many work items a group has.",
    "The extent of a group in work items: what the launch gave to `.block`":
        local_size = LocalCount, local_size_2d local_size_3d = LocalSize;
    "The number of this work item's group, from 0; in two and three dimensions x runs fastest.",
    "The coordinates of this work item's group":
        group_id = GroupLinear, group_id_2d group_id_3d = Group;
    "How many groups the launch has.",
    "The extent of the launch in groups: what the launch gave to `.grid`":
        group_count = GroupCount, group_count_2d group_count_3d = Groups;
}

/// Functions that tell where on the device a work item runs.
macro_rules! places {
    ($($(#[$doc:meta])* $name:ident $id:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        #[must_use]
        pub fn $name() -> Lane<usize> {
            id(Id::$id, Location::caller())
        }
    )*};
}

places! {
    /// The lane of its warp that this work item runs in, below [`lane_count`].
    lane_id Lane;
    /// The warp of its core that this work item runs in, below [`warp_count`].
    warp_id Warp;
    /// The core that this work item runs on, below [`core_count`].
    core_id Core;
    /// How many lanes a warp of the device has.
    lane_count Lanes;
    /// How many warps a core of the device has.
    warp_count Warps;
    /// How many cores the device has.
    core_count Cores;
}

/// Cycles that the core has run for. It wraps after 2^32, so take the difference of two with `wrapping_sub`.
#[track_caller]
#[must_use]
pub fn clock() -> Lane<u32> {
    Lane::new(emit(Op::Clock, Type::U32, Location::caller()))
}

fn id(id: Id, at: At) -> Lane<usize> {
    Lane::new(emit(Op::Id(id), Type::U32, at))
}
