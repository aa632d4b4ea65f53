//! The kind of an argument, and how a kernel uses it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::space::Space;

/// Category of an argument.
///
/// Kernels of this version take scalars, pointers, slices, structs, also by reference, images, and the sizes of local
/// memory; tools may meet the others in the metadata of other compilers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgKind {
    /// A number or `bool`, by value.
    Scalar,
    /// A raw pointer: a device address.
    Pointer,
    /// A slice: a device address and a length.
    Slice,
    /// A struct, an enum or an array, by value.
    Struct,
    /// A struct, passed by the address of a copy of it.
    ByRef,
    /// An image with its sampler.
    Image,
    /// A tensor: a device address, a length and extents.
    Tensor,
    /// A sampler by itself.
    Sampler,
    /// The size of a piece of local memory.
    LocalSize,
    /// A pipe of OpenCL's.
    Pipe,
    /// Bytes that only the kernel understands.
    Opaque,
    /// What the metadata does not say.
    Unknown,
}

impl ArgKind {
    /// All categories.
    pub const ALL: [Self; 12] = [
        Self::Scalar,
        Self::Pointer,
        Self::Slice,
        Self::Struct,
        Self::ByRef,
        Self::Image,
        Self::Tensor,
        Self::Sampler,
        Self::LocalSize,
        Self::Pipe,
        Self::Opaque,
        Self::Unknown,
    ];

    /// As all views spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Pointer => "pointer",
            Self::Slice => "slice",
            Self::Struct => "struct",
            Self::ByRef => "by_ref",
            Self::Image => "image",
            Self::Tensor => "tensor",
            Self::Sampler => "sampler",
            Self::LocalSize => "local_size",
            Self::Pipe => "pipe",
            Self::Opaque => "opaque",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the argument begins with a device address.
    #[must_use]
    pub const fn is_pointer(self) -> bool {
        matches!(
            self,
            Self::Pointer | Self::Slice | Self::ByRef | Self::Tensor
        )
    }

    /// Where what it refers to lies; scalars are private.
    #[must_use]
    pub const fn space(self) -> Space {
        match self {
            Self::Pointer | Self::Slice | Self::Image | Self::Tensor | Self::Pipe => Space::Global,
            Self::ByRef | Self::Sampler => Space::Constant,
            Self::LocalSize => Space::Local,
            Self::Scalar | Self::Struct | Self::Opaque => Space::Private,
            Self::Unknown => Space::Unknown,
        }
    }
}

impl fmt::Display for ArgKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a kernel may do with what an argument refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It refers to nothing.
    None,
    /// It may read it, and not write.
    ReadOnly,
    /// It may write it, and not read.
    WriteOnly,
    /// It may read and write it.
    ReadWrite,
}

impl Access {
    /// All accesses.
    pub const ALL: [Self; 4] = [Self::None, Self::ReadOnly, Self::WriteOnly, Self::ReadWrite];

    /// As all views spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReadOnly => "read_only",
            Self::WriteOnly => "write_only",
            Self::ReadWrite => "read_write",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// C's qualifiers of what an argument refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Qualifiers {
    /// Not written through this argument.
    #[serde(rename = "const")]
    pub is_const: bool,
    /// Not accessed through another argument that is written through.
    #[serde(rename = "restrict")]
    pub is_restrict: bool,
    /// Read and written exactly as often as the source says.
    #[serde(rename = "volatile")]
    pub is_volatile: bool,
}

impl fmt::Display for Qualifiers {
    /// The qualifiers that apply, separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.is_const, "const"),
            (self.is_restrict, "restrict"),
            (self.is_volatile, "volatile"),
        ];
        let words: Vec<_> = all
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, word)| *word)
            .collect();
        f.write_str(&words.join(" "))
    }
}
