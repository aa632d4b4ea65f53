//! The instructions of the device: RV32IMAF, Zicsr, Zicond, Vortex SIMT, votes and shuffles, and what Vortex 3 adds.
//!
//! Everything here is generated from, or reads, one table (`table.rs`): the [`Opcode`] enum, [`Inst::decode`] and
//! [`Inst::encode`], the disassembly, and the facts in [`Info`] that the narrowing step, the image verifier and the
//! embedded device use. To add an instruction, add a row; every `match` on [`Opcode`] must then handle it.
//!
//! ```
//! use vortex_isa::{Inst, Opcode, x};
//!
//! let add = Inst::r(Opcode::Add, x::A0, x::A1, x::A2);
//! assert_eq!(add.encode(), 0x00c5_8533);
//! assert_eq!(Inst::decode(0x00c5_8533), Some(add));
//! assert_eq!(add.to_string(), "add a0, a1, a2");
//! ```
//!
//! Decoding is strict: a word decodes only if encoding the result gives the same word again.

mod build;
pub mod csr;
mod display;
mod encode;
mod generation;
mod reg;
mod table;
#[cfg(test)]
mod tests;

pub use display::DisplayAt;
pub use generation::Generation;
pub use reg::{f, float_register_name, integer_register_name, x};

use table::for_each_instruction;

/// What a 12-bit signed immediate can be: that of sums and comparisons, and the displacement of loads and stores
/// (RISC-V manual, "Integer Register-Immediate Instructions" and "Load and Store Instructions").
pub const IMMEDIATES: std::ops::Range<i32> = -2048..2048;

/// Which fields an instruction word has. Bits outside of them are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// rd, rs1, rs2: the manual's R-type.
    R,
    /// rd, rs1; the field of rs2 is fixed.
    R1,
    /// rd, rs1, rs2, rounding mode.
    RFp,
    /// rd, rs1, rounding mode.
    R1Fp,
    /// rd, rs1, rs2, rs3, rounding mode.
    R4,
    /// rd, rs1, 12-bit signed immediate ([`IMMEDIATES`]): I-type.
    I,
    /// rd, 12-bit signed offset to rs1, in bytes.
    Load,
    /// As [`Format::Load`], for `jalr`.
    Jalr,
    /// rd, rs1, 5-bit amount.
    Shift,
    /// rs2, 12-bit signed offset to rs1, in bytes.
    S,
    /// rs1, rs2, 13-bit signed even offset to pc, in bytes.
    B,
    /// rd, 20-bit immediate in the upper bits.
    U,
    /// rd, 21-bit signed even offset to pc, in bytes.
    J,
    /// rd, rs1, CSR number.
    Csr,
    /// rd, 5-bit unsigned immediate (in `rs1`), CSR number.
    CsrImm,
    /// rd, rs1, rs2, acquire, release.
    Amo,
    /// rd, rs1, acquire, release.
    Lr,
    /// 12 bits of ordering; rd and rs1 are reserved and ignored.
    Fence,
    /// No fields: all bits are fixed.
    System,
    /// rs1; the fields of rd and rs2 are 0.
    Rs1,
    /// rs1, rs2; the field of rd is 0.
    Rs1Rs2,
    /// rd, rs1; `rs2` is 1 to negate, otherwise 0.
    Split,
    /// rs1, rs2; `rd` is 1 to negate, otherwise 0.
    Pred,
    /// rd, rs1, rs2, rs3, a 2-bit number (in `imm`).
    Gather,
}

/// A register file: 32 registers of 32 bits in each lane of each warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegFile {
    /// x0 to x31; x0 is zero, whatever is written to it.
    Integer,
    /// f0 to f31.
    Float,
}

/// What an instruction keeps busy, and for how long: the classes that timing goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Integer operations without multiplication and division: one step.
    Alu,
    /// Conditional branches.
    Branch,
    /// `jal`, `jalr`.
    Jump,
    /// Integer multiplication.
    Mul,
    /// Integer division and remainder.
    Div,
    /// Float compare, classify, move, sign injection, min, max.
    FpMisc,
    /// Float add, subtract, multiply.
    FpAdd,
    /// Fused multiply-add.
    FpFma,
    /// Float division.
    FpDiv,
    /// Square root.
    FpSqrt,
    /// Conversion between float and integer.
    FpConvert,
    /// Loads of both register files.
    Load,
    /// Loads of several parts of a word.
    LoadPacked,
    /// Stores of both register files.
    Store,
    /// Atomic memory operations.
    Atomic,
    /// `fence`.
    Fence,
    /// CSR accesses.
    Csr,
    /// Thread masks, starts of warps, and barriers.
    Simt,
    /// Votes and shuffles.
    Vote,
    /// `ecall`, `ebreak`, `mret`.
    System,
}

/// The part of the instruction set an instruction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// RV32I.
    I,
    /// Multiplication and division.
    M,
    /// Atomics.
    A,
    /// Single-precision floats.
    F,
    /// Control and status registers.
    Zicsr,
    /// Conditional zeroing.
    Zicond,
    /// Vortex: masks, warps, barriers.
    Simt,
    /// Vortex: votes and shuffles.
    WarpOps,
    /// Vortex 3: what it adds to masks, warps, barriers and loads.
    V3,
}

/// The bit of a barrier's number that makes it one of all cores, on Vortex 3 of those of a cluster.
pub const GLOBAL_BARRIER: u32 = 1 << 31;

/// Vortex 3: what the number of a slot's second barrier has besides that of the slot, which is its first: the slot is
/// in bits 0 to 7, and which of its barriers it is from bit 8 on (`bar_decode_id` of `sim/simx/types.h`).
pub const SECOND_BARRIER: u32 = 1 << 8;

/// A rounding mode, as in an instruction's `rm` field: the RISC-V manual, "Floating-Point Control and Status Register"
/// of chapter F.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Rne = 0,
    /// Towards zero.
    Rtz = 1,
    /// Down, towards minus infinity.
    Rdn = 2,
    /// Up, towards plus infinity.
    Rup = 3,
    /// To nearest, ties away from zero.
    Rmm = 4,
    /// As the `frm` CSR says.
    Dyn = 7,
}

impl Rounding {
    /// The mode with this encoding, 0 to 7; 5 and 6 are reserved.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Rounding> {
        match bits {
            0 => Some(Rounding::Rne),
            1 => Some(Rounding::Rtz),
            2 => Some(Rounding::Rdn),
            3 => Some(Rounding::Rup),
            4 => Some(Rounding::Rmm),
            7 => Some(Rounding::Dyn),
            _ => None,
        }
    }
}

/// A row of the table: what is known about an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The assembler's name.
    pub mnemonic: &'static str,
    /// Which fields there are.
    pub format: Format,
    /// The fixed bits' values: a word is this opcode if its bits in [`Format::mask`] are these.
    pub bits: u32,
    /// The register file that the result goes to, if there is one.
    pub rd: Option<RegFile>,
    /// The register files that rs1, rs2 and rs3 are read from, if they are operands.
    pub rs: [Option<RegFile>; 3],
    /// What timing goes by.
    pub class: Class,
    /// Which extension it comes with.
    pub extension: Extension,
}

macro_rules! register_file {
    (X) => {
        Some(RegFile::Integer)
    };
    (F) => {
        Some(RegFile::Float)
    };
    (_) => {
        None
    };
}

macro_rules! define_opcodes {
    ($(
        $(#[$doc:meta])*
        $name:ident $mnemonic:literal $format:ident $bits:literal [$rd:tt $rs1:tt $rs2:tt $rs3:tt]
        $class:ident $extension:ident;
    )*) => {
        /// An instruction without its operands.
        ///
        /// What those of RV32I, M, A, F, Zicsr and Zicond do in detail is in the RISC-V manual, in the chapters of
        /// volume I that are called so, and `mret` in the chapter on the machine level of volume II. Vortex's own are
        /// in its `VX_decode.sv`, `VX_wctl_unit.sv` and `VX_alu_int.sv`. Registers have 32 bits in each lane.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $($(#[$doc])* $name,)*
        }

        impl Opcode {
            /// All opcodes, in the order of the table.
            pub const ALL: &[Opcode] = &[$(Opcode::$name),*];
        }

        const INFO: [Info; Opcode::ALL.len()] = [$(Info {
            mnemonic: $mnemonic,
            format: Format::$format,
            bits: $bits,
            rd: register_file!($rd),
            rs: [register_file!($rs1), register_file!($rs2), register_file!($rs3)],
            class: Class::$class,
            extension: Extension::$extension,
        }),*];
    };
}
for_each_instruction!(define_opcodes);

impl Opcode {
    /// The opcode's row of the table.
    #[must_use]
    pub const fn info(self) -> &'static Info {
        const TABLE: &[Info; Opcode::ALL.len()] = &INFO;
        &TABLE[self as usize]
    }
}

/// A decoded instruction. Fields that the format lacks are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// The instruction.
    pub opcode: Opcode,
    /// Destination register; of `pred`, the negation flag.
    pub rd: u8,
    /// First source register; of `csrr?i`, the immediate.
    pub rs1: u8,
    /// Second source register; of `split`, the negation flag.
    pub rs2: u8,
    /// Third source register. Registers are numbers from 0 to 31.
    pub rs3: u8,
    /// Rounding mode, where there is one.
    pub rm: Rounding,
    /// Acquire bit of atomics.
    pub aq: bool,
    /// Release bit of atomics.
    pub rl: bool,
    /// Immediate, sign-extended; offset in bytes; shift amount; CSR number. Of U-format the whole 32-bit value.
    pub imm: i32,
}

impl Inst {
    /// The CSR number of a CSR instruction, 12 bits. Of others, the low bits of their immediate.
    #[must_use]
    pub const fn csr(&self) -> u16 {
        (self.imm & 0xfff) as u16
    }

    /// The register written, if any; `x0` counts as none.
    #[must_use]
    pub const fn destination(&self) -> Option<(RegFile, u8)> {
        match self.opcode.info().rd {
            Some(RegFile::Integer) if self.rd == 0 => None,
            Some(file) => Some((file, self.rd)),
            None => None,
        }
    }

    /// The registers read, in the order rs1, rs2, rs3.
    pub fn sources(&self) -> impl Iterator<Item = (RegFile, u8)> + use<> {
        let [a, b, c] = self.opcode.info().rs;
        let (rs1, rs2, rs3) = (self.rs1, self.rs2, self.rs3);
        [
            a.map(|file| (file, rs1)),
            b.map(|file| (file, rs2)),
            c.map(|file| (file, rs3)),
        ]
        .into_iter()
        .flatten()
    }

    /// Whether it reads the stack pointer, `sp`.
    #[must_use]
    pub fn uses_stack(&self) -> bool {
        self.sources()
            .any(|source| source == (RegFile::Integer, x::SP))
    }
}
