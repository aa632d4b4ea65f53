//! Constant arrays of tuples. Tuples are no elements of arrays, so each part has an array of its own.

use super::access::Readable;
use super::elements::Elements;
use super::fits_kernels::FitsKernels;
use super::global::HostItem;
use super::memory::{Indexable, IndexableMut};
use crate::lang::base::lane::Lane;
use crate::lang::recorder::At;

/// An array of `N` tuples, as the arrays of their parts.
#[derive(Clone, Copy, Debug)]
pub struct Columns<C, const N: usize>(C);

macro_rules! columns {
    ($(($($part:ident $number:tt),*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($part: Copy,)* const N: usize> HostItem for [($($part,)*); N]
        where
            $([$part; N]: HostItem<Wide: FitsKernels>,)*
        {
            type Value = Self::Place;
            type Place = Columns<($(<[$part; N] as HostItem>::Place,)*), N>;
            type Wide = ();

            fn value(self, name: &'static str, at: At) -> Self::Value {
                self.place(name, at)
            }

            fn place(self, name: &'static str, at: At) -> Self::Place {
                Columns(($(self.map(|row| row.$number).place(name, at),)*))
            }
        }

        impl<$($part: Indexable,)* const N: usize> Indexable for Columns<($($part,)*), N> {
            type Place = ($($part::Place,)*);

            fn index(self, index: impl FnOnce() -> Lane<usize>) -> Self::Place {
                let index = index();
                ($(self.0.$number.index(|| index),)*)
            }
        }

        // Nothing can be assigned to any of them.
        #[diagnostic::do_not_recommend]
        impl<$($part: Indexable,)* const N: usize> IndexableMut for Columns<($($part,)*), N> {
            type Place = <Self as Indexable>::Place;

            fn index_mut(self, index: impl FnOnce() -> Lane<usize>) -> Self::Place {
                self.index(index)
            }
        }

        impl<$($part: Indexable,)* const N: usize> Elements for Columns<($($part,)*), N> {
            fn count(self) -> Lane<usize> {
                self.len()
            }
        }

        impl<$($part: Readable),*> Readable for ($($part,)*) {
            type Value = ($($part::Value,)*);

            fn read(self, at: At) -> Self::Value {
                ($(self.$number.read(at),)*)
            }
        }
    )*};
}

columns! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}
