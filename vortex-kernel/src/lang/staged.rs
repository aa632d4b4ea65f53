//! What a block of a kernel can result in.

use super::lane::Lane;
use super::recorder;
use crate::ir::Value;
use crate::meta::Scalar;

/// What an `if` or a block of a kernel can result in, and what a local can hold: `()`, values,
/// pointers, slices, and tuples of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of an `if` or of a mutable local in a kernel",
    label = "not a value of the kernel language"
)]
pub trait Staged: Copy {
    /// Appends the IR values this is made of.
    #[doc(hidden)]
    fn values(self, out: &mut Vec<Value>);

    /// The same with other IR values.
    #[doc(hidden)]
    #[must_use]
    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self;

    /// Stands for either of two.
    #[doc(hidden)]
    #[must_use]
    fn either(self, other: Self) -> Self;

    /// Stands for anything that may be assigned to a local holding this.
    #[doc(hidden)]
    #[must_use]
    fn assignable(self) -> Self;

    /// Something for code that is never reached.
    #[doc(hidden)]
    fn unreachable() -> Self;
}

impl<T: Scalar> Staged for Lane<T> {
    fn values(self, out: &mut Vec<Value>) {
        out.push(self.value());
    }

    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
        values.next().map_or(self, Self::new)
    }

    fn either(self, _: Self) -> Self {
        self
    }

    fn assignable(self) -> Self {
        self
    }

    fn unreachable() -> Self {
        Self::new(recorder::undefined(T::SCALAR.ir()))
    }
}

macro_rules! tuples {
    ($(($($part:ident $other:ident),*))*) => {$(
        // The empty tuple uses none of its arguments.
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        impl<$($part: Staged),*> Staged for ($($part,)*) {
            fn values(self, out: &mut Vec<Value>) {
                let ($($part,)*) = self;
                $($part.values(out);)*
            }

            fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
                let ($($part,)*) = self;
                ($($part.rebuild(values),)*)
            }

            fn either(self, other: Self) -> Self {
                let ($($part,)*) = self;
                let ($($other,)*) = other;
                ($($part.either($other),)*)
            }

            fn assignable(self) -> Self {
                let ($($part,)*) = self;
                ($($part.assignable(),)*)
            }

            fn unreachable() -> Self {
                ($($part::unreachable(),)*)
            }
        }
    )*};
}

tuples! {
    ()
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
    (A a, B b, C c, D d, E e, F f, G g)
    (A a, B b, C c, D d, E e, F f, G g, H h)
}
