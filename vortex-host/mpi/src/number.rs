//! What can be reduced.

use std::fmt;

use mpi::collective::SystemOperation;
use mpi::datatype::Equivalence;
use vortex::meta::Element;

/// A number that MPI can add and compare: `f32`, or an integer of 8 to 64 bits.
///
/// MPI knows no 16-bit floats.
pub trait Number: Element + Equivalence + Copy + Default + sealed::Sealed {}

mod sealed {
    /// Keeps the set of numbers what MPI knows.
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Number for $ty {}
    )*};
}

numbers!(i8, i16, i32, i64, u8, u16, u32, u64, f32);

/// How the elements of ranks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum. Integers wrap; floats are added in an order that is MPI's, the same on all ranks.
    Sum,
    /// Their product, likewise.
    Product,
    /// The least of them.
    Minimum,
    /// The greatest of them.
    Maximum,
}

impl Reduction {
    pub(crate) fn operation(self) -> SystemOperation {
        match self {
            Reduction::Sum => SystemOperation::sum(),
            Reduction::Product => SystemOperation::product(),
            Reduction::Minimum => SystemOperation::min(),
            Reduction::Maximum => SystemOperation::max(),
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reduction::Sum => "sum",
            Reduction::Product => "product",
            Reduction::Minimum => "minimum",
            Reduction::Maximum => "maximum",
        })
    }
}
