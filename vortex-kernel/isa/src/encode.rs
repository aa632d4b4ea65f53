//! Words to instructions and back.

use super::{Format, Inst, Opcode, Rounding};

const OPCODE: u32 = 0x0000_007f;
const RD: u32 = 0x0000_0f80;
const FUNCT3: u32 = 0x0000_7000;
const RS2: u32 = 0x01f0_0000;
const FUNCT7: u32 = 0xfe00_0000;
const FUNCT5: u32 = 0xf800_0000;
const FUNCT2: u32 = 0x0600_0000;

impl Format {
    /// The bits of a word that are fixed in this format, as a mask.
    #[must_use]
    pub const fn mask(self) -> u32 {
        match self {
            Format::R | Format::Shift => FUNCT7 | FUNCT3 | OPCODE,
            Format::R1 => FUNCT7 | RS2 | FUNCT3 | OPCODE,
            Format::RFp => FUNCT7 | OPCODE,
            Format::R1Fp => FUNCT7 | RS2 | OPCODE,
            Format::R4 => FUNCT2 | OPCODE,
            Format::I
            | Format::Load
            | Format::Jalr
            | Format::S
            | Format::B
            | Format::Csr
            | Format::CsrImm
            | Format::Fence => FUNCT3 | OPCODE,
            Format::U | Format::J => OPCODE,
            Format::Amo => FUNCT5 | FUNCT3 | OPCODE,
            Format::Lr => FUNCT5 | RS2 | FUNCT3 | OPCODE,
            Format::System => u32::MAX,
            Format::Rs1 => FUNCT7 | RS2 | FUNCT3 | RD | OPCODE,
            Format::Rs1Rs2 => FUNCT7 | FUNCT3 | RD | OPCODE,
            // The lowest bit of the unused register field is the negation flag.
            Format::Split => FUNCT7 | (RS2 & !(1 << 20)) | FUNCT3 | OPCODE,
            Format::Pred => FUNCT7 | FUNCT3 | (RD & !(1 << 7)) | OPCODE,
            Format::Gather => FUNCT3 | OPCODE,
        }
    }
}

/// Rows by the five significant bits of the major opcode, so that decoding looks at a handful of rows.
/// `ORDER[START[n]..START[n + 1]]` are the rows of major opcode n.
const ROWS: usize = Opcode::ALL.len();
static INDEX: ([u8; 33], [Opcode; ROWS]) = {
    let mut start = [0; 33];
    let mut order = [Opcode::Lui; ROWS];
    let mut filled = 0;
    let mut major = 0;
    while major < 32 {
        start[major] = filled as u8;
        let mut row = 0;
        while row < ROWS {
            let opcode = Opcode::ALL[row];
            if (opcode.info().bits >> 2) as usize & 31 == major {
                order[filled] = opcode;
                filled += 1;
            }
            row += 1;
        }
        major += 1;
    }
    start[32] = filled as u8;
    (start, order)
};

/// The signed value of the `bits` low bits of `value`.
const fn sign_extend(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

const fn imm_i(word: u32) -> i32 {
    word as i32 >> 20
}

const fn imm_s(word: u32) -> i32 {
    ((word & FUNCT7) as i32 >> 20) | (word >> 7 & 31) as i32
}

const fn imm_b(word: u32) -> i32 {
    let value =
        (word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1;
    sign_extend(value, 13)
}

const fn imm_j(word: u32) -> i32 {
    let value = (word >> 31) << 20
        | (word >> 12 & 255) << 12
        | (word >> 20 & 1) << 11
        | (word >> 21 & 1023) << 1;
    sign_extend(value, 21)
}

impl Inst {
    /// The instruction of a word, if it is one of the table's. Compressed instructions, of 16 bits, are not.
    #[must_use]
    pub fn decode(word: u32) -> Option<Inst> {
        if word & 3 != 3 {
            return None;
        }
        let major = (word >> 2) as usize & 31;
        let rows = &INDEX.1[INDEX.0[major] as usize..INDEX.0[major + 1] as usize];
        let opcode = *rows.iter().find(|row| {
            let info = row.info();
            word & info.format.mask() == info.bits
        })?;

        let (rd, rs1, rs2) = (
            (word >> 7 & 31) as u8,
            (word >> 15 & 31) as u8,
            (word >> 20 & 31) as u8,
        );
        let plain = Inst::of(opcode);
        let rounding = || Rounding::from_bits(word >> 12 & 7);
        let (aq, rl) = (word >> 26 & 1 != 0, word >> 25 & 1 != 0);
        Some(match opcode.info().format {
            Format::R => Inst {
                rd,
                rs1,
                rs2,
                ..plain
            },
            Format::R1 => Inst { rd, rs1, ..plain },
            Format::RFp => Inst {
                rd,
                rs1,
                rs2,
                rm: rounding()?,
                ..plain
            },
            Format::R1Fp => Inst {
                rd,
                rs1,
                rm: rounding()?,
                ..plain
            },
            Format::R4 => Inst {
                rd,
                rs1,
                rs2,
                rs3: (word >> 27) as u8,
                rm: rounding()?,
                ..plain
            },
            Format::I | Format::Load | Format::Jalr => Inst {
                rd,
                rs1,
                imm: imm_i(word),
                ..plain
            },
            Format::Shift => Inst {
                rd,
                rs1,
                imm: i32::from(rs2),
                ..plain
            },
            Format::S => Inst {
                rs1,
                rs2,
                imm: imm_s(word),
                ..plain
            },
            Format::B => Inst {
                rs1,
                rs2,
                imm: imm_b(word),
                ..plain
            },
            Format::U => Inst {
                rd,
                imm: (word & !0xfff) as i32,
                ..plain
            },
            Format::J => Inst {
                rd,
                imm: imm_j(word),
                ..plain
            },
            Format::Csr | Format::CsrImm | Format::Fence => Inst {
                rd,
                rs1,
                imm: (word >> 20) as i32,
                ..plain
            },
            Format::Amo => Inst {
                rd,
                rs1,
                rs2,
                aq,
                rl,
                ..plain
            },
            Format::Lr => Inst {
                rd,
                rs1,
                aq,
                rl,
                ..plain
            },
            Format::System => plain,
            Format::Rs1 => Inst { rs1, ..plain },
            Format::Rs1Rs2 => Inst { rs1, rs2, ..plain },
            Format::Split => Inst {
                rd,
                rs1,
                rs2: rs2 & 1,
                ..plain
            },
            Format::Pred => Inst {
                rd: rd & 1,
                rs1,
                rs2,
                ..plain
            },
            Format::Gather => Inst {
                rd,
                rs1,
                rs2,
                rs3: (word >> 27) as u8,
                imm: (word >> 25 & 3) as i32,
                ..plain
            },
        })
    }

    /// The instruction's word. Of fields that are not in range, the bits that do not fit are lost: see
    /// [`Inst::is_encodable`].
    #[must_use]
    pub const fn encode(&self) -> u32 {
        let info = self.opcode.info();
        let (rd, rs1, rs2) = (
            (self.rd as u32 & 31) << 7,
            (self.rs1 as u32 & 31) << 15,
            (self.rs2 as u32 & 31) << 20,
        );
        let imm = self.imm as u32;
        let rm = (self.rm as u32) << 12;
        let order = (self.aq as u32) << 26 | (self.rl as u32) << 25;
        let fields = match info.format {
            Format::R => rd | rs1 | rs2,
            Format::R1 => rd | rs1,
            Format::RFp => rd | rs1 | rs2 | rm,
            Format::R1Fp => rd | rs1 | rm,
            Format::R4 => rd | rs1 | rs2 | rm | (self.rs3 as u32 & 31) << 27,
            Format::I
            | Format::Load
            | Format::Jalr
            | Format::Csr
            | Format::CsrImm
            | Format::Fence => rd | rs1 | imm << 20,
            Format::Shift => rd | rs1 | (imm & 31) << 20,
            Format::S => rs1 | rs2 | (imm >> 5 & 127) << 25 | (imm & 31) << 7,
            Format::B => {
                rs1 | rs2
                    | (imm >> 12 & 1) << 31
                    | (imm >> 5 & 63) << 25
                    | (imm >> 1 & 15) << 8
                    | (imm >> 11 & 1) << 7
            }
            Format::U => rd | imm & !0xfff,
            Format::J => {
                rd | (imm >> 20 & 1) << 31
                    | (imm >> 1 & 1023) << 21
                    | (imm >> 11 & 1) << 20
                    | (imm >> 12 & 255) << 12
            }
            Format::Amo => rd | rs1 | rs2 | order,
            Format::Lr => rd | rs1 | order,
            Format::System => 0,
            Format::Rs1 => rs1,
            Format::Rs1Rs2 => rs1 | rs2,
            Format::Split => rd | rs1 | rs2 & (1 << 20),
            Format::Pred => rd & (1 << 7) | rs1 | rs2,
            Format::Gather => rd | rs1 | rs2 | (self.rs3 as u32 & 31) << 27 | (imm & 3) << 25,
        };
        info.bits | fields
    }

    /// Whether every field is in range, so that [`Inst::encode`] loses nothing.
    #[must_use]
    pub fn is_encodable(&self) -> bool {
        Inst::decode(self.encode()) == Some(*self)
    }
}
