//! What a block of a kernel can result in.

use super::lane::{Lane, words_of};
use crate::ir::{Shape, Value};
use crate::lang::recorder::{At, PlaceRef, emit_const};
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

/// The IR values that make up a staged value.
pub(in crate::lang) fn values_of<T: Staged>(value: T) -> Vec<Value> {
    let mut values = Vec::new();
    value.values(&mut values);
    values
}

/// The words something is made of.
pub(in crate::lang) fn leaves<S: Staged>() -> Vec<Leaf> {
    let mut leaves = Vec::new();
    S::leaves(&mut leaves);
    leaves
}

/// Bytes that something takes in memory, in whole words.
pub(in crate::lang) fn size<S: Staged>() -> u32 {
    let ends = leaves::<S>().into_iter();
    let end = ends.map(|leaf| leaf.offset.saturating_add(leaf.ty.bytes()));
    end.max().unwrap_or(0).next_multiple_of(4)
}

/// What is read outside of a slice.
pub(in crate::lang) fn zero<S: Staged>(at: At) -> S {
    S::build(&mut words_of(zeros(leaves::<S>(), at)))
}

fn zeros(leaves: Vec<Leaf>, at: At) -> Vec<Value> {
    let zeros = leaves.into_iter().map(|leaf| emit_const(0, leaf.ty, at));
    zeros.collect()
}

/// Appends the words of a part, which lie after those of the parts before.
pub(in crate::lang) fn append_leaves<S: Staged>(out: &mut Vec<Leaf>) {
    let ends = out.iter().map(|leaf| leaf.offset + leaf.ty.bytes());
    let end = ends.max().unwrap_or(0).next_multiple_of(4);
    let start = out.len();
    S::leaves(out);
    out[start..].iter_mut().for_each(|leaf| leaf.offset += end);
}
