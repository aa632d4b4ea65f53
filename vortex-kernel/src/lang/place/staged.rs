//! What a block of a kernel can result in.

use super::access::Mutable;
use super::place_ref::PlaceRef;
use crate::ir::{Shape, Value};
use crate::lang::value::lane::{Lane, words_of};
use crate::types::{DeviceType, Leaf, Mutables, Struct, Words};

/// What an `if` or a block of a kernel can result in, and what a local can hold: `()`, values,
/// pointers, slices, and tuples of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of an `if` or of a mutable local in a kernel",
    label = "not a value of the kernel language"
)]
pub trait Staged: Copy + 'static {
    /// Whether a local of it has to have an address.
    #[doc(hidden)]
    const IN_MEMORY: bool = false;

    /// The parts of a place that holds this.
    #[doc(hidden)]
    type Parts: Copy + 'static;

    /// The words this is made of; those of device types with their places in memory.
    #[doc(hidden)]
    fn leaves(out: &mut Vec<Leaf>);

    /// What it is, for debuggers.
    #[doc(hidden)]
    fn shape() -> Shape {
        let mut leaves = Vec::new();
        Self::leaves(&mut leaves);
        let ends = leaves.iter().map(|leaf| leaf.offset + leaf.ty.bytes());
        Shape::Bytes {
            name: std::any::type_name::<Self>().to_owned(),
            size: ends.max().unwrap_or(0),
        }
    }

    /// Something made of these words, standing for anything of this type.
    #[doc(hidden)]
    fn build(words: &mut Words) -> Self;

    /// The parts of a place.
    #[doc(hidden)]
    fn parts(whole: PlaceRef) -> Self::Parts;

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

    /// Something for code that is never reached.
    #[doc(hidden)]
    fn unreachable() -> Self {
        Self::build(&mut words_of(Vec::new()))
    }
}

/// Structs and tuples: what has parts that can be assigned to.
pub trait Whole: Staged {}

impl<T: DeviceType + Struct> Whole for Lane<T> {}

impl<T: DeviceType> Staged for Lane<T> {
    const IN_MEMORY: bool = T::IN_MEMORY;

    type Parts = T::Fields<Mutables>;

    fn leaves(out: &mut Vec<Leaf>) {
        T::leaves(0, out);
    }

    fn shape() -> Shape {
        T::shape()
    }

    fn build(words: &mut Words) -> Self {
        Self::build(words)
    }

    fn parts(mut whole: PlaceRef) -> Self::Parts {
        T::parts::<Mutables>(&mut whole)
    }

    fn values(self, out: &mut Vec<Value>) {
        self.append(out);
    }

    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
        let values = values.take(T::LEAVES as usize).collect();
        Self::build(&mut words_of(values))
    }

    fn either(self, _: Self) -> Self {
        self
    }
}

/// Appends the words of a part, which lie after those of the parts before.
pub(in crate::lang) fn append_leaves<S: Staged>(out: &mut Vec<Leaf>) {
    let ends = out.iter().map(|leaf| leaf.offset + leaf.ty.bytes());
    let end = ends.max().unwrap_or(0).next_multiple_of(4);
    let start = out.len();
    S::leaves(out);
    out[start..].iter_mut().for_each(|leaf| leaf.offset += end);
}

/// A tuple of these.
fn tuple(parts: Vec<Shape>) -> Shape {
    let names: Vec<_> = parts.iter().map(Shape::name).collect();
    let name = format!("({})", names.join(", "));
    let parts = parts.into_iter().enumerate();
    structure(
        name,
        parts.map(|(number, part)| (format!("__{number}"), part)),
    )
}

/// What has these parts, each at the next multiple of 4.
pub(in crate::lang) fn structure(
    name: String,
    parts: impl IntoIterator<Item = (String, Shape)>,
) -> Shape {
    let mut size = 0u32;
    let fields = parts.into_iter().map(|(name, part)| {
        let offset = size.next_multiple_of(4);
        size = offset + part.size();
        (name, offset, part)
    });
    let fields = fields.collect();
    Shape::Struct {
        name,
        size: size.next_multiple_of(4),
        fields,
    }
}

macro_rules! tuples {
    ($(($($part:ident $other:ident),*))*) => {$(
        impl<$($part: Staged),*> Whole for ($($part,)*) {}

        // The empty tuple uses none of its arguments.
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        impl<$($part: Staged),*> Staged for ($($part,)*) {
            const IN_MEMORY: bool = false $(|| $part::IN_MEMORY)*;

            type Parts = ($(Mutable<$part>,)*);

            fn leaves(out: &mut Vec<Leaf>) {
                $(append_leaves::<$part>(out);)*
            }

            fn shape() -> Shape {
                tuple(vec![$($part::shape()),*])
            }

            fn build(words: &mut Words) -> Self {
                ($($part::build(words),)*)
            }

            // Nothing is taken from the place by the empty tuple.
            #[allow(unused_mut)]
            fn parts(mut whole: PlaceRef) -> Self::Parts {
                ($(Mutable::at(whole.next::<$part>()),)*)
            }

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
