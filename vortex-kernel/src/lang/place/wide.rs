//! Constants of the host's whose types are wider than the device's numbers. They are items as others, so that rustc
//! says which type is meant, by [`FitsKernels`](super::FitsKernels), and not all of what a kernel can name.

use super::global::HostItem;
use crate::lang::base::lane::Lane;
use crate::lang::recorder::At;

macro_rules! wide_constants {
    ($($wide:ident $narrow:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl HostItem for $wide {
            type Value = Lane<$narrow>;
            type Place = Lane<$narrow>;
            type Wide = $wide;

            fn value(self, _: &'static str, _: At) -> Lane<$narrow> {
                unreachable!("it does not compile")
            }

            fn place(self, _: &'static str, _: At) -> Lane<$narrow> {
                unreachable!("it does not compile")
            }
        }

        #[diagnostic::do_not_recommend]
        impl<const N: usize> HostItem for [$wide; N] {
            type Value = Lane<[$narrow; N]>;
            type Place = Lane<[$narrow; N]>;
            type Wide = $wide;

            fn value(self, _: &'static str, _: At) -> Lane<[$narrow; N]> {
                unreachable!("it does not compile")
            }

            fn place(self, _: &'static str, _: At) -> Lane<[$narrow; N]> {
                unreachable!("it does not compile")
            }
        }
    )*};
}

wide_constants! {
    f64 f32;
    u128 u64;
    i128 i64;
}
