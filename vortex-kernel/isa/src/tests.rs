#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use proptest::prelude::*;

/// Words as GNU and LLVM assemblers give them.
const KNOWN: &[(u32, &str)] = &[
    (0x1234_5537, "lui a0, 0x12345"),
    (0x0000_0297, "auipc t0, 0x0"),
    (0x0080_00ef, "jal ra, +8"),
    (0xffdf_f06f, "j -4"),
    (0x0000_8067, "ret"),
    (0x0005_00e7, "jalr ra, 0(a0)"),
    (0x00b5_0463, "beq a0, a1, +8"),
    (0xfe05_1ee3, "bnez a0, -4"),
    (0x00b5_4863, "blt a0, a1, +16"),
    (0x0005_5463, "bgez a0, +8"),
    (0xfeb5_6ce3, "bltu a0, a1, -8"),
    (0x00b5_7463, "bgeu a0, a1, +8"),
    (0xfff5_0503, "lb a0, -1(a0)"),
    (0x0041_2503, "lw a0, 4(sp)"),
    (0x0025_5583, "lhu a1, 2(a0)"),
    (0xfea1_2e23, "sw a0, -4(sp)"),
    (0x0000_0013, "nop"),
    (0xfff0_0513, "li a0, -1"),
    (0x0005_0593, "mv a1, a0"),
    (0xfff5_4513, "not a0, a0"),
    (0x0015_3513, "seqz a0, a0"),
    (0x00a0_3533, "snez a0, a0"),
    (0x40a0_0533, "neg a0, a0"),
    (0x01f5_1513, "slli a0, a0, 31"),
    (0x4045_5513, "srai a0, a0, 4"),
    (0x00c5_8533, "add a0, a1, a2"),
    (0x40c5_8533, "sub a0, a1, a2"),
    (0x02c5_8533, "mul a0, a1, a2"),
    (0x02c5_d533, "divu a0, a1, a2"),
    (0x0ff0_000f, "fence"),
    (0x0000_0073, "ecall"),
    (0x0010_0073, "ebreak"),
    (0x1005_a52f, "lr.w a0, (a1)"),
    (0x18c5_a52f, "sc.w a0, a2, (a1)"),
    (0x0ec5_a52f, "amoswap.w.aqrl a0, a2, (a1)"),
    (0x00c5_a52f, "amoadd.w a0, a2, (a1)"),
    (0x0005_2507, "flw fa0, 0(a0)"),
    (0x00a5_2227, "fsw fa0, 4(a0)"),
    (0x68c5_f543, "fmadd.s fa0, fa1, fa2, fa3"),
    (0x00c5_f553, "fadd.s fa0, fa1, fa2"),
    (0x18c5_9553, "fdiv.s fa0, fa1, fa2, rtz"),
    (0x5805_f553, "fsqrt.s fa0, fa1"),
    (0x20b5_8553, "fmv.s fa0, fa1"),
    (0x20b5_9553, "fneg.s fa0, fa1"),
    (0x20b5_a553, "fabs.s fa0, fa1"),
    (0x28c5_8553, "fmin.s fa0, fa1, fa2"),
    (0xc005_9553, "fcvt.w.s a0, fa1, rtz"),
    (0xd015_f553, "fcvt.s.wu fa0, a1"),
    (0xe005_8553, "fmv.x.w a0, fa1"),
    (0xf005_8553, "fmv.w.x fa0, a1"),
    (0xe005_9553, "fclass.s a0, fa1"),
    (0xa0c5_a553, "feq.s a0, fa1, fa2"),
    (0x3400_2573, "csrr a0, mscratch"),
    (0xcc40_2573, "csrr a0, active_threads"),
    (0x0015_1073, "csrw fflags, a0"),
    (0x0022_d573, "csrrwi a0, frm, 5"),
    (0xb030_2573, "csrr a0, 0xb03"),
    (0x0ec5_d533, "czero.eqz a0, a1, a2"),
    (0x0ec5_f533, "czero.nez a0, a1, a2"),
    (0x0002_800b, "tmc t0"),
    (0x0062_900b, "wspawn t0, t1"),
    (0x0005_a60b, "split a2, a1"),
    (0x0015_a60b, "split.n a2, a1"),
    (0x0006_300b, "join a2"),
    (0x0172_c00b, "bar t0, s7"),
    (0x00b6_d00b, "pred a3, a1"),
    (0x00b6_d08b, "pred.n a3, a1"),
    (0x0205_b50b, "vote.ballot a0, a1"),
    (0x02c5_f50b, "shfl.idx a0, a1, a2"),
    (0x00c5_e50b, "bar.arrive a0, a1, a2"),
    (0x00c5_e00b, "bar.wait a1, a2"),
    (0x0000_700b, "wsync"),
    (0x08c5_950b, "packlb.f fa0, a1, a2"),
    (0x08c5_a50b, "packlh.f fa0, a1, a2"),
    (0x6cc5_852b, "wgather a0, a1, a2, a3, 2"),
    (0xcd10_2573, "csrr a0, cta_rank"),
    (0x0025_9503, "lh a0, 2(a1)"),
    (0x0035_c503, "lbu a0, 3(a1)"),
    (0xfea5_8fa3, "sb a0, -1(a1)"),
    (0x00a5_9323, "sh a0, 6(a1)"),
    (0xffb5_a513, "slti a0, a1, -5"),
    (0xff75_b513, "sltiu a0, a1, -9"),
    (0xfeb5_c513, "xori a0, a1, -21"),
    (0xfea5_e513, "ori a0, a1, -22"),
    (0xfe95_f513, "andi a0, a1, -23"),
    (0x0185_8513, "addi a0, a1, 24"),
    (0x0075_d513, "srli a0, a1, 7"),
    (0x00c5_9533, "sll a0, a1, a2"),
    (0x00c5_a533, "slt a0, a1, a2"),
    (0x00c5_b533, "sltu a0, a1, a2"),
    (0x00c5_c533, "xor a0, a1, a2"),
    (0x00c5_d533, "srl a0, a1, a2"),
    (0x40c5_d533, "sra a0, a1, a2"),
    (0x00c5_e533, "or a0, a1, a2"),
    (0x00c5_f533, "and a0, a1, a2"),
    (0x02c5_9533, "mulh a0, a1, a2"),
    (0x02c5_a533, "mulhsu a0, a1, a2"),
    (0x02c5_b533, "mulhu a0, a1, a2"),
    (0x02c5_c533, "div a0, a1, a2"),
    (0x02c5_e533, "rem a0, a1, a2"),
    (0x02c5_f533, "remu a0, a1, a2"),
    (0x20c5_a52f, "amoxor.w a0, a2, (a1)"),
    (0x60c5_a52f, "amoand.w a0, a2, (a1)"),
    (0x40c5_a52f, "amoor.w a0, a2, (a1)"),
    (0x80c5_a52f, "amomin.w a0, a2, (a1)"),
    (0xa0c5_a52f, "amomax.w a0, a2, (a1)"),
    (0xc0c5_a52f, "amominu.w a0, a2, (a1)"),
    (0xe0c5_a52f, "amomaxu.w a0, a2, (a1)"),
    (0x68c5_f547, "fmsub.s fa0, fa1, fa2, fa3"),
    (0x68c5_f54b, "fnmsub.s fa0, fa1, fa2, fa3"),
    (0x68c5_f54f, "fnmadd.s fa0, fa1, fa2, fa3"),
    (0x08c5_f553, "fsub.s fa0, fa1, fa2"),
    (0x10c5_f553, "fmul.s fa0, fa1, fa2"),
    (0x20c5_8553, "fsgnj.s fa0, fa1, fa2"),
    (0x20c5_9553, "fsgnjn.s fa0, fa1, fa2"),
    (0x20c5_a553, "fsgnjx.s fa0, fa1, fa2"),
    (0x28c5_9553, "fmax.s fa0, fa1, fa2"),
    (0xc015_9553, "fcvt.wu.s a0, fa1, rtz"),
    (0xd005_f553, "fcvt.s.w fa0, a1"),
    (0xa0c5_9553, "flt.s a0, fa1, fa2"),
    (0xa0c5_8553, "fle.s a0, fa1, fa2"),
    (0x3405_a573, "csrrs a0, mscratch, a1"),
    (0x3405_b573, "csrrc a0, mscratch, a1"),
    (0x3401_e573, "csrrsi a0, mscratch, 3"),
    (0x3401_f573, "csrrci a0, mscratch, 3"),
    (0x3020_0073, "mret"),
    (0x00b5_1463, "bne a0, a1, +8"),
    (0x00b5_5463, "bge a0, a1, +8"),
    (0x3405_9573, "csrrw a0, mscratch, a1"),
    (0x0205_850b, "vote.all a0, a1"),
    (0x0205_950b, "vote.any a0, a1"),
    (0x0205_a50b, "vote.uni a0, a1"),
    (0x02c5_c50b, "shfl.up a0, a1, a2"),
    (0x02c5_d50b, "shfl.down a0, a1, a2"),
    (0x02c5_e50b, "shfl.bfly a0, a1, a2"),
];

#[test]
fn known_words() {
    for &(word, text) in KNOWN {
        let inst =
            Inst::decode(word).unwrap_or_else(|| panic!("{word:#010x} ({text}) does not decode"));
        assert_eq!(inst.to_string(), text, "{word:#010x}");
        assert_eq!(inst.encode(), word, "{text}");
    }
}

/// The registers that a text names, as their files and numbers.
fn registers_in(text: &str) -> Vec<(RegFile, u8)> {
    let words = text.split([' ', ',', '(', ')']);
    let found = words.filter_map(|word| {
        let numbered = |file, name: fn(u8) -> &'static str| {
            let number = (0..32).find(|&number| name(number) == word)?;
            Some((file, number))
        };
        numbered(RegFile::Integer, integer_register_name)
            .or_else(|| numbered(RegFile::Float, float_register_name))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(file, number)| (*file == RegFile::Float, *number));
    found
}

/// Each row stands in the list of known words with all of its operands, each of them another register.
#[test]
fn known_words_have_the_operands_of_their_row() {
    for &opcode in Opcode::ALL {
        let info = opcode.info();
        let is_whole = |text: &str| {
            let Some(rest) = text.strip_prefix(info.mnemonic) else {
                return false;
            };
            rest.is_empty() || rest.starts_with([' ', '.'])
        };
        let of_row = |(word, text): &&(u32, &str)| {
            is_whole(text) && Inst::decode(*word).is_some_and(|inst| inst.opcode == opcode)
        };
        let known = KNOWN.iter().find(of_row);
        let &(word, text) = known.unwrap_or_else(|| panic!("{opcode:?} has no known word"));
        let inst = Inst::decode(word).unwrap();
        let [rs1, rs2, rs3] = info.rs;
        let operands = [
            (info.rd, inst.rd),
            (rs1, inst.rs1),
            (rs2, inst.rs2),
            (rs3, inst.rs3),
        ];
        let operands = operands.iter().filter_map(|(file, n)| Some(((*file)?, *n)));
        let mut operands: Vec<_> = operands.collect();
        operands.sort_by_key(|(file, number)| (*file == RegFile::Float, *number));
        assert_eq!(operands, registers_in(text), "{text}");
    }
}

/// What the manuals of RISC-V and Vortex keep together has opcodes of its own.
fn class_and_extension(word: u32) -> (Class, Extension) {
    use Extension as E;
    let (funct3, funct7) = (word >> 12 & 7, word >> 25);
    match word & 0x7f {
        0x37 | 0x17 | 0x13 => (Class::Alu, E::I),
        0x6f | 0x67 => (Class::Jump, E::I),
        0x63 => (Class::Branch, E::I),
        0x03 => (Class::Load, E::I),
        0x23 => (Class::Store, E::I),
        0x0f => (Class::Fence, E::I),
        0x33 => match (funct7, funct3) {
            (0x01, 0..=3) => (Class::Mul, E::M),
            (0x01, _) => (Class::Div, E::M),
            (0x07, _) => (Class::Alu, E::Zicond),
            _ => (Class::Alu, E::I),
        },
        0x2f => (Class::Atomic, E::A),
        0x07 => (Class::Load, E::F),
        0x27 => (Class::Store, E::F),
        0x43 | 0x47 | 0x4b | 0x4f => (Class::FpFma, E::F),
        0x53 => match word >> 27 {
            0x00..=0x02 => (Class::FpAdd, E::F),
            0x03 => (Class::FpDiv, E::F),
            0x0b => (Class::FpSqrt, E::F),
            0x18 | 0x1a => (Class::FpConvert, E::F),
            _ => (Class::FpMisc, E::F),
        },
        // The trap handler that `mret` comes back from is Vortex 3's.
        0x73 if funct3 == 0 && funct7 == 0 => (Class::System, E::I),
        0x73 if funct3 == 0 => (Class::System, E::V3),
        0x73 => (Class::Csr, E::Zicsr),
        0x0b => match (funct7, funct3) {
            (0, 0..=5) => (Class::Simt, E::Simt),
            (0, _) => (Class::Simt, E::V3),
            (1, _) => (Class::Vote, E::WarpOps),
            _ => (Class::LoadPacked, E::V3),
        },
        _ => (Class::Vote, E::V3),
    }
}

#[test]
fn classes_and_extensions_follow_from_the_encoding() {
    for &(word, text) in KNOWN {
        let info = Inst::decode(word).unwrap().opcode.info();
        let expected = class_and_extension(word);
        assert_eq!((info.class, info.extension), expected, "{text}");
        // What looks like a load and is none has a format of its own, for whoever asks for accesses by it.
        let is_load = info.format == Format::Load;
        assert_eq!(is_load, info.class == Class::Load, "{text}");
        // Bits that others have fixed are flags in these two.
        let word = word & 0xfe00_707f;
        assert_eq!(info.format == Format::Split, word == 0x0000_200b, "{text}");
        assert_eq!(info.format == Format::Pred, word == 0x0000_500b, "{text}");
    }
}

#[test]
fn targets_are_addresses_where_the_pc_is_known() {
    let branch = Inst::b(Opcode::Bne, x::A0, x::ZERO, -8);
    assert_eq!(branch.at(0x8000_0010).to_string(), "bnez a0, 0x80000008");
}

#[test]
fn rows_are_distinct() {
    for (n, &a) in Opcode::ALL.iter().enumerate() {
        let (info, mask) = (a.info(), a.info().format.mask());
        assert_eq!(info.bits & !mask, 0, "{a}: bits outside of the fixed ones");
        assert_eq!(info.bits & 3, 3, "{a}: not a 32-bit instruction");
        for &b in &Opcode::ALL[n + 1..] {
            let both = mask & b.info().format.mask();
            // A special case of a later row is found first.
            let special = both == b.info().format.mask() && both != mask;
            assert!(
                info.bits & both != b.info().bits & both || special,
                "{a} and {b} overlap"
            );
            assert_ne!(info.mnemonic, b.info().mnemonic);
        }
    }
}

#[test]
fn words_that_are_no_instructions() {
    for word in [
        0,
        u32::MAX,
        0x0000_4501,                     // compressed
        0x0200_0013 | 5 << 12 | 1 << 26, // srli with a 6-bit amount
        0x0200_0013 | 1 << 12 | 1 << 26, // slli with a 6-bit amount
        0x0000_3003,                     // ld
        0x0000_0053 | 5 << 12,           // reserved rounding mode
        0x0000_708b,
        0x0200_0053, // fadd.d
        0x1020_0073, // sret
        0x0045_a60b, // split with a register in rs2
    ] {
        assert_eq!(Inst::decode(word), None, "{word:#010x}");
    }
}

#[test]
fn li_covers_all_shapes_of_constants() {
    for value in [
        0,
        1,
        -1,
        2047,
        2048,
        -2048,
        -2049,
        4096,
        0x7fff_ffff,
        i32::MIN,
        0x7fff_f800,
        0x1234_5678,
    ] {
        let mut register = 0i32;
        for inst in Inst::li(x::A0, value) {
            assert!(inst.is_encodable(), "{inst}");
            register = match (inst.opcode, inst.rs1) {
                (Opcode::Lui, _) => inst.imm,
                (_, x::ZERO) => inst.imm,
                _ => register.wrapping_add(inst.imm),
            };
        }
        assert_eq!(register, value);
    }
}

/// Every value of the fields that select an instruction, with operand fields from a few patterns.
#[test]
fn whatever_decodes_encodes_to_itself() {
    let mut decoded = 0;
    for low in 0..1u32 << 10 {
        let (major, funct3) = (low & 127, low >> 7);
        for high in 0..1u32 << 12 {
            for (rd, rs1) in [(0, 0), (1, 0), (0, 1), (10, 11), (31, 31)] {
                let word = high << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | major;
                if let Some(inst) = Inst::decode(word) {
                    decoded += 1;
                    assert_eq!(inst.encode(), word, "{inst}");
                }
            }
        }
    }
    assert!(decoded > 1_000_000, "only {decoded} of the words decode");
}

fn rounding() -> impl Strategy<Value = Rounding> {
    prop::sample::select(vec![
        Rounding::Rne,
        Rounding::Rtz,
        Rounding::Rdn,
        Rounding::Rup,
        Rounding::Rmm,
        Rounding::Dyn,
    ])
}

fn instruction() -> impl Strategy<Value = Inst> {
    let fields = (
        prop::sample::select(Opcode::ALL),
        [0u8..32, 0..32, 0..32, 0..32],
        rounding(),
        any::<(bool, bool, i32)>(),
    );
    fields.prop_map(|(opcode, [rd, rs1, rs2, rs3], rm, (aq, rl, imm))| {
        // Without a result it would be another one.
        let rd = match opcode {
            Opcode::BarArrive => rd.max(1),
            _ => rd,
        };
        let all = Inst {
            opcode,
            rd,
            rs1,
            rs2,
            rs3,
            rm,
            aq,
            rl,
            imm,
        };
        let none = Inst::of(opcode);
        match opcode.info().format {
            Format::R => Inst {
                rd,
                rs1,
                rs2,
                ..none
            },
            Format::R1 => Inst { rd, rs1, ..none },
            Format::RFp => Inst {
                rd,
                rs1,
                rs2,
                rm,
                ..none
            },
            Format::R1Fp => Inst {
                rd,
                rs1,
                rm,
                ..none
            },
            Format::R4 => Inst {
                aq: false,
                rl: false,
                imm: 0,
                ..all
            },
            Format::I | Format::Load | Format::Jalr => Inst {
                rd,
                rs1,
                imm: imm >> 20,
                ..none
            },
            Format::Shift => Inst {
                rd,
                rs1,
                imm: imm & 31,
                ..none
            },
            Format::S => Inst {
                rs1,
                rs2,
                imm: imm >> 20,
                ..none
            },
            Format::B => Inst {
                rs1,
                rs2,
                imm: imm >> 19 & !1,
                ..none
            },
            Format::U => Inst {
                rd,
                imm: imm & !0xfff,
                ..none
            },
            Format::J => Inst {
                rd,
                imm: imm >> 11 & !1,
                ..none
            },
            Format::Csr | Format::CsrImm | Format::Fence => Inst {
                rd,
                rs1,
                imm: imm & 0xfff,
                ..none
            },
            Format::Amo => Inst {
                rd,
                rs1,
                rs2,
                aq,
                rl,
                ..none
            },
            Format::Lr => Inst {
                rd,
                rs1,
                aq,
                rl,
                ..none
            },
            Format::System => none,
            Format::Rs1 => Inst { rs1, ..none },
            Format::Rs1Rs2 => Inst { rs1, rs2, ..none },
            Format::Split => Inst {
                rd,
                rs1,
                rs2: rs2 & 1,
                ..none
            },
            Format::Pred => Inst {
                rd: rd & 1,
                rs1,
                rs2,
                ..none
            },
            Format::Gather => Inst {
                rd,
                rs1,
                rs2,
                rs3,
                imm: imm & 3,
                ..none
            },
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn instructions_survive_encoding(inst in instruction()) {
        prop_assert_eq!(Inst::decode(inst.encode()), Some(inst));
        prop_assert!(inst.is_encodable());
        prop_assert!(inst.to_string().is_ascii());
    }

    #[test]
    fn random_words_that_decode_encode_to_themselves(word in any::<u32>()) {
        if let Some(inst) = Inst::decode(word | 3) {
            prop_assert_eq!(inst.encode(), word | 3);
        }
    }
}
