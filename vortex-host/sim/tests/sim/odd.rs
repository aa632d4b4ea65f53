//! Odd requests: numbers of warps that do not exist, masks of lanes that do not, code where there is none, joins out of
//! order, CSRs that are not written.

use crate::harness::{Asm, CODE, lanes, machine, run, trap};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, AccessKind, Checks, Config, Machine, TrapKind};

/// Without checks, so that only what has no sensible continuation is an error.
fn trusting(config: Config) -> Config {
    Config {
        checks: Checks::none(),
        ..config
    }
}

#[test]
fn more_warps_than_there_are() {
    // Every warp stores its number after the one before.
    let program = |count: u32| {
        let mut program = Asm::new();
        program
            .li(x::T0, count)
            .la(x::T1, "start")
            .simt(Opcode::Wspawn, x::T0, x::T1)
            .label("start")
            .csrr(x::A0, csr::MSCRATCH)
            .csrr(x::A1, csr::WARP_ID)
            .i(Opcode::Slli, x::A2, x::A1, 2)
            .r(Opcode::Add, x::A2, x::A2, x::A0)
            .i(Opcode::Addi, x::A1, x::A1, 1)
            .store(Opcode::Sw, x::A1, x::A2, 0)
            .end();
        program
    };
    let config = Config::with_shape(1, 4, 2);
    for (count, expected) in [
        (0, [1, 0, 0, 0, 0]),
        (1, [1, 0, 0, 0, 0]),
        (3, [1, 2, 3, 0, 0]),
        (5, [1, 2, 3, 4, 0]),
        (1 << 31, [1, 2, 3, 4, 0]),
        (u32::MAX, [1, 2, 3, 4, 0]),
    ] {
        assert_eq!(run(config.clone(), &program(count), &[0; 5]), expected);
    }
}

#[test]
fn warps_that_start_nowhere() {
    let program = |to: u32| {
        let mut program = Asm::new();
        program
            .li(x::T0, 2)
            .li(x::T1, to)
            .label("wspawn")
            .simt(Opcode::Wspawn, x::T0, x::T1)
            .end();
        program
    };
    let config = Config::with_shape(1, 2, 2);
    for checks in [Checks::none(), Checks::all()] {
        let config = Config {
            checks,
            ..config.clone()
        };
        let odd = program(CODE + 2);
        let trapped = trap(config.clone(), &odd, &[0]);
        let kind = TrapKind::MisalignedJump { target: CODE + 2 };
        assert_eq!((trapped.kind, trapped.pc), (kind, odd.address("wspawn")));
        let trapped = trap(config, &program(0x5000_0000), &[0]);
        assert_eq!(
            (trapped.kind, trapped.pc, trapped.warp, trapped.word),
            (TrapKind::FetchOutOfBounds, 0x5000_0000, 1, None)
        );
    }
}

#[test]
fn lanes_that_are_not_there() {
    // Masks are cut down to the lanes there are; one without any of them ends the warp.
    for (mask, expected) in [(0xffff_fff1, [1, 0b0001]), (u32::MAX, [1, 0b1111])] {
        let mut program = Asm::new();
        program
            .csrr(x::A0, csr::MSCRATCH)
            .li(x::A1, 1)
            .store(Opcode::Sw, x::A1, x::A0, 0)
            .li(x::T0, mask)
            .simt(Opcode::Tmc, x::T0, x::ZERO)
            .csrr(x::A0, csr::MSCRATCH)
            .csrr(x::A1, csr::ACTIVE_THREADS)
            .store(Opcode::Sw, x::A1, x::A0, 4)
            .end();
        assert_eq!(run(lanes(4), &program, &[0; 2]), expected);
    }
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .li(x::T0, 0xffff_fff0)
        .simt(Opcode::Tmc, x::T0, x::ZERO)
        .store(Opcode::Sw, x::T0, x::A0, 0)
        .end();
    assert_eq!(run(lanes(4), &program, &[7]), [7]);
}

#[test]
fn code_where_there_is_none() {
    // Into a buffer of numbers, one that nobody wrote, local memory, the stack, and nowhere.
    let jump = |to: u32| {
        let mut program = Asm::new();
        program.li(x::A1, to).i(Opcode::Jalr, x::RA, x::A1, 0);
        program
    };
    for (to, allocated, word) in [
        (0x1_0000, true, Some(0xbaad_f00d)),
        (0x1_0000, false, None),
        (0xfffe_fff0, false, Some(0xbaad_f00d)),
        (0x40, false, None),
        (0xffff_fffc, false, None),
    ] {
        let mut machine = machine(trusting(lanes(4)), &jump(to));
        if allocated {
            machine.alloc(64, Access::ReadWrite).unwrap();
        }
        let trapped = machine.run(CODE, 0).unwrap_err();
        let kind = match word {
            Some(_) => TrapKind::IllegalInstruction,
            None => TrapKind::FetchOutOfBounds,
        };
        assert_eq!((trapped.kind, trapped.pc, trapped.word), (kind, to, word));
    }
    // What is in local memory is data: fetches do not go there.
    let mut program = Asm::new();
    program
        .csrr(x::A1, csr::LOCAL_MEM_BASE)
        .li(x::A2, Inst::nop().encode())
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .i(Opcode::Jalr, x::RA, x::A1, 0);
    let trapped = trap(trusting(lanes(1)), &program, &[0]);
    assert_eq!(
        (trapped.kind, trapped.pc, trapped.word),
        (TrapKind::FetchOutOfBounds, 0xffff_0000, None)
    );
}

#[test]
fn joins_out_of_order() {
    // Two open splits, of which the outer one is joined first.
    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Slti, x::A1, x::S4, 3)
        .split(x::A2, x::A1)
        .i(Opcode::Slti, x::A3, x::S4, 1)
        .split(x::A4, x::A3)
        .label("join")
        .join(x::A2)
        .join(x::A4)
        .end();
    let trapped = trap(lanes(4), &program, &[0]);
    let kind = TrapKind::JoinMismatch { depth: 0, open: 2 };
    assert_eq!((trapped.kind, trapped.pc), (kind, program.address("join")));
    // One split, joined once too often.
    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Slti, x::A1, x::S4, 3)
        .split(x::A2, x::A1)
        .join(x::A2)
        .join(x::A2)
        .li(x::A2, 1)
        .join(x::A2)
        .end();
    assert_eq!(trap(lanes(4), &program, &[0]).kind, TrapKind::JoinUnderflow);
    // Nothing is open that it could end.
    let checks = Checks::none();
    run(Config { checks, ..lanes(4) }, &program, &[0]);
}

#[test]
fn csrs_that_are_asked_for_nothing() {
    // Setting and clearing no bits writes nothing, so it is allowed everywhere.
    let sound = [
        Inst::csr_op(Opcode::Csrrs, x::A1, csr::MHARTID, x::ZERO),
        Inst::csr_op(Opcode::Csrrc, x::A1, csr::NUM_CORES, x::ZERO),
        Inst::csr_op(Opcode::Csrrsi, x::A1, csr::THREAD_ID, 0),
        Inst::csr_op(Opcode::Csrrci, x::A1, csr::MINSTRET, 0),
    ];
    for inst in sound {
        let mut program = Asm::new();
        program.emit(inst).end();
        run(lanes(1), &program, &[0]);
        // A register that happens to hold 0 is another matter, as in the manual.
        let written = match inst.opcode {
            Opcode::Csrrs | Opcode::Csrrc => Inst::csr_op(inst.opcode, x::A1, inst.csr(), x::A2),
            opcode => Inst::csr_op(opcode, x::A1, inst.csr(), 1),
        };
        let mut program = Asm::new();
        program.li(x::A2, 0).emit(written).end();
        let kind = TrapKind::InvalidCsr {
            csr: inst.csr(),
            write: true,
        };
        assert_eq!(trap(lanes(1), &program, &[0]).kind, kind, "{written}");
    }
}

#[test]
fn rounding_modes_in_instructions() {
    // 5 and 6 are none, in the instruction or, with 7, in frm.
    for rm in 0..8 {
        let word = Inst::r(Opcode::Fadd, 1, 2, 3).encode() & !(7 << 12) | rm << 12;
        let mut machine = Machine::new(trusting(lanes(1))).unwrap();
        machine.reserve(CODE, 8, Access::Read).unwrap();
        let end = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO).encode();
        let code = [word.to_le_bytes(), end.to_le_bytes()].concat();
        machine.write(CODE, &code).unwrap();
        let kind = machine.run(CODE, 0).err().map(|trap| trap.kind);
        let expected = matches!(rm, 5 | 6).then_some(TrapKind::IllegalInstruction);
        assert_eq!(kind, expected, "{rm}");
        let mut program = Asm::new();
        program
            .emit(Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FRM, rm as u8))
            .emit(Inst::r(Opcode::Fadd, 1, 2, 3).rounded(vortex_isa::Rounding::Dyn))
            .end();
        if rm < 5 {
            run(trusting(lanes(1)), &program, &[0]);
        } else {
            let trapped = trap(trusting(lanes(1)), &program, &[0]);
            assert_eq!(trapped.kind, TrapKind::InvalidRounding { frm: rm });
        }
    }
}

#[test]
fn misaligned_atomics() {
    for (opcode, access) in [
        (Opcode::LrW, AccessKind::Load),
        (Opcode::ScW, AccessKind::Store),
        (Opcode::AmoaddW, AccessKind::Atomic),
        (Opcode::AmomaxuW, AccessKind::Atomic),
    ] {
        let mut program = Asm::new();
        let rs2 = match opcode {
            Opcode::LrW => x::ZERO,
            _ => x::A0,
        };
        program
            .csrr(x::A0, csr::MSCRATCH)
            .i(Opcode::Addi, x::A1, x::A0, 2)
            .r(opcode, x::A2, x::A1, rs2)
            .end();
        let kind = TrapKind::Misaligned {
            access,
            address: 0x1_0002,
            size: 4,
        };
        let trapped = trap(trusting(lanes(1)), &program, &[0; 2]);
        assert_eq!((trapped.kind, trapped.lane), (kind, Some(0)), "{opcode}");
    }
}
