//! Constructors, one per shape of operands: enough of an assembler for tests and for a few hand-written words.

use super::{Inst, Opcode, Rounding, csr, x};

impl Inst {
    /// An instruction with all fields zero, and to nearest as its rounding mode.
    #[must_use]
    pub const fn of(opcode: Opcode) -> Inst {
        Inst {
            opcode,
            rd: 0,
            rs1: 0,
            rs2: 0,
            rs3: 0,
            rm: Rounding::Rne,
            aq: false,
            rl: false,
            imm: 0,
        }
    }

    /// `op rd, rs1, rs2`. Float arithmetic gets the dynamic rounding mode, see [`Inst::rounded`].
    #[must_use]
    pub const fn r(opcode: Opcode, rd: u8, rs1: u8, rs2: u8) -> Inst {
        Inst {
            rd,
            rs1,
            rs2,
            rm: default_rounding(opcode),
            ..Inst::of(opcode)
        }
    }

    /// `op rd, rs1`: votes, and float operations of one operand, which get the dynamic rounding mode.
    #[must_use]
    pub const fn r1(opcode: Opcode, rd: u8, rs1: u8) -> Inst {
        Inst::r(opcode, rd, rs1, 0)
    }

    /// `op rd, rs1, rs2, rs3`: fused multiplications and additions.
    #[must_use]
    pub const fn r4(opcode: Opcode, rd: u8, rs1: u8, rs2: u8, rs3: u8) -> Inst {
        Inst {
            rs3,
            ..Inst::r(opcode, rd, rs1, rs2)
        }
    }

    /// `op rd, rs1, imm`: immediates, shifts, loads and `jalr`.
    #[must_use]
    pub const fn i(opcode: Opcode, rd: u8, rs1: u8, imm: i32) -> Inst {
        Inst {
            rd,
            rs1,
            imm,
            ..Inst::of(opcode)
        }
    }

    /// `op rs2, offset(rs1)`: stores.
    #[must_use]
    pub const fn s(opcode: Opcode, rs2: u8, rs1: u8, offset: i32) -> Inst {
        Inst {
            rs1,
            rs2,
            imm: offset,
            ..Inst::of(opcode)
        }
    }

    /// `op rs1, rs2, offset`: branches; the offset is to the instruction's own address, in bytes.
    #[must_use]
    pub const fn b(opcode: Opcode, rs1: u8, rs2: u8, offset: i32) -> Inst {
        Inst {
            rs1,
            rs2,
            imm: offset,
            ..Inst::of(opcode)
        }
    }

    /// `lui` and `auipc`; `value` is the whole 32-bit number, its low 12 bits zero.
    #[must_use]
    pub const fn u(opcode: Opcode, rd: u8, value: i32) -> Inst {
        Inst {
            rd,
            imm: value,
            ..Inst::of(opcode)
        }
    }

    /// `jal rd, offset`; the offset is to the instruction's own address, in bytes.
    #[must_use]
    pub const fn jal(rd: u8, offset: i32) -> Inst {
        Inst {
            rd,
            imm: offset,
            ..Inst::of(Opcode::Jal)
        }
    }

    /// `op rd, csr, rs1`; for the immediate forms `rs1` is the immediate.
    #[must_use]
    pub const fn csr_op(opcode: Opcode, rd: u8, csr: u16, rs1: u8) -> Inst {
        Inst {
            rd,
            rs1,
            imm: csr as i32,
            ..Inst::of(opcode)
        }
    }

    /// `csrr rd, csr`, which is `csrrs rd, csr, zero`.
    #[must_use]
    pub const fn csrr(rd: u8, csr: u16) -> Inst {
        Inst::csr_op(Opcode::Csrrs, rd, csr, 0)
    }

    /// `op rs1, rs2`: `wspawn`, `bar`, `pred`, and `tmc` and `join` with rs2 = 0.
    #[must_use]
    pub const fn simt(opcode: Opcode, rs1: u8, rs2: u8) -> Inst {
        Inst {
            rs1,
            rs2,
            ..Inst::of(opcode)
        }
    }

    /// The same with another rounding mode.
    #[must_use]
    pub const fn rounded(self, rm: Rounding) -> Inst {
        Inst { rm, ..self }
    }

    /// `mv rd, rs1`, which is `addi rd, rs1, 0`.
    #[must_use]
    pub const fn mv(rd: u8, rs1: u8) -> Inst {
        Inst::i(Opcode::Addi, rd, rs1, 0)
    }

    /// `nop`, which is `addi zero, zero, 0`.
    #[must_use]
    pub const fn nop() -> Inst {
        Inst::mv(x::ZERO, x::ZERO)
    }

    /// `ret`, which is `jalr zero, 0(ra)`.
    #[must_use]
    pub const fn ret() -> Inst {
        Inst::i(Opcode::Jalr, x::ZERO, x::RA, 0)
    }

    /// The one or two instructions that put a constant into a register.
    pub fn li(rd: u8, value: i32) -> impl Iterator<Item = Inst> {
        let low = (value << 20) >> 20;
        let high = value.wrapping_sub(low);
        let lui = (high != 0).then(|| Inst::u(Opcode::Lui, rd, high));
        let from = if high == 0 { x::ZERO } else { rd };
        let addi = (low != 0 || high == 0).then(|| Inst::i(Opcode::Addi, rd, from, low));
        lui.into_iter().chain(addi)
    }

    /// Whether this reads a CSR and writes none.
    #[must_use]
    pub const fn is_csr_read(&self) -> bool {
        matches!(
            self.opcode,
            Opcode::Csrrs | Opcode::Csrrc | Opcode::Csrrsi | Opcode::Csrrci
        ) && self.rs1 == 0
    }

    /// `csrr rd, active_threads`: the mask to hand to `pred`.
    #[must_use]
    pub const fn read_mask(rd: u8) -> Inst {
        Inst::csrr(rd, csr::ACTIVE_THREADS)
    }
}

/// Assemblers mean the dynamic mode when none is given, except where the result is exact.
const fn default_rounding(opcode: Opcode) -> Rounding {
    use super::Format;
    match opcode.info().format {
        Format::RFp | Format::R1Fp | Format::R4 => Rounding::Dyn,
        _ => Rounding::Rne,
    }
}
