//! The types of values: what they are made of, in registers and in memory.

use std::fmt;

use super::by_hand::{ByHand, Comparison};
use super::scalar_type::ScalarType;
use crate::ir::{Shape, Type, Value};

/// A [`DeviceType`], as code names it that has values of it.
///
/// Of a type that is none, rustc then knows no values either, and complains only once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that kernels can compute with",
    label = "not a device type",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above \
                it; above an enum, `#[repr(u32)]`",
    note = "device types are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, `usize`, `isize`, and structs and \
            enums with `#[derive(vortex::DeviceType)]`; \
            Vortex has no 64-bit floats: write `f32` (and `2.5f32` for a literal) instead of `f64`"
)]
pub trait ValueType: Sized {
    /// The type itself.
    #[doc(hidden)]
    type Itself;

    /// The value itself.
    #[doc(hidden)]
    fn into_value(self) -> Self::Itself;
}

/// Of types without generics of their own.
macro_rules! value_types {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::types::ValueType for $ty {
            type Itself = Self;

            fn into_value(self) -> Self {
                self
            }
        }
    )*};
}

pub(crate) use value_types;

#[diagnostic::do_not_recommend]
impl<T: ValueType, const N: usize> ValueType for [T; N] {
    type Itself = [T::Itself; N];

    fn into_value(self) -> [T::Itself; N] {
        self.map(T::into_value)
    }
}

/// A type that a kernel's values can have: scalars, and structs and C-like enums with
/// `#[derive(vortex::DeviceType)]`.
///
/// All are `Copy`, which the derive asks for. The trait does not: of a type that is not, rustc would complain wherever
/// a kernel uses it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that kernels can compute with",
    label = "not a device type",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above it; above an enum, `#[repr(u32)]`",
    note = "device types are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, `usize`, `isize`, and structs and \
            enums with `#[derive(vortex::DeviceType)]`; \
            Vortex has no 64-bit floats: write `f32` (and `2.5f32` for a literal) instead of `f64`"
)]
pub trait DeviceType: ValueType<Itself = Self> + Sized + 'static {
    /// What a value of this type is made of while a kernel is being recorded.
    #[doc(hidden)]
    type Repr: Copy + 'static;
    /// Its fields, as parts of a value or of a place.
    #[doc(hidden)]
    type Fields<K: Kind>: Copy + 'static;

    /// Whether it has an array in it, which can be indexed in memory only.
    #[doc(hidden)]
    const IN_MEMORY: bool = false;

    /// Whether it has device pointers in it, through which a kernel can reach memory that is no argument.
    #[doc(hidden)]
    const HOLDS_POINTERS: bool = false;

    /// Which scalar type it is, if it is one.
    #[doc(hidden)]
    const AS_SCALAR: Option<ScalarType> = None;

    /// How many words it is made of.
    #[doc(hidden)]
    const LEAVES: u32;

    /// The words it is made of, and where they lie in memory when the whole lies at `offset`.
    #[doc(hidden)]
    fn leaves(offset: u32, out: &mut Vec<Leaf>);

    /// Appends the IR values of a value.
    #[doc(hidden)]
    fn values(repr: &Self::Repr, out: &mut Vec<Value>);

    /// A value of these words.
    #[doc(hidden)]
    fn build(words: &mut Words) -> Self::Repr;

    /// The fields of a value.
    #[doc(hidden)]
    fn fields(repr: &Self::Repr) -> &Self::Fields<Lanes>;

    /// The fields of a place.
    #[doc(hidden)]
    fn parts<K: Kind>(whole: &mut K::Whole) -> Self::Fields<K>;

    /// What it is, for debuggers.
    #[doc(hidden)]
    fn shape() -> Shape {
        Shape::Bytes {
            name: std::any::type_name::<Self>().to_owned(),
            size: u32::try_from(size_of::<Self>()).unwrap_or(u32::MAX),
        }
    }

    /// The comparison of the host's that is not that of the parts, which is what kernels compare.
    #[doc(hidden)]
    #[must_use]
    fn compared_by_hand(_asked: Comparison) -> Option<ByHand> {
        None
    }

    /// A value of the host that means nothing.
    #[doc(hidden)]
    fn placeholder() -> Self;

    /// Records a value of the host as constants.
    #[doc(hidden)]
    fn lift(self, out: &mut dyn Lift);
}

/// A struct with `#[derive(vortex::DeviceType)]`.
///
/// Not a part of [`DeviceType`]: where it is missing, nothing is known of the value, and rustc complains only once.
#[diagnostic::on_unimplemented(
    message = "this struct is not a type that kernels can compute with",
    label = "not a device type",
    note = "write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above the struct",
    note = "of an enum variants have no fields in kernels: write a struct with all of them, and a number or another \
            enum in it that says which of them are in use"
)]
pub trait Struct: Sized {
    /// A value of a kernel.
    #[doc(hidden)]
    type Value;

    /// The fields in order, with the number of their words.
    #[doc(hidden)]
    const FIELDS: &'static [(&'static str, u32)];

    /// A value of these words.
    #[doc(hidden)]
    fn value(words: Words) -> Self::Value;
}

/// A word of a value: where it lies in memory, and its type.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub(crate) offset: u32,
    pub(crate) ty: Type,
}

impl Leaf {
    pub(crate) const fn new(offset: u32, ty: Type) -> Self {
        Self { offset, ty }
    }
}

/// The one word of a scalar.
#[derive(Clone, Copy, Debug)]
pub struct Word(Value);

impl Word {
    pub(crate) const fn new(value: Value) -> Self {
        Self(value)
    }

    pub(crate) const fn value(self) -> Value {
        self.0
    }

    pub(crate) fn build(words: &mut Words, ty: Type) -> Self {
        Self(words.next(ty))
    }
}

/// The words that values are built of, in order.
#[derive(Debug)]
pub struct Words {
    values: std::vec::IntoIter<Value>,
    undefined: fn(Type) -> Value,
}

impl Words {
    /// These words; beyond the last, what `undefined` gives.
    pub(crate) fn new(values: Vec<Value>, undefined: fn(Type) -> Value) -> Self {
        let values = values.into_iter();
        Self { values, undefined }
    }

    /// The next word. Beyond the last they are undefined, for code that is never reached.
    pub(crate) fn next(&mut self, ty: Type) -> Value {
        let next = self.values.next();
        next.unwrap_or_else(|| (self.undefined)(ty))
    }
}

/// Records values of the host, word by word.
pub trait Lift {
    /// A scalar: its bits, or none if the device's type cannot hold it, and itself for a message about that.
    fn scalar(&mut self, ty: ScalarType, bits: Option<u64>, value: &dyn fmt::Display);

    /// A device address.
    fn address(&mut self, address: u32);
}

/// What the fields of a struct are parts of.
pub trait Kind: Copy + 'static {
    /// A field of type `T`.
    type Of<T: DeviceType>: Copy + 'static;
    /// What fields are taken from.
    #[doc(hidden)]
    type Whole;

    /// The next field, which lies in memory at `offset` in the struct.
    #[doc(hidden)]
    fn field<T: DeviceType>(whole: &mut Self::Whole, offset: usize) -> Self::Of<T>;
}

/// Fields of a value.
#[derive(Clone, Copy, Debug)]
pub struct Lanes;

/// Fields of a place that can be assigned to.
#[derive(Clone, Copy, Debug)]
pub struct Mutables;

/// Fields of a place that can only be read.
#[derive(Clone, Copy, Debug)]
pub struct Places;
