//! Which work item this is.

use std::panic::Location;

use super::lane::Lane;
use super::recorder::{At, emit};
use crate::ir::{Id, Op, Type};

/// The number of this work item in the launch, from 0; in two and three dimensions x runs fastest.
#[track_caller]
#[must_use]
pub fn global_id() -> Lane<usize> {
    id(Id::GlobalLinear, Location::caller())
}

/// The coordinates `(x, y)` of this work item.
#[track_caller]
#[must_use]
pub fn global_id_2d() -> (Lane<usize>, Lane<usize>) {
    let at = Location::caller();
    (id(Id::Global(0), at), id(Id::Global(1), at))
}

/// The coordinates `(x, y, z)` of this work item.
#[track_caller]
#[must_use]
pub fn global_id_3d() -> (Lane<usize>, Lane<usize>, Lane<usize>) {
    let at = Location::caller();
    (
        id(Id::Global(0), at),
        id(Id::Global(1), at),
        id(Id::Global(2), at),
    )
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

fn id(id: Id, at: At) -> Lane<usize> {
    Lane::new(emit(Op::Id(id), Type::U32, at))
}
