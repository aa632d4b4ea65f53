//! Disassembly: standard mnemonics, the usual aliases, ABI register names.

use super::{
    Format, Inst, Opcode, RegFile, Rounding, csr, float_register_name, integer_register_name, x,
};
use std::fmt;

/// An instruction shown with absolute branch and jump targets; see [`Inst::at`].
#[derive(Clone, Copy, Debug)]
pub struct DisplayAt {
    inst: Inst,
    pc: u32,
}

impl Inst {
    /// Shows the instruction as it stands at `pc`: targets are addresses rather than offsets.
    #[must_use]
    pub const fn at(self, pc: u32) -> DisplayAt {
        DisplayAt { inst: self, pc }
    }

    /// The assembler's name of register `number` in the operand's file.
    fn register(file: Option<RegFile>, number: u8) -> &'static str {
        match file {
            Some(RegFile::Float) => float_register_name(number),
            _ => integer_register_name(number),
        }
    }

    fn write_alias(
        &self,
        target: &dyn fmt::Display,
        out: &mut fmt::Formatter<'_>,
    ) -> Option<fmt::Result> {
        let (rd, rs1, rs2) = (
            integer_register_name(self.rd),
            integer_register_name(self.rs1),
            integer_register_name(self.rs2),
        );
        let (fd, fs1) = (float_register_name(self.rd), float_register_name(self.rs1));
        let zero = x::ZERO;
        let same = self.rs1 == self.rs2;
        Some(match self.opcode {
            Opcode::Addi if *self == Inst::nop() => write!(out, "nop"),
            Opcode::Addi if self.rs1 == zero => write!(out, "li {rd}, {}", self.imm),
            Opcode::Addi if self.imm == 0 => write!(out, "mv {rd}, {rs1}"),
            Opcode::Xori if self.imm == -1 => write!(out, "not {rd}, {rs1}"),
            Opcode::Sltiu if self.imm == 1 => write!(out, "seqz {rd}, {rs1}"),
            Opcode::Sub if self.rs1 == zero => write!(out, "neg {rd}, {rs2}"),
            Opcode::Sltu if self.rs1 == zero => write!(out, "snez {rd}, {rs2}"),
            Opcode::Beq if self.rs2 == zero => write!(out, "beqz {rs1}, {target}"),
            Opcode::Bne if self.rs2 == zero => write!(out, "bnez {rs1}, {target}"),
            Opcode::Blt if self.rs2 == zero => write!(out, "bltz {rs1}, {target}"),
            Opcode::Bge if self.rs2 == zero => write!(out, "bgez {rs1}, {target}"),
            Opcode::Jal if self.rd == zero => write!(out, "j {target}"),
            Opcode::Jalr if *self == Inst::ret() => write!(out, "ret"),
            Opcode::Csrrs if self.rs1 == zero => write!(out, "csrr {rd}, {}", CsrName(self.csr())),
            Opcode::Csrrw if self.rd == zero => write!(out, "csrw {}, {rs1}", CsrName(self.csr())),
            Opcode::Fsgnj if same => write!(out, "fmv.s {fd}, {fs1}"),
            Opcode::Fsgnjn if same => write!(out, "fneg.s {fd}, {fs1}"),
            Opcode::Fsgnjx if same => write!(out, "fabs.s {fd}, {fs1}"),
            _ => return None,
        })
    }

    fn write(&self, target: &dyn fmt::Display, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(result) = self.write_alias(target, out) {
            return result;
        }
        let info = self.opcode.info();
        let name = info.mnemonic;
        let rd = Inst::register(info.rd, self.rd);
        let [rs1, rs2, rs3] = [(0, self.rs1), (1, self.rs2), (2, self.rs3)]
            .map(|(n, number)| Inst::register(info.rs[n], number));
        let imm = self.imm;
        let rm = match self.rm {
            Rounding::Rne => ", rne",
            Rounding::Rtz => ", rtz",
            Rounding::Rdn => ", rdn",
            Rounding::Rup => ", rup",
            Rounding::Rmm => ", rmm",
            Rounding::Dyn => "",
        };
        let order = match (self.aq, self.rl) {
            (false, false) => "",
            (true, false) => ".aq",
            (false, true) => ".rl",
            (true, true) => ".aqrl",
        };
        match info.format {
            Format::R => write!(out, "{name} {rd}, {rs1}, {rs2}"),
            Format::R1 => write!(out, "{name} {rd}, {rs1}"),
            Format::RFp => write!(out, "{name} {rd}, {rs1}, {rs2}{rm}"),
            Format::R1Fp => write!(out, "{name} {rd}, {rs1}{rm}"),
            Format::R4 => write!(out, "{name} {rd}, {rs1}, {rs2}, {rs3}{rm}"),
            Format::I | Format::Shift => write!(out, "{name} {rd}, {rs1}, {imm}"),
            Format::Load | Format::Jalr => write!(out, "{name} {rd}, {imm}({rs1})"),
            Format::S => write!(out, "{name} {rs2}, {imm}({rs1})"),
            Format::B => write!(out, "{name} {rs1}, {rs2}, {target}"),
            Format::U => write!(out, "{name} {rd}, {:#x}", imm as u32 >> 12),
            Format::J => write!(out, "{name} {rd}, {target}"),
            Format::Csr => write!(out, "{name} {rd}, {}, {rs1}", CsrName(self.csr())),
            Format::CsrImm => write!(out, "{name} {rd}, {}, {}", CsrName(self.csr()), self.rs1),
            Format::Amo => write!(out, "{name}{order} {rd}, {rs2}, ({rs1})"),
            Format::Lr => write!(out, "{name}{order} {rd}, ({rs1})"),
            Format::Fence | Format::System => write!(out, "{name}"),
            Format::Rs1 => write!(out, "{name} {rs1}"),
            Format::Rs1Rs2 => write!(out, "{name} {rs1}, {rs2}"),
            Format::Split => write!(
                out,
                "{name}{} {rd}, {rs1}",
                if self.rs2 == 0 { "" } else { ".n" }
            ),
            Format::Pred => write!(
                out,
                "{name}{} {rs1}, {rs2}",
                if self.rd == 0 { "" } else { ".n" }
            ),
            Format::Gather => write!(out, "{name} {rd}, {rs1}, {rs2}, {rs3}, {imm}"),
        }
    }
}

struct CsrName(u16);

impl fmt::Display for CsrName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match csr::name(self.0) {
            Some(name) => out.write_str(name),
            None => write!(out, "{:#05x}", self.0),
        }
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&format_args!("{:+}", self.imm), out)
    }
}

impl fmt::Display for DisplayAt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inst.write(
            &format_args!("{:#x}", self.pc.wrapping_add_signed(self.inst.imm)),
            out,
        )
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.info().mnemonic)
    }
}
