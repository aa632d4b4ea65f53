//! Which work item this is, of which group, and how many there are.

use std::panic::Location;

use crate::ir::{Id, Op, Type};
use crate::lang::base::lane::Lane;
use crate::lang::recorder::{At, emit};

/// They are described by the names that users know.
macro_rules! in_kernels {
    ($name:ident) => {
        concat!(
            "In kernels: [`",
            stringify!($name),
            "`](super::outside::",
            stringify!($name),
            ")."
        )
    };
}

/// A function of no arguments for an id, and those for its coordinates in two and in three dimensions.
macro_rules! ids {
    ($($linear:ident = $whole:ident, $two:ident $three:ident = $axis:ident;)*) => {$(
        #[doc = in_kernels!($linear)]
        #[track_caller]
        #[must_use]
        pub fn $linear() -> Lane<usize> {
            id(Id::$whole, Location::caller())
        }

        #[doc = in_kernels!($two)]
        #[track_caller]
        #[must_use]
        pub fn $two() -> (Lane<usize>, Lane<usize>) {
            let at = Location::caller();
            (id(Id::$axis(0), at), id(Id::$axis(1), at))
        }

        #[doc = in_kernels!($three)]
        #[track_caller]
        #[must_use]
        pub fn $three() -> (Lane<usize>, Lane<usize>, Lane<usize>) {
            let at = Location::caller();
            (id(Id::$axis(0), at), id(Id::$axis(1), at), id(Id::$axis(2), at))
        }
    )*};
}

ids! {
    global_id = GlobalLinear, global_id_2d global_id_3d = Global;
    global_size = GlobalCount, global_size_2d global_size_3d = GlobalSize;
    local_id = LocalLinear, local_id_2d local_id_3d = Local;
    local_size = LocalCount, local_size_2d local_size_3d = LocalSize;
    group_id = GroupLinear, group_id_2d group_id_3d = Group;
    group_count = GroupCount, group_count_2d group_count_3d = Groups;
}

/// Functions that tell where on the device a work item runs.
macro_rules! places {
    ($($name:ident $id:ident;)*) => {$(
        #[doc = in_kernels!($name)]
        #[track_caller]
        #[must_use]
        pub fn $name() -> Lane<usize> {
            id(Id::$id, Location::caller())
        }
    )*};
}

places! {
    lane_id Lane;
    warp_id Warp;
    core_id Core;
    lane_count Lanes;
    warp_count Warps;
    core_count Cores;
}

#[doc = in_kernels!(clock)]
#[track_caller]
#[must_use]
pub fn clock() -> Lane<u32> {
    Lane::new(emit(Op::Clock, Type::U32, Location::caller()))
}

fn id(id: Id, at: At) -> Lane<usize> {
    Lane::new(emit(Op::Id(id), Type::U32, at))
}
