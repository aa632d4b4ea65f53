//! Programs that are close to a mistake and make none: nothing is noticed, whatever is watched for.

use crate::harness::{Asm, lanes, racing, run};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Checks, Config};

/// Runs a program in a device of this shape, watched in all respects, on a buffer of two words.
fn passes(config: Config, program: &Asm) -> Vec<u32> {
    let checks = Checks::all();
    run(Config { checks, ..config }, program, &[7, 8])
}

/// All lanes are on, and `a0` is the argument.
fn started() -> Asm {
    let mut program = Asm::new();
    program.all_lanes();
    program
}

#[test]
fn accesses_at_multiples_of_their_size() {
    for (opcode, offset) in [
        (Opcode::Lw, 4),
        (Opcode::Lh, 2),
        (Opcode::Lhu, 6),
        (Opcode::Flw, 4),
        (Opcode::Lb, 3),
    ] {
        let mut program = started();
        program.i(opcode, 5, x::A0, offset).end();
        passes(lanes(4), &program);
    }
    // The lowest bit of where to jump is none.
    for offset in [0, 1] {
        let mut program = Asm::new();
        program
            .la(x::A1, "there")
            .emit(Inst::i(Opcode::Jalr, x::ZERO, x::A1, offset))
            .label("there")
            .end();
        passes(lanes(1), &program);
    }
}

#[test]
fn programs_that_end_and_read_themselves() {
    let mut program = started();
    program
        .la(x::A1, "here")
        .label("here")
        .i(Opcode::Lw, x::A2, x::A1, 0)
        .store(Opcode::Sw, x::A2, x::A0, 0)
        .end();
    let here = Inst::i(Opcode::Lw, x::A2, x::A1, 0).encode();
    assert_eq!(passes(lanes(4), &program), [here, 8]);
}

#[test]
fn instructions_of_extensions_that_are_there() {
    let mut program = started();
    program
        .r(Opcode::AmoaddW, x::A1, x::A0, x::ZERO)
        .r(Opcode::VoteAll, x::A1, x::S4, 0)
        .r(Opcode::CzeroEqz, x::A1, x::S4, x::S4)
        .end();
    passes(lanes(4), &program);
}

#[test]
fn branches_and_jumps_that_lanes_agree_about() {
    // All lanes branch, or none does; or one side of a split is about to.
    for limit in [0, 8] {
        let mut program = started();
        program
            .i(Opcode::Slti, x::A1, x::S4, limit)
            .branch(Opcode::Bne, x::A1, x::ZERO, "end")
            .label("end")
            .end();
        passes(lanes(8), &program);
    }
    let mut program = started();
    program
        .i(Opcode::Slti, x::A1, x::S4, 3)
        .split(x::A2, x::A1)
        .branch(Opcode::Beq, x::A1, x::ZERO, "join")
        .store(Opcode::Sw, x::A1, x::A0, 0)
        .label("join")
        .join(x::A2)
        .end();
    assert_eq!(passes(lanes(8), &program), [1, 8]);
    // Lanes that are off have another target.
    let mut program = started();
    program
        .la(x::A1, "target")
        .i(Opcode::Slti, x::A2, x::S4, 1)
        .i(Opcode::Slli, x::A2, x::A2, 2)
        .r(Opcode::Add, x::A1, x::A1, x::A2)
        .li(x::T0, 0b110)
        .simt(Opcode::Tmc, x::T0, 0)
        .emit(Inst::i(Opcode::Jalr, x::ZERO, x::A1, 0))
        .label("target")
        .end();
    passes(lanes(3), &program);
}

#[test]
fn csrs_that_are_there_and_writable() {
    let mut program = started();
    program
        .csrr(x::A1, csr::MCYCLE)
        // Sets no bit, and so writes nothing.
        .emit(Inst::csr_op(Opcode::Csrrs, x::A1, csr::MHARTID, x::ZERO))
        .li(x::A2, 3)
        .emit(Inst::csr_op(Opcode::Csrrw, x::ZERO, csr::MSCRATCH, x::A2))
        .csrr(x::A3, csr::MSCRATCH)
        .store(Opcode::Sw, x::A3, x::A0, 0)
        .end();
    assert_eq!(passes(lanes(4), &program), [3, 8]);
}

#[test]
fn the_last_rounding_mode() {
    let mut program = started();
    program
        .emit(Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FRM, 4))
        .r1(Opcode::FcvtSW, 1, x::S4)
        .r(Opcode::Fadd, 2, 1, 1)
        .end();
    passes(lanes(4), &program);
}

#[test]
fn as_many_joins_as_splits() {
    let mut program = started();
    for token in [x::S6, x::S7] {
        program.i(Opcode::Slti, x::A1, x::S4, i32::from(x::S8 - token));
        program.split(token, x::A1);
    }
    program.join(x::S7).join(x::S6);
    // One with the depth that there is: the split that it ends had nothing to part.
    program.li(x::A1, 0).join(x::A1).end();
    passes(lanes(3), &program);
}

#[test]
fn barriers_that_all_come_to() {
    // The last barrier that there is, for all warps of a core; and for all cores.
    let mut program = Asm::new();
    program
        .all_warps()
        .li(x::A1, 1)
        .csrr(x::A2, csr::NUM_WARPS)
        .simt(Opcode::Bar, x::A1, x::A2)
        .li(x::A1, 1 << 31 | 1)
        .csrr(x::A2, csr::NUM_CORES)
        .simt(Opcode::Bar, x::A1, x::A2)
        .end();
    passes(Config::with_shape(3, 4, 2), &program);
    let threads = racing(Config {
        deterministic: false,
        ..Config::with_shape(3, 4, 2)
    });
    run(threads, &program, &[0]);
}

#[test]
fn bytes_for_the_console() {
    let mut program = Asm::new();
    program
        .store(Opcode::Sb, x::ZERO, x::ZERO, 0x40)
        .store(Opcode::Sb, x::ZERO, x::ZERO, 0x7f)
        .end();
    passes(lanes(1), &program);
}
