//! What the rest is made of: lanes, what else can be staged, constants, the kinds of numbers, branches and loops.
//!
//! [`Lane`] is a value; [`DeviceType`](crate::types::DeviceType) says what a type's values are made of, and [`Staged`]
//! what a block of a kernel can result in.

pub(in crate::lang) mod branch;
pub(in crate::lang) mod constant;
pub(in crate::lang) mod flow;
pub(in crate::lang) mod lane;
pub(in crate::lang) mod numbers;
pub(in crate::lang) mod staged;
pub(in crate::lang) mod truth;
pub(in crate::lang) mod tuples;
pub(in crate::lang) mod written;

pub use constant::{Constant, default};
pub use flow::{
    Label, and, break_, continue_, diverged, endless_loop, for_range, for_range_inclusive, if_else,
    or, return_, when, while_loop,
};
pub use lane::Lane;
pub use numbers::{Bits, Half, Int, Num, Signed, SignedInt, Unsigned};
pub use staged::Staged;
pub use written::{OtherThanLane, Written};
