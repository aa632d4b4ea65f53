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

fn id(id: Id, at: At) -> Lane<usize> {
    Lane::new(emit(Op::Id(id), Type::U32, at))
}
