//! Which scalar types there are, and how they are spelled.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::group::Field;
use crate::ir;

/// A scalar type of the kernel language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalarType {
    /// `bool`: one byte, 0 or 1.
    Bool,
    /// `i8`, in one byte. All are little-endian on the device.
    I8,
    /// `i16`, in two bytes.
    I16,
    /// `i32`, in a word of four bytes.
    I32,
    /// `u8`, in one byte.
    U8,
    /// `u16`, in two bytes.
    U16,
    /// `u32`, in a word.
    U32,
    /// `i64`: two words.
    I64,
    /// `u64`: two words.
    U64,
    /// `half::f16`: IEEE 754's binary16, in two bytes.
    F16,
    /// `half::bf16`: the upper half of an `f32`, in two bytes.
    Bf16,
    /// `f32`: IEEE 754's binary32, in a word.
    F32,
    /// `usize`: 32 bits on the device.
    Usize,
    /// `isize`: 32 bits on the device.
    Isize,
}

impl ScalarType {
    /// What it is, for debuggers.
    #[must_use]
    pub fn shape(self) -> ir::Shape {
        use ir::ScalarShape as Kind;
        ir::Shape::Scalar {
            name: self.name(),
            kind: match self {
                Self::Bool => Kind::Bool,
                Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Isize => Kind::Signed,
                Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::Usize => Kind::Unsigned,
                Self::F16 | Self::F32 => Kind::Float,
                Self::Bf16 => Kind::Brain,
            },
            size: self.ir().bytes(),
        }
    }
}

/// The spellings of one scalar type in a kernel's signature.
macro_rules! spellings {
    ($($variant:ident $name:literal,)*) => {
        impl ScalarType {
            /// All scalar types.
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
