//! Integer instructions with edge values, against arithmetic on wider integers.

use crate::harness::{Asm, Numbers, lanes, run};
use vortex_isa::{Inst, Opcode, x};

const EDGES: &[u32] = &[
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7ff,
    0x800,
    0xffff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x5555_5555,
];

fn signed(value: u32) -> i128 {
    i128::from(value as i32)
}

/// What the manual says, in integers that do not overflow.
fn expected(opcode: Opcode, a: u32, b: u32) -> u32 {
    let (sa, sb, ua, ub) = (signed(a), signed(b), i128::from(a), i128::from(b));
    let shift = b % 32;
    let value: i128 = match opcode {
        Opcode::Add | Opcode::Addi => sa + sb,
        Opcode::Sub => sa - sb,
        Opcode::Sll | Opcode::Slli => ua << shift,
        Opcode::Srl | Opcode::Srli => ua >> shift,
        Opcode::Sra | Opcode::Srai => sa >> shift,
        Opcode::Slt | Opcode::Slti => (sa < sb).into(),
        Opcode::Sltu | Opcode::Sltiu => (ua < ub).into(),
        Opcode::Xor | Opcode::Xori => ua ^ ub,
        Opcode::Or | Opcode::Ori => ua | ub,
        Opcode::And | Opcode::Andi => ua & ub,
        Opcode::Mul => sa * sb,
        Opcode::Mulh => (sa * sb) >> 32,
        Opcode::Mulhsu => (sa * ub) >> 32,
        Opcode::Mulhu => (ua * ub) >> 32,
        Opcode::Div => {
            if b == 0 {
                -1
            } else {
                sa / sb
            }
        }
        Opcode::Divu => {
            if b == 0 {
                -1
            } else {
                ua / ub
            }
        }
        Opcode::Rem => {
            if b == 0 {
                sa
            } else {
                sa % sb
            }
        }
        Opcode::Remu => {
            if b == 0 {
                ua
            } else {
                ua % ub
            }
        }
        Opcode::CzeroEqz => {
            if b == 0 {
                0
            } else {
                ua
            }
        }
        Opcode::CzeroNez => {
            if b == 0 {
                ua
            } else {
                0
            }
        }
        _ => unreachable!(),
    };
    value as u32
}

fn pairs() -> Vec<(u32, u32)> {
    let mut numbers = Numbers(1);
    let edges = EDGES
        .iter()
        .flat_map(|&a| EDGES.iter().map(move |&b| (a, b)));
    let random = (0..112).map(|_| (numbers.next(), numbers.next()));
    edges.chain(random).collect()
}

/// Runs `body` on pairs of words, lane by lane, as many rounds as it takes. It finds its operands in a2 and a3 and
/// leaves its result in a4. With fewer lanes active than there are, the others' buffers must stay as they were.
fn over_pairs(threads: u32, body: Inst, pairs: &[(u32, u32)]) -> Vec<u32> {
    let rounds = pairs.len() as u32 / threads;
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .li(x::S2, rounds)
        .li(x::S3, threads * 4);
    // Operands, operands, results: three arrays.
    let array = pairs.len() as u32 * 4;
    program
        .li(x::T1, array)
        .r(Opcode::Add, x::A5, x::A1, x::T1)
        .r(Opcode::Add, x::A6, x::A5, x::T1);
    program
        .label("round")
        .i(Opcode::Lw, x::A2, x::A1, 0)
        .i(Opcode::Lw, x::A3, x::A5, 0);
    program.emit(body).store(Opcode::Sw, x::A4, x::A6, 0);
    for pointer in [x::A1, x::A5, x::A6] {
        program.r(Opcode::Add, pointer, pointer, x::S3);
    }
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "round")
        .end();
    let mut buffer: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
    buffer.extend(pairs.iter().map(|pair| pair.1));
    buffer.extend(pairs.iter().map(|_| 0xdead_beef));
    run(lanes(threads), &program, &buffer)[2 * pairs.len()..].to_vec()
}

#[test]
pub(crate) fn register_operations() {
    use Opcode::*;
    let pairs = pairs();
    for opcode in [
        Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And, Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem,
        Remu, CzeroEqz, CzeroNez,
    ] {
        for threads in [1, 4, 32] {
            let results = over_pairs(threads, Inst::r(opcode, x::A4, x::A2, x::A3), &pairs);
            for (&(a, b), result) in pairs.iter().zip(results) {
                assert_eq!(
                    result,
                    expected(opcode, a, b),
                    "{opcode} {a:#x}, {b:#x} with {threads} lanes"
                );
            }
        }
    }
}

#[test]
fn results_may_replace_operands() {
    let pairs = pairs();
    let both = over_pairs(32, Inst::r(Opcode::Sub, x::A4, x::A2, x::A2), &pairs);
    assert!(both.iter().all(|&result| result == 0));
    // rd = rs1 would be a2, which is not stored: subtract in place, then move, by way of the store of a4 = a4 - a2
    // twice over.
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .i(Opcode::Lw, x::A4, x::A1, 0);
    program
        .r(Opcode::Add, x::A4, x::A4, x::A4)
        .r(Opcode::Sub, x::A4, x::S4, x::A4)
        .store(Opcode::Sw, x::A4, x::A1, 0)
        .end();
    let result = run(lanes(32), &program, &(0..32).collect::<Vec<_>>());
    assert_eq!(
        result,
        (0..32u32)
            .map(|n| n.wrapping_sub(2 * n))
            .collect::<Vec<_>>()
    );
}

#[test]
pub(crate) fn immediate_operations() {
    use Opcode::*;
    let pairs = pairs();
    for opcode in [Addi, Slti, Sltiu, Xori, Ori, Andi] {
        for imm in [0, 1, -1, 5, 2047, -2048, 0x555] {
            let results = over_pairs(32, Inst::i(opcode, x::A4, x::A2, imm), &pairs);
            for (&(a, _), result) in pairs.iter().zip(results) {
                assert_eq!(
                    result,
                    expected(opcode, a, imm as u32),
                    "{opcode} {a:#x}, {imm}"
                );
            }
        }
    }
    for opcode in [Slli, Srli, Srai] {
        for amount in [0, 1, 7, 31] {
            let results = over_pairs(8, Inst::i(opcode, x::A4, x::A2, amount), &pairs);
            for (&(a, _), result) in pairs.iter().zip(results) {
                assert_eq!(
                    result,
                    expected(opcode, a, amount as u32),
                    "{opcode} {a:#x}, {amount}"
                );
            }
        }
    }
}

#[test]
fn only_active_lanes_are_written() {
    let mask = 0x5a5a_0ff1u32;
    let mut program = Asm::new();
    program.all_lanes().lane_address().li(x::A2, 7).li(x::A4, 1);
    program.li(x::T0, mask).simt(Opcode::Tmc, x::T0, 0);
    // Every kind of pass: one operand, two, none, a load, a CSR.
    program
        .i(Opcode::Addi, x::A2, x::A2, 1)
        .r(Opcode::Add, x::A2, x::A2, x::A2)
        .emit(Inst::u(Opcode::Lui, x::A3, 0x1000));
    program
        .r(Opcode::Add, x::A2, x::A2, x::A3)
        .i(Opcode::Lw, x::A4, x::A1, 0);
    program.li(x::T0, u32::MAX).simt(Opcode::Tmc, x::T0, 0);
    program
        .r(Opcode::Add, x::A2, x::A2, x::A4)
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .end();
    let result = run(lanes(32), &program, &[100; 32]);
    for (lane, value) in result.into_iter().enumerate() {
        // Inactive lanes: li leaves 7 and 1. Their t0 is not the mask, but the last active lane's is what counts.
        let expected = if mask >> lane & 1 != 0 {
            16 + 0x1000 + 100
        } else {
            7 + 1
        };
        assert_eq!(value, expected, "lane {lane}");
    }
}

#[test]
pub(crate) fn upper_immediates() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .emit(Inst::u(Opcode::Lui, x::A1, i32::MIN))
        .store(Opcode::Sw, x::A1, x::A0, 0);
    program
        .label("here")
        .emit(Inst::u(Opcode::Auipc, x::A1, 0x1000))
        .store(Opcode::Sw, x::A1, x::A0, 4)
        .end();
    let result = run(lanes(32), &program, &[0; 2]);
    assert_eq!(result, [0x8000_0000, program.address("here") + 0x1000]);
}

#[test]
pub(crate) fn jumps_link_and_clear_bit_0() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .la(x::A2, "target")
        .i(Opcode::Addi, x::A2, x::A2, 1);
    // The target is read before the link is written.
    program
        .label("call")
        .emit(Inst::i(Opcode::Jalr, x::A2, x::A2, 0))
        .end();
    program
        .label("target")
        .store(Opcode::Sw, x::A2, x::A0, 0)
        .emit(Inst::jal(x::A3, 8))
        .end()
        .store(Opcode::Sw, x::A3, x::A0, 4);
    program
        .jump("end")
        .store(Opcode::Sw, x::ZERO, x::A0, 0)
        .label("end")
        .end();
    let result = run(lanes(4), &program, &[0; 2]);
    assert_eq!(
        result,
        [program.address("call") + 4, program.address("target") + 8]
    );
}

#[test]
pub(crate) fn branches() {
    use Opcode::*;
    type Condition = fn(u32, u32) -> bool;
    let conditions: [(Opcode, Condition); 6] = [
        (Beq, |a, b| a == b),
        (Bne, |a, b| a != b),
        (Blt, |a, b| (a as i32) < b as i32),
        (Bge, |a, b| a as i32 >= b as i32),
        (Bltu, |a, b| a < b),
        (Bgeu, |a, b| a >= b),
    ];
    for (opcode, condition) in conditions {
        for threads in [1, 5] {
            for &a in EDGES {
                let mut program = Asm::new();
                program.all_lanes().li(x::A2, a);
                for (n, &b) in EDGES.iter().enumerate() {
                    const LABELS: [&str; 20] = [
                        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13",
                        "14", "15", "16", "17", "18", "19",
                    ];
                    program
                        .li(x::A3, b)
                        .li(x::A4, 1)
                        .branch(opcode, x::A2, x::A3, LABELS[n])
                        .li(x::A4, 0);
                    program
                        .label(LABELS[n])
                        .store(Sw, x::A4, x::A0, 4 * n as i32);
                }
                program.end();
                let result = run(lanes(threads), &program, &[9; EDGES.len()]);
                for (&b, taken) in EDGES.iter().zip(result) {
                    assert_eq!(taken, u32::from(condition(a, b)), "{opcode} {a:#x}, {b:#x}");
                }
            }
        }
    }
}

#[test]
fn x0_stays_zero() {
    let mut program = Asm::new();
    program.all_lanes().lane_address();
    program
        .li(x::A2, 5)
        .r(Opcode::Add, x::ZERO, x::A2, x::A2)
        .i(Opcode::Lw, x::ZERO, x::A1, 0);
    program
        .emit(Inst::u(Opcode::Lui, x::ZERO, 0x7000))
        .csrr(x::ZERO, vortex_isa::csr::MHARTID);
    program.store(Opcode::Sw, x::ZERO, x::A1, 0).end();
    assert_eq!(run(lanes(32), &program, &[77; 32]), vec![0; 32]);
}
