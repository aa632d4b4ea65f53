//! Mistakes, each with its neighbour that is none, and how they read.

use crate::harness::{Asm, CODE, lanes, machine, run, trap};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, AccessKind, Checks, Config, Machine, TrapKind};

#[test]
fn out_of_bounds() {
    for (opcode, access, size) in [
        (Opcode::Lw, AccessKind::Load, 4),
        (Opcode::Lb, AccessKind::Load, 1),
    ] {
        // 5 words for 6 lanes: the last is one too many.
        let mut program = Asm::new();
        program
            .all_lanes()
            .i(Opcode::Slli, x::A1, x::S4, 2)
            .r(Opcode::Add, x::A1, x::A1, x::A0);
        program.label("access").i(opcode, x::A2, x::A1, 0).end();
        run(lanes(5), &program, &[0; 5]);
        let trap = trap(lanes(6), &program, &[0; 5]);
        assert_eq!(
            (trap.pc, trap.core, trap.warp, trap.lane),
            (program.address("access"), 0, 0, Some(5))
        );
        let nearest = Some((0x1_0000, 0x1_0013));
        assert_eq!(
            trap.kind,
            TrapKind::OutOfBounds {
                access,
                address: 0x1_0014,
                size,
                nearest
            }
        );
    }
}

#[test]
fn a_trap_reads_well() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .store(Opcode::Sw, x::S4, x::A1, 0)
        .end();
    assert_eq!(
        trap(lanes(4), &program, &[0; 3]).to_string(),
        "out-of-bounds store of 4 bytes at 0x1000c, 0 bytes past the end of the allocation at 0x10000 (12 bytes); \
         compare with the length of what the pointer leads into, or take a slice, whose indices are checked\n  \
         at 0x8000001c: sw s4, 0(a1)\n  core 0, warp 0, lane 3"
    );
}

#[test]
fn use_after_free() {
    let mut program = Asm::new();
    program.all_lanes().i(Opcode::Lw, x::A1, x::A0, 0).end();
    let mut machine = machine(lanes(4), &program);
    let buffer = machine.alloc(64, Access::ReadWrite).unwrap();
    machine.run(CODE, buffer).unwrap();
    machine.free(buffer).unwrap();
    // Somebody else's memory by now, were it not kept out of use.
    let other = machine.alloc(64, Access::ReadWrite).unwrap();
    machine.run(CODE, other).unwrap();
    let trap = machine.run(CODE, buffer + 60).unwrap_err();
    assert_eq!(
        trap.to_string(),
        "use after free: load of 4 bytes at 0x1003c, 60 bytes into the allocation at 0x10000 (64 bytes), which the host has freed; a buffer has to live as long as kernels use it\n  \
         at 0x80000014: lw a1, 0(a0)\n  core 0, warp 0, lane 0"
    );
    let trap = machine.run(CODE, buffer + 64).unwrap_err();
    assert!(matches!(trap.kind, TrapKind::OutOfBounds { .. }), "{trap}");
    // Once it is allocated again, it is fine.
    machine.reserve(buffer, 64, Access::ReadWrite).unwrap();
    machine.run(CODE, buffer).unwrap();
}

#[test]
fn freed_memory_is_used_again_when_there_is_no_other() {
    let mut machine = Machine::new(lanes(4)).unwrap();
    let half = machine.mem_info().free / 2 - (1 << 20);
    for _ in 0..10 {
        let buffer = machine.alloc(half, Access::ReadWrite).unwrap();
        machine.free(buffer).unwrap();
    }
    for size in [64u64, 4 << 20].into_iter().cycle().take(5000) {
        let buffer = machine.alloc(size, Access::ReadWrite).unwrap();
        machine.free(buffer).unwrap();
    }
    let checks = Checks {
        freed: false,
        ..Checks::all()
    };
    let mut machine = Machine::new(Config { checks, ..lanes(4) }).unwrap();
    let first = machine.alloc(64, Access::ReadWrite).unwrap();
    machine.free(first).unwrap();
    assert_eq!(machine.alloc(64, Access::ReadWrite), Ok(first));
}

#[test]
fn without_exact_bounds_pages_are_what_counts() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Lw, x::A1, x::A0, 2044)
        .li(x::T0, 4096)
        .r(Opcode::Add, x::A0, x::A0, x::T0);
    program
        .label("next page")
        .i(Opcode::Lw, x::A1, x::A0, 0)
        .end();
    let checks = Checks {
        bounds: false,
        ..Checks::default()
    };
    assert_eq!(
        trap(Config { checks, ..lanes(4) }, &program, &[0; 3]).pc,
        program.address("next page")
    );
    assert_eq!(
        trap(lanes(4), &program, &[0; 3]).pc,
        program.address("next page") - 12
    );
}

#[test]
fn read_only_memory_and_the_program_itself() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .la(x::A1, "here")
        .label("here")
        .store(Opcode::Sw, x::A1, x::A1, 0)
        .end();
    let trap = trap(lanes(4), &program, &[0]);
    let address = program.address("here");
    let kind = TrapKind::AccessDenied {
        access: AccessKind::Store,
        address,
        size: 4,
        allowed: Access::Read,
    };
    assert_eq!((trap.kind, trap.lane), (kind, Some(0)));
}

#[test]
fn misaligned_accesses_and_jumps() {
    for (opcode, offset, size) in [
        (Opcode::Lw, 2, 4),
        (Opcode::Lh, 1, 2),
        (Opcode::Lhu, 3, 2),
        (Opcode::Flw, 1, 4),
    ] {
        let mut program = Asm::new();
        program.all_lanes().i(opcode, 5, x::A0, offset).end();
        let address = 0x1_0000 + offset as u32;
        assert_eq!(
            trap(lanes(4), &program, &[0; 2]).kind,
            TrapKind::Misaligned {
                access: AccessKind::Load,
                address,
                size
            },
            "{opcode}"
        );
    }
    let mut program = Asm::new();
    program
        .la(x::A1, "there")
        .emit(Inst::i(Opcode::Jalr, x::ZERO, x::A1, 2))
        .label("there")
        .end();
    let target = program.address("there") + 2;
    assert_eq!(
        trap(lanes(1), &program, &[0]).kind,
        TrapKind::MisalignedJump { target }
    );
}

#[test]
fn execution_out_of_the_program() {
    let mut program = Asm::new();
    program.li(x::A1, 1);
    let trap = trap(lanes(1), &program, &[0]);
    assert_eq!(
        (trap.kind, trap.pc, trap.word),
        (TrapKind::FetchOutOfBounds, CODE + 4, None)
    );
    let mut machine = Machine::new(lanes(1)).unwrap();
    assert_eq!(
        machine.run(0x1234_5678, 0).unwrap_err().kind,
        TrapKind::FetchOutOfBounds
    );
    assert_eq!(
        machine.run(0xffff_fffe, 0).unwrap_err().kind,
        TrapKind::FetchOutOfBounds
    );
}

#[test]
fn illegal_instructions() {
    let mut machine = Machine::new(Config::bare()).unwrap();
    machine.reserve(CODE, 4, Access::Read).unwrap();
    let amo = Inst::r(Opcode::AmoaddW, x::A0, x::A1, x::A2).encode();
    let vote = Inst::r(Opcode::VoteAll, x::A0, x::A1, 0).encode();
    for word in [0, u32::MAX, 0x3020_0073, 0x0000_3003, amo, vote] {
        machine.write(CODE, &word.to_le_bytes()).unwrap();
        let trap = machine.run(CODE, 0).unwrap_err();
        assert_eq!(
            (trap.kind, trap.pc, trap.word),
            (TrapKind::IllegalInstruction, CODE, Some(word))
        );
    }
    let mut program = Asm::new();
    program.r(Opcode::CzeroEqz, x::A0, x::A1, x::A2).end();
    run(Config::bare(), &program, &[0]);
    let config = Config {
        zicond: false,
        ..Config::bare()
    };
    assert_eq!(
        trap(config, &program, &[0]).kind,
        TrapKind::IllegalInstruction
    );
}

/// Jumps to one of two instructions: the second where `a2` is 1, and not 0. Gives the address of the first.
fn jump_by_instructions(program: &mut Asm) -> u32 {
    program
        .la(x::A1, "target")
        .i(Opcode::Slli, x::A2, x::A2, 2)
        .r(Opcode::Add, x::A1, x::A1, x::A2)
        .emit(Inst::i(Opcode::Jalr, x::ZERO, x::A1, 0))
        .label("target")
        .end()
        .end();
    program.address("target")
}

#[test]
fn divergent_branches_and_jumps() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Slti, x::A1, x::S4, 3)
        .label("branch")
        .branch(Opcode::Bne, x::A1, x::ZERO, "end");
    program
        .store(Opcode::Sw, x::S4, x::A0, 0)
        .label("end")
        .end();
    let trapped = trap(lanes(8), &program, &[0]);
    assert_eq!(
        trapped.kind,
        TrapKind::DivergentBranch {
            taken: 0b111,
            not_taken: 0b1111_1000
        }
    );
    assert_eq!(
        (trapped.pc, trapped.lane),
        (program.address("branch"), None)
    );
    // The last active lane decides when nobody looks.
    assert_eq!(
        run(
            Config {
                checks: Checks::none(),
                ..lanes(8)
            },
            &program,
            &[9]
        ),
        [7]
    );

    let mut program = Asm::new();
    program.all_lanes().i(Opcode::Slti, x::A2, x::S4, 1);
    let target = jump_by_instructions(&mut program);
    let trapped = trap(lanes(8), &program, &[0]);
    assert_eq!(
        (trapped.kind, trapped.lane),
        (
            TrapKind::DivergentJump {
                target,
                other: target + 4
            },
            Some(0)
        )
    );
    run(
        Config {
            checks: Checks::none(),
            ..lanes(8)
        },
        &program,
        &[0],
    );
}

#[test]
fn csrs_that_are_not_there_or_not_writable() {
    for (inst, number, write) in [
        (Inst::csrr(x::A1, 0x7c0), 0x7c0, false),
        (
            Inst::csr_op(Opcode::Csrrw, x::ZERO, csr::MHARTID, x::ZERO),
            csr::MHARTID,
            true,
        ),
        (
            Inst::csr_op(Opcode::Csrrsi, x::ZERO, csr::MCYCLE, 1),
            csr::MCYCLE,
            true,
        ),
    ] {
        let mut program = Asm::new();
        program.emit(inst).end();
        assert_eq!(
            trap(lanes(1), &program, &[0]).kind,
            TrapKind::InvalidCsr { csr: number, write },
            "{inst}"
        );
    }
    let mut program = Asm::new();
    program
        .all_lanes()
        .emit(Inst::csr_op(Opcode::Csrrw, x::ZERO, csr::MSCRATCH, x::S4))
        .csrr(x::A1, csr::MSCRATCH);
    program.store(Opcode::Sw, x::A1, x::A0, 0).end();
    let trapped = trap(lanes(4), &program, &[0]);
    assert_eq!(
        (trapped.kind, trapped.lane),
        (TrapKind::DivergentCsrWrite { csr: csr::MSCRATCH }, Some(0))
    );
    assert_eq!(
        run(
            Config {
                checks: Checks::none(),
                ..lanes(4)
            },
            &program,
            &[0]
        ),
        [3]
    );
}

#[test]
fn a_rounding_mode_that_does_not_exist() {
    let mut program = Asm::new();
    program
        .emit(Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FRM, 5))
        .r(Opcode::Fadd, 1, 2, 3)
        .end();
    assert_eq!(
        trap(lanes(1), &program, &[0]).kind,
        TrapKind::InvalidRounding { frm: 5 }
    );
}

#[test]
fn lanes_that_disagree_in_pairs_eight_apart_diverge_too() {
    // Of 16 lanes, lanes 1 and 9 go elsewhere.
    let other = |p: &mut Asm| {
        p.all_lanes()
            .i(Opcode::Andi, x::A2, x::S4, 7)
            .i(Opcode::Addi, x::A2, x::A2, -1)
            .i(Opcode::Sltiu, x::A2, x::A2, 1);
    };
    let mut program = Asm::new();
    other(&mut program);
    program
        .branch(Opcode::Bne, x::A2, x::ZERO, "end")
        .label("end")
        .end();
    let kind = TrapKind::DivergentBranch {
        taken: 0x0202,
        not_taken: 0xfdfd,
    };
    assert_eq!(trap(lanes(16), &program, &[0]).kind, kind);
    let mut program = Asm::new();
    other(&mut program);
    let target = jump_by_instructions(&mut program);
    let kind = TrapKind::DivergentJump {
        target,
        other: target + 4,
    };
    let trapped = trap(lanes(16), &program, &[0]);
    assert_eq!((trapped.kind, trapped.lane), (kind, Some(1)));
}

#[test]
fn atomics_need_to_read_and_to_write() {
    for (opcode, access, allowed) in [
        (Opcode::Sw, AccessKind::Store, Access::Read),
        (Opcode::Lw, AccessKind::Load, Access::Write),
        (Opcode::AmoaddW, AccessKind::Atomic, Access::Read),
        (Opcode::AmoaddW, AccessKind::Atomic, Access::Write),
    ] {
        let program = |opcode| {
            let mut program = Asm::new();
            program.csrr(x::A0, csr::MSCRATCH);
            match opcode {
                Opcode::Sw => program.store(opcode, x::A0, x::A0, 0),
                Opcode::Lw => program.i(opcode, x::A1, x::A0, 0),
                _ => program.r(opcode, x::A1, x::A0, x::A0),
            };
            program.end();
            program
        };
        let run = |opcode, access| {
            let mut machine = machine(lanes(1), &program(opcode));
            let address = machine.alloc(4, access).unwrap();
            machine.write(address, &[0; 4]).unwrap();
            machine.run(CODE, address).map_err(|trap| trap.kind)
        };
        let kind = TrapKind::AccessDenied {
            access,
            address: 0x1_0000,
            size: 4,
            allowed,
        };
        assert_eq!(run(opcode, allowed).unwrap_err(), kind, "{opcode:?}");
        run(opcode, Access::ReadWrite).unwrap();
        match opcode {
            Opcode::Sw => drop(run(opcode, Access::Write).unwrap()),
            Opcode::Lw => drop(run(opcode, Access::Read).unwrap()),
            _ => {}
        }
    }
}
