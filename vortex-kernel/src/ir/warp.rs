//! Communication between the lanes of a warp.
//!
//! An operation is done by the lanes that reach it together, and only covers them: those that are in the same iteration
//! of every enclosing loop and have taken the same arms, among the neighbouring items of one warp. A lane that has no
//! item, has returned or has left a loop does not take part until control reconverges at the end of the `if` or loop.
//! So the results depend on the program, the items and the number of lanes, but not on how the program was compiled.

use super::eval::wide::canonical;
use super::{BinOp, Const, Type};

/// A warp operation. The lanes that execute it are the *active* lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpOp {
    /// The mask of active lanes, a `u32`.
    Active,
    /// Whether the operand, a `bool`, is true in all active lanes.
    All,
    /// Whether it is true in any of them.
    Any,
    /// Whether it is the same in all of them.
    Uniform,
    /// The mask of active lanes in which it is true, a `u32`.
    Ballot,
    /// The first operand of the lane whose number is the second, a `u32`. A lane that asks for one that is not active,
    /// or does not exist, gets its own.
    Shuffle,
    /// The operand of the lowest active lane.
    Broadcast,
    /// Each operand of all active lanes combined: the last result of [`WarpOp::Scan`].
    Reduce(BinOp),
    /// Each operand of the active lanes up to this one combined, in the order of lanes. Floats are added pairwise:
    /// first each to that of the active lane before, then each such sum to that of two active lanes before, then of
    /// four, and so on.
    Scan(BinOp),
    /// The result of [`WarpOp::Scan`] in the active lane before; [`WarpOp::neutral`] in the lowest.
    ScanBefore(BinOp),
    /// As [`WarpOp::Shuffle`], where it is known that the lane is active. `opt::legalize_warp` turns the operations
    /// that pass values between lanes into this.
    Read,
}

impl WarpOp {
    /// How many operands there are; `None` where they are combined: one or more, as many as there are results.
    #[must_use]
    pub const fn operands(self) -> Option<usize> {
        match self {
            Self::Active => Some(0),
            Self::Shuffle | Self::Read => Some(2),
            Self::Reduce(_) | Self::Scan(_) | Self::ScanBefore(_) => None,
            _ => Some(1),
        }
    }

    /// How values are combined, if they are.
    #[must_use]
    pub const fn combines(self) -> Option<BinOp> {
        match self {
            Self::Reduce(op) | Self::Scan(op) | Self::ScanBefore(op) => Some(op),
            _ => None,
        }
    }

    /// Whether all active lanes get the same result, whatever their operands.
    #[must_use]
    pub const fn is_uniform(self) -> bool {
        !matches!(
            self,
            Self::Shuffle | Self::Scan(_) | Self::ScanBefore(_) | Self::Read
        )
    }

    /// The neutral element for operands of type `ty`; `None` where they are not combined by `op`.
    #[must_use]
    pub const fn neutral(op: BinOp, ty: Type) -> Option<Const> {
        let ones = u64::MAX >> (64 - ty.bits());
        let highest = match ty {
            Type::F32 => f32::INFINITY.to_bits() as u64,
            _ if ty.is_signed() => ones >> 1,
            _ => ones,
        };
        let lowest = match ty {
            Type::F32 => f32::NEG_INFINITY.to_bits() as u64,
            _ if ty.is_signed() => canonical(!(ones >> 1), ty),
            _ => 0,
        };
        match op {
            BinOp::Add | BinOp::Or | BinOp::Xor => Some(Const(0)),
            BinOp::And => Some(Const(canonical(ones, ty))),
            BinOp::Min => Some(Const(highest)),
            BinOp::Max => Some(Const(lowest)),
            _ => None,
        }
    }
}
