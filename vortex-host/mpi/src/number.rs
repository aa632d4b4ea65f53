//! What can be reduced.

use std::fmt;

use mpi::collective::SystemOperation;
use mpi::datatype::Equivalence;
use vortex::meta::Element;

/// A number that MPI can add and compare: `f32`, or an integer of 8 to 64 bits.
///
/// MPI knows no 16-bit floats.
pub trait Number: Element + Copy + sealed::AsSent {}

mod sealed {
    use super::Equivalence;

    /// What MPI computes with. Keeps the set of numbers what MPI knows, too.
    ///
    /// Integers of 8 and 16 bits travel as 32: Open MPI adds some elements of a buffer with saturation, where it uses
    /// AVX, and others without (its issue 8045). The low bits of sums and products are the same in 32.
    pub trait AsSent {
        /// The type.
        type Sent: Equivalence + Copy + Default;
        /// To it.
        fn sent(self) -> Self::Sent;
        /// Back again.
        fn received(sent: Self::Sent) -> Self;
    }
}

macro_rules! numbers {
    ($($ty:ty as $sent:ty),*) => {$(
        impl sealed::AsSent for $ty {
            type Sent = $sent;

            fn sent(self) -> $sent {
                self as $sent
            }

            fn received(sent: $sent) -> Self {
                sent as $ty
            }
        }

        impl Number for $ty {}
    )*};
}

numbers!(i8 as i32, i16 as i32, i32 as i32, i64 as i64);
numbers!(u8 as u32, u16 as u32, u32 as u32, u64 as u64, f32 as f32);

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
