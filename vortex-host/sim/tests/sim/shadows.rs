//! Which bits of registers and of memory hold no value after an instruction whose operands lack some.

use crate::harness::{Asm, lanes, racing, try_run};
use crate::uninitialised::what;
use vortex_isa::{Inst, Opcode, RegFile, csr, x};
use vortex_sim::{Config, UninitialisedUse as Use, layout};

/// Memory of a program's own, which holds nothing at first.
const STACK: u32 = layout::STACK_TOP - 64;

/// One lane does what `body` says, `sp` being [`STACK`] and `a0` a buffer of the host's, into which it stores `t3` at
/// last. Answers which bits of what it stores there lack a value.
fn lacks(checks: &str, body: impl Fn(&mut Asm)) -> u32 {
    let mut program = Asm::new();
    program.csrr(x::A0, csr::MSCRATCH).li(x::SP, STACK);
    body(&mut program);
    program.store(Opcode::Sw, x::T3, x::A0, 0).end();
    let config = Config {
        checks: checks.parse().unwrap(),
        ..lanes(1)
    };
    match try_run(config, &program, &[0; 4]) {
        Ok(_) => 0,
        Err(trap) => {
            let (used, _, bits, _) = what(&trap);
            assert!(matches!(used, Use::Store { .. }), "{trap}");
            bits
        }
    }
}

/// A word of the stack of which so many bytes are written, the lowest first.
fn word(program: &mut Asm, offset: i32, written: u32) {
    for byte in 0..written as i32 {
        program.store(Opcode::Sb, x::ZERO, x::SP, offset + byte);
    }
}

/// The bits of such a word that lack a value.
fn unwritten(written: u32) -> u32 {
    u32::MAX.checked_shl(8 * written).unwrap_or(0)
}

#[test]
fn atomics_take_what_memory_and_operand_lack() {
    use Opcode::*;
    let opcodes = [
        LrW, ScW, AmoswapW, AmoaddW, AmoxorW, AmoandW, AmoorW, AmominW, AmomaxW, AmominuW, AmomaxuW,
    ];
    for opcode in opcodes {
        // A store that is conditional is made if a reservation is held.
        for (reserved, memory, operand) in [false, true]
            .into_iter()
            .flat_map(|reserved| {
                [0, 1, 4].map(|memory| [0, 1, 4].map(|operand| (reserved, memory, operand)))
            })
            .flatten()
        {
            let execute = |p: &mut Asm| {
                word(p, 0, memory);
                word(p, 4, operand);
                p.i(Lw, x::S1, x::SP, 4);
                if reserved {
                    p.r(LrW, x::T2, x::SP, x::ZERO);
                }
                let rs2 = if opcode == LrW { x::ZERO } else { x::S1 };
                p.r(opcode, x::T3, x::SP, rs2);
            };
            let (old, given) = (unwritten(memory), unwritten(operand));
            let result = if opcode == ScW { 0 } else { old };
            let left = match opcode {
                LrW => old,
                ScW if !reserved => old,
                ScW | AmoswapW => given,
                // Bit by bit, or the word as a whole.
                AmoxorW | AmoandW | AmoorW => old | given,
                _ if old | given == 0 => 0,
                _ => u32::MAX,
            };
            let case = format!("{opcode:?}, {memory} and {operand} bytes, reserved: {reserved}");
            assert_eq!(lacks("", execute), result, "the result of {case}");
            let load = |p: &mut Asm| {
                execute(p);
                p.i(Lw, x::T3, x::SP, 0);
            };
            assert_eq!(lacks("", load), left, "what {case} leaves");
        }
    }
}

#[test]
fn a_register_without_a_value_leaves_none_whichever_it_is() {
    // All but one have values; and where it is stored to, something was before.
    let registers = (1..32)
        .map(|n| (RegFile::Integer, n))
        .chain((0..32).map(|n| (RegFile::Float, n)));
    for (file, number) in registers {
        // Those that the program needs have values.
        if file == RegFile::Integer && [x::A0, x::SP, x::T3].contains(&number) {
            continue;
        }
        let bits = lacks("", |p| {
            for n in (1..32).filter(|&n| n != number || file != RegFile::Integer) {
                if ![x::A0, x::SP].contains(&n) {
                    p.li(n, 1);
                }
            }
            for n in (0..32).filter(|&n| n != number || file != RegFile::Float) {
                p.r1(Opcode::FmvWX, n, x::A0);
            }
            p.store(Opcode::Sw, x::A0, x::SP, 0)
                .store(Opcode::Sw, x::A0, x::SP, 0);
            match file {
                RegFile::Integer => p.store(Opcode::Sw, number, x::SP, 0),
                RegFile::Float => p.emit(Inst::s(Opcode::Fsw, number, x::SP, 0)),
            };
            p.i(Opcode::Lw, x::T3, x::SP, 0);
        });
        assert_eq!(bits, u32::MAX, "{file:?} {number}");
    }
}

#[test]
fn each_byte_of_a_store_that_is_not_aligned_is_its_registers() {
    // A register of which the lowest byte has a value, or the two lowest.
    for written in [1, 2] {
        let register = |p: &mut Asm| {
            word(p, 4, written);
            p.i(Opcode::Lw, x::S1, x::SP, 4);
        };
        for byte in 0..4 {
            let bits = lacks("-alignment", |p| {
                register(p);
                p.store(Opcode::Sw, x::S1, x::SP, 17)
                    .i(Opcode::Lbu, x::T3, x::SP, 17 + byte);
            });
            let expected = if byte < written as i32 { 0 } else { 0xff };
            assert_eq!(bits, expected, "byte {byte} of {written} that were written");
        }
        let host = lacks("-alignment", |p| {
            register(p);
            p.store(Opcode::Sw, x::S1, x::A0, 5);
        });
        assert_eq!(
            host,
            0xff << (8 * written),
            "the first byte that lacks a value"
        );
    }
}

#[test]
fn a_reservation_that_another_core_ended_stores_nothing() {
    // Core 0 reserves a word, core 1 writes there, and core 0 stores a register without a value if it can; on host
    // threads, too.
    let word = layout::STACK_TOP - 0x4000;
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::CORE_ID)
        .li(x::A2, word)
        .li(x::A3, 1)
        .li(x::A4, 2)
        .branch(Opcode::Bne, x::A1, x::ZERO, "other");
    let wait = |p: &mut Asm, label, number| {
        p.label(label)
            .i(Opcode::Lw, x::T1, x::A0, 0)
            .branch(Opcode::Bne, x::T1, number, label);
    };
    program
        .store(Opcode::Sw, x::ZERO, x::A2, 0)
        .r(Opcode::LrW, x::T2, x::A2, x::ZERO)
        .emit(Inst::of(Opcode::Fence))
        .store(Opcode::Sw, x::A3, x::A0, 0);
    wait(&mut program, "answer", x::A4);
    program
        .r(Opcode::ScW, x::T4, x::A2, x::S1)
        .i(Opcode::Lw, x::T3, x::A2, 0)
        .store(Opcode::Sw, x::T3, x::A0, 4)
        .store(Opcode::Sw, x::T4, x::A0, 8)
        .end();
    program.label("other");
    wait(&mut program, "question", x::A3);
    program
        .store(Opcode::Sw, x::A4, x::A2, 0)
        .emit(Inst::of(Opcode::Fence))
        .store(Opcode::Sw, x::A4, x::A0, 0)
        .end();
    for deterministic in [true, false] {
        let config = racing(Config {
            deterministic,
            ..Config::with_shape(2, 1, 1)
        });
        let left = try_run(config, &program, &[0; 3]).map(|(left, _)| left);
        assert_eq!(left.map_err(|trap| trap.to_string()), Ok(vec![2, 2, 1]));
    }
}

/// `register` = a value, without one in the bits of the mask.
fn partly(program: &mut Asm, register: u8, value: u32, unknown: u32) {
    // Of memory that was never written.
    program
        .li(register, value)
        .i(Opcode::Lw, x::T1, x::SP, -64)
        .li(x::T2, unknown)
        .r(Opcode::And, x::T1, x::T1, x::T2)
        .r(Opcode::Or, register, register, x::T1);
}

#[test]
fn results_lack_no_more_than_operands_make_them() {
    use Opcode::*;
    const SIGN: u32 = 1 << 31;
    let (top, low) = (0xff00_0000, 0xff);
    // Operands as values and bits without any, and the bits of the result without any.
    for (opcode, a, b, expected) in [
        (Add, (0, low), (0, 0), low),
        (Add, (0, 0), (0, low), low),
        (Add, (0, 0xff00), (1, 0), 0xffff_ff00),
        (Mul, (0, 0), (0, u32::MAX), 0),
        (Mul, (0, u32::MAX), (0, 0), 0),
        (Mulhu, (0, 0), (0, top), 0),
        (Mulhsu, (0, top), (0, 0), 0),
        (Mulhu, (1, 0), (0, low), u32::MAX),
        (Sll, (0, low), (8, 0), 0xff00),
        (Srl, (0, top), (8, 0), 0x00ff_0000),
        (Sra, (0, top), (8, 0), 0xffff_0000),
        (Sll, (0, 0), (0, low), 0),
        (Sra, (0, 0), (0, low), 0),
        (Srl, (1, 0), (0, low), u32::MAX),
        // What is unknown of the amount is not looked at.
        (Srl, (0, top), (8, top), 0x00ff_0000),
        (Xor, (0, low), (0, top), low | top),
        (Sub, (0, top), (0, 0), top),
        (Fsgnj, (0, low), (0, top), low | SIGN),
        (Fsgnj, (0, top), (0, low), top & !SIGN),
        (Fsgnjn, (0, low), (0, top), low | SIGN),
        (Fsgnjn, (0, top), (0, low), top & !SIGN),
        (Fsgnjx, (0, low), (0, top), low | SIGN),
        (Fsgnjx, (0, top), (0, low), top),
        (Fsgnjx, (0, top), (0, top), top),
        (Feq, (0, low), (0, 0), 1),
        (Flt, (0, 0), (0, top), 1),
        (Fle, (0, low), (0, low), 1),
        (Fadd, (0, low), (0, 0), u32::MAX),
    ] {
        let float = opcode.info().rs[0] == Some(RegFile::Float);
        let float_result = opcode.info().rd == Some(RegFile::Float);
        let bits = lacks("", |p| {
            partly(p, x::S1, a.0, a.1);
            partly(p, x::S2, b.0, b.1);
            if float {
                p.r1(FmvWX, 1, x::S1).r1(FmvWX, 2, x::S2);
                p.r(opcode, if float_result { 3 } else { x::T3 }, 1, 2);
            } else {
                p.r(opcode, x::T3, x::S1, x::S2);
            }
            if float_result {
                p.r1(FmvXW, x::T3, 3);
            }
        });
        assert_eq!(bits, expected, "{opcode:?} of {a:x?} and {b:x?}");
    }
    // Twice the same operand is known to cancel out, and not to do anything else.
    for (opcode, expected) in [(Xor, 0), (Sub, 0), (Or, low), (And, low), (Add, u32::MAX)] {
        let bits = lacks("", |p| {
            partly(p, x::S1, 0, low);
            p.r(opcode, x::T3, x::S1, x::S1);
        });
        assert_eq!(bits, expected, "{opcode:?}");
    }
    for (opcode, imm, expected) in [
        (Addi, 0, top),
        (Slli, 4, 0xf000_0000),
        (Srli, 8, 0x00ff_0000),
    ] {
        let bits = lacks("", |p| {
            partly(p, x::S1, 0, top);
            p.i(opcode, x::T3, x::S1, imm);
        });
        assert_eq!(bits, expected, "{opcode:?}");
    }
}

#[test]
fn votes_lack_the_bits_of_lanes_without_a_value() {
    // Lanes 1 and 3 of four lack bit 0, or all but that.
    for (opcode, unknown, expected) in [
        (Opcode::VoteBallot, 1, 0b1010),
        (Opcode::VoteAny, 1, 1),
        (Opcode::VoteAll, 1, 1),
        (Opcode::VoteUni, 1, 1),
        (Opcode::VoteBallot, !1, 0),
        (Opcode::VoteAny, !1, 0),
    ] {
        let mut program = Asm::new();
        program.all_lanes().li(x::SP, STACK).li(x::S1, 0);
        program.li(x::T0, 0b1010).simt(Opcode::Tmc, x::T0, 0);
        partly(&mut program, x::S1, 0, unknown);
        program.li(x::T0, 0b1111).simt(Opcode::Tmc, x::T0, 0);
        program
            .r(opcode, x::T3, x::S1, x::ZERO)
            .store(Opcode::Sw, x::T3, x::A0, 0)
            .end();
        let ended = try_run(racing(lanes(4)), &program, &[0; 4]);
        let bits = ended.err().map_or(0, |trap| what(&trap).2);
        assert_eq!(bits, expected, "{opcode:?}, {unknown:#x}");
    }
}

#[test]
fn what_pred_goes_back_to_matters_if_no_lane_stays() {
    // `s1` is never written.
    for (negated, predicate, matters) in [
        (false, 1, false),
        (false, 0, true),
        (true, 0, false),
        (true, 1, true),
    ] {
        let mut program = Asm::new();
        program.all_lanes().li(x::T1, predicate);
        program
            .emit(Inst {
                rd: u8::from(negated),
                ..Inst::simt(Opcode::Pred, x::T1, x::S1)
            })
            .end();
        let used = try_run(lanes(4), &program, &[0])
            .err()
            .map(|trap| what(&trap).0);
        assert_eq!(
            used,
            matters.then_some(Use::ThreadMask),
            "{negated} {predicate}"
        );
    }
    for opcode in [Opcode::Tmc, Opcode::Join] {
        let mut program = Asm::new();
        program.all_lanes().simt(opcode, x::S1, 0).end();
        let trap = try_run(lanes(4), &program, &[0]).unwrap_err();
        assert_eq!(what(&trap).0, Use::ThreadMask, "{opcode:?}");
    }
}

#[test]
fn branches_need_what_decides_them() {
    use Opcode::*;
    let (low, sign) = (0xff, 1 << 31);
    for (opcodes, a, b, decided) in [
        ([Beq, Bne], (0, low), (0, low), false),
        ([Beq, Bne], (0x100, low), (0x100, low), false),
        ([Beq, Bne], (0x100, low), (0, low), true),
        ([Beq, Bne], (0x100, low), (0x100, 0), false),
        ([Blt, Bge], (0, sign), (1, 0), true),
        ([Bltu, Bgeu], (0, sign), (1, 0), false),
        ([Blt, Bge], (0, sign), (sign + 1, 0), false),
        ([Bltu, Bgeu], (0, sign), (sign + 1, 0), true),
        ([Blt, Bge], (0x100, low), (0x1ff, 0), false),
        ([Blt, Bge], (0x100, low), (0x200, low), true),
    ] {
        for opcode in opcodes {
            let mut program = Asm::new();
            program.li(x::SP, STACK);
            partly(&mut program, x::S1, a.0, a.1);
            partly(&mut program, x::S2, b.0, b.1);
            program
                .branch(opcode, x::S1, x::S2, "end")
                .label("end")
                .end();
            let ended = try_run(lanes(1), &program, &[0]);
            let used = ended.err().map(|trap| what(&trap).0);
            let expected = (!decided).then_some(Use::Branch);
            assert_eq!(used, expected, "{opcode:?} of {a:x?} and {b:x?}");
        }
    }
}
