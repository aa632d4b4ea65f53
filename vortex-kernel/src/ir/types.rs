//! Types of values, and their words.

/// A type of an IR value. All but `I64` and `U64` live in one 32-bit device word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A truth value, 0 or 1.
    Bool,
    /// A signed 8-bit integer.
    I8,
    /// A signed 16-bit integer.
    I16,
    /// A signed 32-bit integer.
    I32,
    /// An unsigned 8-bit integer.
    U8,
    /// An unsigned 16-bit integer.
    U16,
    /// An unsigned 32-bit integer; Rust's `usize` on the device too.
    U32,
    /// A signed 64-bit integer; gone after `opt::legalize_i64`.
    I64,
    /// An unsigned 64-bit integer; gone after `opt::legalize_i64`.
    U64,
    /// An IEEE 754 binary16 number: its bits, to be moved and cast; gone after `opt::legalize_f16`.
    F16,
    /// The upper half of a binary32 number: its bits, to be moved and cast; gone after `opt::legalize_f16`.
    BF16,
    /// An IEEE 754 binary32 number.
    F32,
    /// An address in a memory space.
    Ptr(Space),
}

/// Memory spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Memory of one work item.
    Private,
    /// Memory every work item of every launch can reach.
    Global,
    /// Memory that is read-only during a launch; the launch block lives here.
    Constant,
    /// Memory of one work group.
    Local,
}

impl Type {
    /// Size in memory, in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::U32 | Self::F32 | Self::Ptr(_) => 4,
            Self::I64 | Self::U64 => 8,
        }
    }

    /// Width of the integer types in bits; 1 for `bool`, that of the word for the rest.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            _ => self.bytes() * 8,
        }
    }

    /// Whether this is one of the integer types (`bool` and pointers are not).
    #[must_use]
    pub const fn is_int(self) -> bool {
        self.is_signed() || matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// Whether this is a 16-bit float.
    #[must_use]
    pub const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::BF16)
    }

    /// Whether values need two words.
    #[must_use]
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::I64 | Self::U64)
    }

    /// Alignment in memory, in bytes; for values of several words, that of a word.
    #[must_use]
    pub const fn align(self) -> u32 {
        if self.is_wide() { 4 } else { self.bytes() }
    }

    /// Whether this is a signed integer type.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
}

/// A constant, by the word that holds it (of 64-bit types: by both). Its type is the type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Const(pub u64);

impl From<u32> for Const {
    fn from(word: u32) -> Self {
        Self(word.into())
    }
}
