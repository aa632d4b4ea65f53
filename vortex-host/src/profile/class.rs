//! Kinds of instructions, as far as profiles distinguish them.

use serde::{Deserialize, Serialize};
use vortex_kernel::isa::{Class, Inst, Opcode};

/// What kind of instruction it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InstructionClass {
    /// Integer arithmetic, votes and shuffles.
    Integer,
    /// Integer multiplication.
    Multiply,
    /// Integer division.
    Divide,
    /// Float addition, multiplication, and both at once.
    Float,
    /// Float division and square root.
    FloatDivide,
    /// Float comparison, conversion and moves.
    FloatOther,
    /// Loads from any memory.
    Load,
    /// Stores to any memory.
    Store,
    /// Atomic operations.
    Atomic,
    /// Conditional branches, jumps and calls.
    Branch,
    /// Changes of the active lanes.
    Mask,
    /// Barriers of groups.
    Barrier,
    /// Fences, which empty the data cache.
    Fence,
    /// CSRs, and what starts warps.
    System,
}

impl InstructionClass {
    /// All of them, in the order of the variants.
    pub const ALL: [Self; 14] = [
        Self::Integer,
        Self::Multiply,
        Self::Divide,
        Self::Float,
        Self::FloatDivide,
        Self::FloatOther,
        Self::Load,
        Self::Store,
        Self::Atomic,
        Self::Branch,
        Self::Mask,
        Self::Barrier,
        Self::Fence,
        Self::System,
    ];

    /// Its name in a few words, as pages show it: `float divide, sqrt`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Multiply => "integer multiply",
            Self::Divide => "integer divide",
            Self::Float => "float add, multiply",
            Self::FloatDivide => "float divide, sqrt",
            Self::FloatOther => "float other",
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
            Self::Branch => "branch",
            Self::Mask => "lane mask",
            Self::Barrier => "barrier",
            Self::Fence => "fence",
            Self::System => "CSR, start",
        }
    }

    pub(crate) fn of(inst: &Inst) -> Self {
        match inst.opcode.info().class {
            Class::Alu | Class::Vote => Self::Integer,
            Class::Mul => Self::Multiply,
            Class::Div => Self::Divide,
            Class::FpAdd | Class::FpFma => Self::Float,
            Class::FpDiv | Class::FpSqrt => Self::FloatDivide,
            Class::FpMisc | Class::FpConvert => Self::FloatOther,
            Class::Load | Class::LoadPacked => Self::Load,
            Class::Store => Self::Store,
            Class::Atomic => Self::Atomic,
            Class::Fence => Self::Fence,
            Class::Branch | Class::Jump => Self::Branch,
            Class::Csr | Class::System => Self::System,
            Class::Simt => match inst.opcode {
                Opcode::Bar | Opcode::BarArrive | Opcode::BarWait => Self::Barrier,
                Opcode::Wspawn | Opcode::Wsync => Self::System,
                _ => Self::Mask,
            },
        }
    }
}

/// Float operations of a lane, a fused multiplication and addition counted as two.
pub(crate) fn float_operations(inst: &Inst) -> u64 {
    match inst.opcode.info().class {
        Class::FpAdd | Class::FpDiv | Class::FpSqrt => 1,
        Class::FpFma => 2,
        _ => 0,
    }
}

/// Bytes that a lane of an access moves, at most.
pub(crate) fn bytes_accessed(inst: &Inst) -> u64 {
    match inst.opcode {
        Opcode::Lb | Opcode::Lbu | Opcode::Sb => 1,
        Opcode::Lh | Opcode::Lhu | Opcode::Sh => 2,
        _ => 4,
    }
}
