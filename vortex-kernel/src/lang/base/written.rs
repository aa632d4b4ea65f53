//! What the user writes for a type, for messages.

use super::lane::Lane;
use crate::types::DeviceType;

/// A type of a kernel, by the name that it has there: `Option<f32>` for an `Opt<Lane<f32>>`.
pub trait Written {
    /// What the user writes.
    type Type<'a>;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Written for Lane<T> {
    type Type<'a> = T;
}

/// Any of these but a `Lane` of what a function may take by value; of an array, which a reference passes.
pub trait OtherThanLane {
    /// What the user writes.
    type Written<'a>;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType, const N: usize> OtherThanLane for Lane<[T; N]> {
    type Written<'a> = [T; N];
}

/// Says what the user writes for types other than `Lane`.
macro_rules! written {
    ($([$($generics:tt)*] $ty:ty => $written:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::lang::base::written::Written for $ty {
            type Type<'a> = $written;
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::lang::base::written::OtherThanLane for $ty {
            type Written<'a> = $written;
        }
    )*};
}
pub(in crate::lang) use written;
