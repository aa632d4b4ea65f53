//! The scalar types a kernel can compute with, and the traits that stand for them.

use std::fmt;

use bytemuck::Pod;
use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::by_value::ByValue;
use super::device_type::{DeviceType, Kind, Leaf, Lift, Word, Words};
use crate::group::Field;
use crate::ir;

/// A scalar type of the kernel language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalarType {
    /// `bool`: one byte, 0 or 1.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `i64`: two words.
    I64,
    /// `u64`: two words.
    U64,
    /// `half::f16`.
    F16,
    /// `half::bf16`.
    Bf16,
    /// `f32`.
    F32,
    /// `usize`: 32 bits on the device.
    Usize,
    /// `isize`: 32 bits on the device.
    Isize,
}

/// The spellings of one scalar type in a kernel's signature.
macro_rules! spellings {
    ($($variant:ident $name:literal,)*) => {
        impl ScalarType {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As Rust spells it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// As Rust spells it and what refers to it.
            pub(crate) const fn spelling(self) -> Spelling {
                match self {
                    $(Self::$variant => Spelling {
                        name: $name,
                        slice: concat!("&[", $name, "]"),
                        slice_mut: concat!("&mut [", $name, "]"),
                        ptr: concat!("*const ", $name),
                        ptr_mut: concat!("*mut ", $name),
                        local: concat!("&mut Local<[", $name, "]>"),
                    },)*
                }
            }
        }
    };
}

spellings! {
    Bool "bool", I8 "i8", I16 "i16", I32 "i32", U8 "u8", U16 "u16", U32 "u32", I64 "i64", U64 "u64",
    F16 "f16", Bf16 "bf16", F32 "f32",
    Usize "usize", Isize "isize",
}

impl ScalarType {
    /// Size on the device, in bytes; its alignment too, up to that of a word.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.ir().bytes() as usize
    }

    /// The IR type that stands for it.
    #[must_use]
    pub const fn ir(self) -> ir::Type {
        match self {
            Self::Bool => ir::Type::Bool,
            Self::I8 => ir::Type::I8,
            Self::I16 => ir::Type::I16,
            Self::I32 | Self::Isize => ir::Type::I32,
            Self::U8 => ir::Type::U8,
            Self::U16 => ir::Type::U16,
            Self::U32 | Self::Usize => ir::Type::U32,
            Self::I64 => ir::Type::I64,
            Self::U64 => ir::Type::U64,
            Self::F16 => ir::Type::F16,
            Self::Bf16 => ir::Type::BF16,
            Self::F32 => ir::Type::F32,
        }
    }
}

impl Field for ScalarType {
    fn schema() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|ty| ty.name()).collect();
        format!(r#"{{ "enum": {names:?} }}"#)
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar: a number or a `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that kernels can compute with",
    label = "not a device type",
    note = "device types are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, `usize` and `isize`; \
            Vortex has no 64-bit floats: write `f32` (and `2.5f32` for a literal) instead of `f64`"
)]
pub trait Scalar:
    DeviceType<Repr = Word>
    + sealed::Sealed
    + Copy
    + PartialEq
    + fmt::Debug
    + fmt::Display
    + Send
    + Sync
{
    /// Which scalar type it is.
    const SCALAR: ScalarType;

    /// How it lies in an argument struct: `usize` is a `u32` there, `bool` a `u8`.
    type Arg: Pod;

    /// The value as it lies in an argument struct; `None` when the device's type cannot hold it.
    #[doc(hidden)]
    fn to_arg(self) -> Option<Self::Arg>;

    /// The device word that holds the value, or both; `None` when the device's type cannot hold it.
    #[doc(hidden)]
    fn to_words(self) -> Option<u64>;
}

/// A type that can lie in device memory: an element of a buffer, what a kernel's pointer points to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "not an element of buffers, slices or pointers",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above it; above an enum, `#[repr(u32)]`",
    note = "elements are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, and structs and enums with \
            `#[derive(vortex::DeviceType)]`; `usize` and `isize` have other \
            sizes on the host and on the device: use `u32` and `i32`"
)]
pub trait Element: DeviceType + InMemory<This = Self> + Send + Sync {
    /// The element that these bytes are, as many as it has; `None` if they are none.
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Option<Self>;

    /// Writes the element into as many bytes as it has; those between its fields stay as they are.
    #[doc(hidden)]
    fn to_bytes(&self, bytes: &mut [u8]);

    /// Elements as they lie in device memory.
    #[doc(hidden)]
    fn bytes_of(elements: &[Self]) -> Cow<'_, [u8]> {
        let size = size_of::<Self>();
        let mut bytes = vec![0; size_of_val(elements)];
        for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(size.max(1))) {
            element.to_bytes(bytes);
        }
        Cow::Owned(bytes)
    }
}

/// [`Element`] without its bounds, for generated code to ask for in an error that names no others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "not an element of buffers, slices or pointers",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above it; above an enum, `#[repr(u32)]`",
    note = "elements are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, and structs and enums with \
            `#[derive(vortex::DeviceType)]`; `usize` and `isize` have other \
            sizes on the host and on the device: use `u32` and `i32`"
)]
pub trait InMemory {
    /// The type itself.
    #[doc(hidden)]
    type This: Element;
    /// How the type is written, alone and as what slices and pointers refer to.
    const SPELLING: Spelling;
}

/// In error, and only there, where a field of a device type cannot lie in memory.
#[doc(hidden)]
pub const fn check_field<T: InMemory>() {}

/// What device types are, for generated code to ask for in an error that says what to write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Copy`, and a device type is",
    label = "not `Copy`",
    note = "write `#[derive(Clone, Copy, vortex::DeviceType)]` above it"
)]
pub trait IsCopy {
    /// Nothing.
    #[doc(hidden)]
    const CHECKED: () = ();
}

#[diagnostic::do_not_recommend]
impl<T: Copy> IsCopy for T {}

/// How a type is written in a kernel's signature.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// `T`.
    pub name: &'static str,
    /// `&[T]`.
    pub slice: &'static str,
    /// `&mut [T]`.
    pub slice_mut: &'static str,
    /// `*const T`.
    pub ptr: &'static str,
    /// `*mut T`.
    pub ptr_mut: &'static str,
    /// `&mut Local<[T]>`.
    pub local: &'static str,
}

mod sealed {
    /// Keeps the set of scalars what the compiler knows.
    pub trait Sealed {}
}

macro_rules! scalars {
    ($($ty:ty, $variant:ident, $arg:ty, |$x:ident| $to_arg:expr, $to_words:expr;)*) => {$(
        impl DeviceType for $ty {
            type Repr = Word;
            type Fields<K: Kind> = ();

            const AS_SCALAR: Option<ScalarType> = Some(ScalarType::$variant);
            const LEAVES: u32 = 1;

            fn leaves(offset: u32, out: &mut Vec<Leaf>) {
                out.push(Leaf::new(offset, ScalarType::$variant.ir()));
            }

            fn values(repr: &Word, out: &mut Vec<ir::Value>) {
                out.push(repr.value());
            }

            fn build(words: &mut Words) -> Word {
                Word::build(words, ScalarType::$variant.ir())
            }

            fn fields(_: &Word) -> &() {
                &()
            }

            fn parts<K: Kind>(_: &mut K::Whole) {}

            fn placeholder() -> Self {
                Self::default()
            }

            fn lift(self, out: &mut dyn Lift) {
                out.scalar(Self::SCALAR, self.to_words(), &self);
            }
        }

        impl sealed::Sealed for $ty {}

        #[diagnostic::do_not_recommend]
        impl ByValue for $ty {
            type This = Self;
        }

        impl Scalar for $ty {
            const SCALAR: ScalarType = ScalarType::$variant;
            type Arg = $arg;

            fn to_arg(self) -> Option<$arg> {
                let $x = self;
                $to_arg
            }

            fn to_words(self) -> Option<u64> {
                let $x = self;
                $to_words.map(u64::from)
            }
        }
    )*};
}

scalars! {
    bool, Bool, u8, |x| Some(u8::from(x)), Some(u32::from(x));
    i8, I8, i8, |x| Some(x), Some(i32::from(x).cast_unsigned());
    i16, I16, i16, |x| Some(x), Some(i32::from(x).cast_unsigned());
    i32, I32, i32, |x| Some(x), Some(x.cast_unsigned());
    u8, U8, u8, |x| Some(x), Some(u32::from(x));
    u16, U16, u16, |x| Some(x), Some(u32::from(x));
    u32, U32, u32, |x| Some(x), Some(x);
    i64, I64, i64, |x| Some(x), Some(x.cast_unsigned());
    u64, U64, u64, |x| Some(x), Some(x);
    f16, F16, f16, |x| Some(x), Some(u32::from(x.to_bits()));
    bf16, Bf16, bf16, |x| Some(x), Some(u32::from(x.to_bits()));
    f32, F32, f32, |x| Some(x), Some(x.to_bits());
    usize, Usize, u32, |x| u32::try_from(x).ok(), u32::try_from(x).ok();
    isize, Isize, i32, |x| i32::try_from(x).ok(), i32::try_from(x).ok().map(i32::cast_unsigned);
}

macro_rules! elements {
    ($($ty:ty, |$bytes:ident| $read:expr;)*) => {$(
        impl Element for $ty {
            fn from_bytes($bytes: &[u8]) -> Option<Self> {
                $read
            }

            fn to_bytes(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(bytemuck::bytes_of(self));
            }

            fn bytes_of(elements: &[Self]) -> Cow<'_, [u8]> {
                Cow::Borrowed(bytemuck::cast_slice(elements))
            }
        }

        #[diagnostic::do_not_recommend]
        impl InMemory for $ty {
            type This = Self;
            const SPELLING: Spelling = <Self as Scalar>::SCALAR.spelling();
        }
    )*};
}

elements! {
    bool, |bytes| match bytes {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    };
    i8, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    i16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    i32, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u8, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u32, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    i64, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    u64, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    f16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    bf16, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
    f32, |bytes| Some(Self::from_le_bytes(bytes.try_into().ok()?));
}
