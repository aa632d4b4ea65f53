//! Tuples of what can be staged.

use super::access::Mutable;
use crate::ir::{Shape, Value};
use crate::lang::base::staged::{Staged, Whole, append_leaves, leaves, size};
use crate::lang::base::tuples::up_to;
use crate::lang::base::written::{Written, written};
use crate::lang::recorder::PlaceRef;
use crate::types::{Leaf, Words};

impl PlaceRef {
    /// The next part of a tuple.
    fn next<S: Staged>(&mut self) -> Self {
        let part = *self;
        self.first = self.first.wrapping_add(leaves::<S>().len() as u32);
        self.offset = self.offset.wrapping_add(size::<S>());
        part
    }
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

        written! { [$($part: Written),*] ($($part,)*) => ($($part::Type<'a>,)*); }

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

up_to! { 8, tuples! { () } }
