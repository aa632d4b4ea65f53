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
