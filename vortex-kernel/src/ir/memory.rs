//! What memory operations state besides the address: their alias, their order; and the objects that a kernel declares.

use serde::{Deserialize, Serialize};

use super::{DataId, Loc, LocalId, PrivateId, SourceLoc, Type, Value};

/// What a memory access goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alias {
    /// Anything that a raw pointer can reach: may only overlap with arguments.
    Any,
    /// The launch block: never written during a launch.
    Launch,
    /// A `&[T]` argument, by parameter number: never written during a launch.
    Shared(u32),
    /// A `&mut [T]` argument, by parameter number: accessed through no other argument.
    Exclusive(u32),
    /// An object in local memory, by number: accessed through nothing else.
    Local(LocalId),
    /// An object in private memory, by number: accessed through nothing else.
    Private(PrivateId),
    /// Constant data, by number: never written.
    Data(DataId),
    /// Any of these objects, constant data, or what an argument refers to: a slice whose origin is not known.
    Unknown,
    /// The words through which lanes of a warp read each other's values where there are no shuffles, one for each hart.
    /// Accesses are convergent: a load sees what the lanes that reach it together have just stored.
    Exchange,
}

/// What an atomic operation does to the word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Reads the word, which is the result. All others except [`AtomicOp::Store`] do so, too, before they write.
    Load,
    /// Writes the operand. No result.
    Store,
    /// Adds the operand, wrapping.
    Add,
    /// Subtracts the operand, wrapping.
    Sub,
    /// Bitwise and with the operand.
    And,
    /// Bitwise or with the operand.
    Or,
    /// Bitwise exclusive or with the operand.
    Xor,
    /// The smaller of word and operand, signed or unsigned by type.
    Min,
    /// The larger of word and operand, signed or unsigned by type.
    Max,
    /// Writes the operand.
    Exchange,
    /// Writes the second operand if the word equals the first.
    CompareExchange,
    /// Adds the operand as `f32`.
    FloatAdd,
}

impl AtomicOp {
    /// How many operands there are besides the address.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Self::Load => 0,
            Self::CompareExchange => 2,
            _ => 1,
        }
    }

    /// Whether it exists for words of type `ty`.
    #[must_use]
    pub const fn takes(self, ty: Type) -> bool {
        match self {
            Self::FloatAdd => matches!(ty, Type::F32),
            Self::Load | Self::Store | Self::Exchange => {
                matches!(ty, Type::I32 | Type::U32 | Type::F32)
            }
            _ => matches!(ty, Type::I32 | Type::U32),
        }
    }
}

/// What an atomic operation orders; the words mean what they mean in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Nothing but itself.
    Relaxed,
    /// What follows comes after it.
    Acquire,
    /// What precedes comes before it.
    Release,
    /// Both: what precedes comes before it, and what follows after it.
    AcqRel,
    /// Both, and one order of all such operations.
    SeqCst,
}

impl Order {
    /// Whether what follows comes after the operation.
    #[must_use]
    pub const fn acquires(self) -> bool {
        !matches!(self, Self::Relaxed | Self::Release)
    }

    /// The order that covers both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        let acquires = self.acquires() || other.acquires();
        let releases = self.releases() || other.releases();
        match (self, other, acquires, releases) {
            (Self::SeqCst, ..) | (_, Self::SeqCst, ..) => Self::SeqCst,
            (.., true, true) => Self::AcqRel,
            (.., true, false) => Self::Acquire,
            (.., false, true) => Self::Release,
            (.., false, false) => Self::Relaxed,
        }
    }

    /// Whether what precedes comes before the operation.
    #[must_use]
    pub const fn releases(self) -> bool {
        !matches!(self, Self::Relaxed | Self::Acquire)
    }
}

/// The scope in which memory is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The work items of a group.
    Group,
    /// All work items of the launch.
    Device,
}

/// An object in memory that a kernel declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryObject {
    /// Bytes, or those of one element; at least 1.
    pub size: u32,
    /// How many elements the launch gives it, a `u32` parameter; only in local memory, and gone after `codegen::entry`.
    pub count: Option<Value>,
    /// Alignment in bytes; a power of two up to [`MAX_ALIGN`].
    pub align: u32,
    /// Whether all items of a group read the same from the same place: it is written between barriers that it is not
    /// read between. Only in local memory.
    pub agreed: bool,
    /// Its type, for people.
    pub name: String,
    /// Where it is declared.
    pub loc: Loc,
}

/// Constant data of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataObject {
    /// The bytes; at least one.
    pub bytes: Vec<u8>,
    /// Alignment in bytes; a power of two up to [`MAX_ALIGN`].
    pub align: u32,
}

/// A variable or a constant of the program in device memory, one on each device. A kernel that uses it has its address
/// as a parameter after the launch header, and reaches it through [`Alias::Exclusive`] or, if it is a constant,
/// [`Alias::Shared`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalVariable {
    /// Its name in the source, without its path.
    pub name: String,
    /// Path of the Rust module it is declared in.
    pub module: String,
    /// Where it is declared.
    pub loc: SourceLoc,
    /// Its type as Rust spells it.
    pub ty: String,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Kernels do not write it.
    pub is_const: bool,
    /// The bytes that it holds at first, `size` of them; empty for zeros.
    pub first: Vec<u8>,
}

impl GlobalVariable {
    /// Its name with the modules it is in: `my_crate::filters::COUNT`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    /// Whether both are one variable: two of a name can be declared in one module, each in a function of its own.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        let key = |variable: &Self| (variable.size, variable.is_const);
        key(self) == key(other)
            && self.name == other.name
            && self.module == other.module
            && self.loc == other.loc
            && self.ty == other.ty
    }
}

/// The strictest alignment an object can have.
pub const MAX_ALIGN: u32 = 16;
