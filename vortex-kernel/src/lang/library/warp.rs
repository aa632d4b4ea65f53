//! Warp operations: what the lanes of a warp can ask each other.
//!
//! An operation is about the work items that come to it together: side by side in one warp, in the same iteration of
//! every loop around it, in the same arms. See the page on warps for who that is.

use std::panic::Location;

use super::collectives::{ask, combinations, combined, over_lanes, passed};
use super::ids::{lane_count, lane_id};
use crate::ir::{BinOp, CmpOp, Op, Type, Value, WarpOp};
use crate::lang::base::lane::Lane;
use crate::lang::recorder::{At, emit, emit_const, placed, type_of};
use crate::lang::value::arith::on_words;
use crate::types::{DeviceType, Scalar};

pub use super::collectives::{Combine, CombineBits};

/// The mask of the lanes that take part, lane 0 in its lowest bit.
#[track_caller]
#[must_use]
pub fn active() -> Lane<u32> {
    Lane::new(ask(
        WarpOp::Active,
        Vec::new(),
        Type::U32,
        Location::caller(),
    ))
}

/// Functions of a condition.
macro_rules! votes {
    ($($(#[$doc:meta])* $name:ident $op:ident $ty:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        #[must_use]
        pub fn $name(condition: Lane<bool>) -> Lane<$ty> {
            let operands = vec![condition.value()];
            Lane::new(ask(WarpOp::$op, operands, <$ty>::SCALAR.ir(), Location::caller()))
        }
    )*};
}

votes! {
    /// Whether `condition` is true in all lanes that take part.
    all All bool;
    /// Whether `condition` is true in any lane that takes part.
    any Any bool;
    /// Whether `condition` is the same in all lanes that take part.
    uniform Uniform bool;
    /// The mask of the lanes that take part and in which `condition` is true.
    ballot Ballot u32;
}

/// Whether this is the lowest of the lanes that take part: true in exactly one of them.
#[track_caller]
#[must_use]
pub fn elect() -> Lane<bool> {
    let at = Location::caller();
    placed(at, || {
        let [zero, one] = [0, 1].map(|word| emit_const(word, Type::U32, at));
        let bit = on_words(BinOp::Shl, one, lane_id().value(), at);
        let below = on_words(BinOp::Sub, bit, one, at);
        let lower = on_words(BinOp::And, active().value(), below, at);
        Lane::new(emit(Op::Compare(CmpOp::Eq, lower, zero), Type::Bool, at))
    })
}

/// `value` as the lowest of the lanes that take part has it.
#[track_caller]
#[must_use]
pub fn broadcast<T: DeviceType>(value: Lane<T>) -> Lane<T> {
    let at = Location::caller();
    let pass = |word| ask(WarpOp::Broadcast, vec![word], type_of(word), at);
    placed(at, || passed(value, pass))
}

/// `value` as the lane with number `lane` has it; the lane's own `value` if that one takes no part or does not exist.
#[track_caller]
#[must_use]
pub fn shuffle<T: DeviceType>(value: Lane<T>, lane: Lane<usize>) -> Lane<T> {
    from_lane(value, lane.value(), Location::caller())
}

/// `value` as the lane `distance` below has it, else as [`shuffle`].
#[track_caller]
#[must_use]
pub fn shuffle_up<T: DeviceType>(value: Lane<T>, distance: Lane<usize>) -> Lane<T> {
    let at = Location::caller();
    let lane = placed(at, || {
        on_words(BinOp::Sub, lane_id().value(), clamped(distance, at), at)
    });
    from_lane(value, lane, at)
}

/// `value` as the lane `distance` above has it, else as [`shuffle`].
#[track_caller]
#[must_use]
pub fn shuffle_down<T: DeviceType>(value: Lane<T>, distance: Lane<usize>) -> Lane<T> {
    let at = Location::caller();
    let lane = placed(at, || {
        on_words(BinOp::Add, lane_id().value(), clamped(distance, at), at)
    });
    from_lane(value, lane, at)
}

/// `value` as the lane has it whose number is this lane's xor `mask`, else as [`shuffle`].
#[track_caller]
#[must_use]
pub fn shuffle_xor<T: DeviceType>(value: Lane<T>, mask: Lane<usize>) -> Lane<T> {
    let at = Location::caller();
    let lane = placed(at, || {
        on_words(BinOp::Xor, lane_id().value(), mask.value(), at)
    });
    from_lane(value, lane, at)
}

/// A distance, or one that is too large in any warp, so that the sum with a lane does not wrap.
fn clamped(distance: Lane<usize>, at: At) -> Value {
    on_words(BinOp::Min, distance.value(), lane_count().value(), at)
}

fn from_lane<T: DeviceType>(value: Lane<T>, lane: Value, at: At) -> Lane<T> {
    let pass = |word| ask(WarpOp::Shuffle, vec![word, lane], type_of(word), at);
    placed(at, || passed(value, pass))
}

fn of<T: DeviceType>(op: WarpOp, value: Lane<T>, at: At) -> Lane<T> {
    placed(at, || {
        combined(value, at, |words| over_lanes(op, &words, at))
    })
}

/// Functions that combine the values of lanes.
macro_rules! combining {
    ($($what:literal $op:ident $bound:ident: $reduce:ident $inclusive:ident $exclusive:ident;)*) => {$(
        #[doc = concat!("The ", $what, " of `value` over all lanes that take part.")]
        #[track_caller]
        #[must_use]
        pub fn $reduce<T: $bound>(value: Lane<T>) -> Lane<T> {
            of(WarpOp::Reduce(BinOp::$op), value, Location::caller())
        }

        #[doc = concat!("The ", $what, " of `value` over the lanes that take part, up to and with this one.")]
        #[track_caller]
        #[must_use]
        pub fn $inclusive<T: $bound>(value: Lane<T>) -> Lane<T> {
            of(WarpOp::Scan(BinOp::$op), value, Location::caller())
        }

        #[doc = concat!("The ", $what, " of `value` over the lanes that take part before this one; what changes nothing in the first.")]
        #[track_caller]
        #[must_use]
        pub fn $exclusive<T: $bound>(value: Lane<T>) -> Lane<T> {
            of(WarpOp::ScanBefore(BinOp::$op), value, Location::caller())
        }
    )*};
}

combinations!(combining);
