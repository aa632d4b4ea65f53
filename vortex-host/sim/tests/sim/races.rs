//! Data races: what is one, and what only looks like one.

use crate::harness::{Asm, CODE, machine, racing, run, trap, try_run};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, AccessKind, Checks, Config, TrapKind};

/// Cores, warps, threads; races are watched for.
fn watched(cores: u32, warps: u32, threads: u32) -> Config {
    Config {
        checks: Checks::all(),
        ..Config::with_shape(cores, warps, threads)
    }
}

/// All warps of the core wait for each other.
fn barrier(program: &mut Asm) {
    program
        .csrr(x::T1, csr::NUM_WARPS)
        .li(x::T0, 0)
        .simt(Opcode::Bar, x::T0, x::T1);
}

/// Every thread stores its number to its word, and after a barrier or none reads that of the thread opposite.
fn reverse(synchronised: bool) -> Asm {
    let mut program = Asm::new();
    program.all_warps();
    // s6 = thread, s7 = the other end's, of 8.
    program
        .csrr(x::S6, csr::MHARTID)
        .i(Opcode::Xori, x::S7, x::S6, 7);
    for register in [x::S6, x::S7] {
        program
            .i(Opcode::Slli, register, register, 2)
            .r(Opcode::Add, register, register, x::A0);
    }
    program.label("store").store(Opcode::Sw, x::S4, x::S6, 0);
    if synchronised {
        barrier(&mut program);
    }
    program
        .label("load")
        .i(Opcode::Lw, x::A1, x::S7, 0)
        .store(Opcode::Sw, x::A1, x::S6, 32)
        .end();
    program
}

#[test]
fn a_barrier_that_is_missing() {
    let start: Vec<u32> = (100..116).collect();
    run(watched(1, 2, 4), &reverse(true), &start);
    let program = reverse(false);
    let trapped = trap(watched(1, 2, 4), &program, &start);
    let TrapKind::DataRace {
        access,
        address,
        size: 4,
        first,
    } = trapped.kind
    else {
        panic!("{trapped}")
    };
    // Warp 1 ran first. It read what warp 0 then stores.
    assert_eq!(
        (access, trapped.warp, trapped.pc),
        (AccessKind::Store, 0, program.address("store"))
    );
    assert_eq!(
        (first.access, first.warp, first.pc),
        (AccessKind::Load, 1, program.address("load"))
    );
    // Lane 0 of warp 0 stores the word that lane 3 of warp 1 has read.
    assert_eq!((trapped.lane, first.lane, address), (Some(0), 3, 0x1_0000));
    assert!(
        trapped.to_string().starts_with(
            "data race: store of 4 bytes at 0x10000 and load by core 0, warp 1, lane 3 (at 0x80000040: lw a1, 0(s7)); a barrier"
        ),
        "{trapped}"
    );
    // Nobody asked.
    run(racing(Config::with_shape(1, 2, 4)), &program, &start);
}

/// Runs one program on one machine twice: launches are ordered.
#[test]
fn launches_do_not_race() {
    let mut program = Asm::new();
    program.all_warps().csrr(x::S6, csr::MHARTID);
    program
        .i(Opcode::Slli, x::S6, x::S6, 2)
        .r(Opcode::Add, x::S6, x::S6, x::A0);
    program
        .i(Opcode::Lw, x::A1, x::S6, 0)
        .i(Opcode::Addi, x::A1, x::A1, 1)
        .store(Opcode::Sw, x::A1, x::S6, 0)
        .end();
    let mut machine = machine(watched(1, 2, 4), &program);
    let buffer = machine.alloc(48, Access::ReadWrite).unwrap();
    machine.write(buffer, &[0; 48]).unwrap();
    // The second launch's warps reach other words than the first's.
    machine.run(CODE, buffer).unwrap();
    machine.run(CODE, buffer + 16).unwrap();
}

/// Thread 0 of every core stores `value` (a register) to the argument's first byte or word.
fn every_core(value: u8, opcode: Opcode, stride: u32) -> Asm {
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::CORE_ID)
        .li(x::A2, 77)
        .li(x::A3, stride)
        .r(Opcode::Mul, x::A3, x::A3, x::A1)
        .r(Opcode::Add, x::A0, x::A0, x::A3)
        .store(opcode, value, x::A0, 0)
        .end();
    program
}

#[test]
fn cores_that_store_to_one_place() {
    let config = || watched(3, 1, 1);
    for (opcode, stride) in [(Opcode::Sw, 4), (Opcode::Sh, 2), (Opcode::Sb, 1)] {
        // A word each, or a part of one word each; or all the same value.
        run(config(), &every_core(x::A1, opcode, stride), &[9; 3]);
        run(config(), &every_core(x::A2, opcode, 0), &[9; 3]);
        let trapped = trap(config(), &every_core(x::A1, opcode, 0), &[9; 3]);
        assert!(
            matches!(trapped.kind, TrapKind::DataRace { access: AccessKind::Store, first, .. } if first.core == 0),
            "{trapped}"
        );
        assert_eq!(trapped.core, 1);
    }
}

#[test]
fn lanes_that_store_to_one_address_at_once() {
    let program = |value| {
        let mut program = Asm::new();
        program.all_lanes().store(Opcode::Sb, value, x::A0, 1).end();
        program
    };
    run(watched(1, 1, 4), &program(x::S5), &[0]);
    let trapped = trap(watched(1, 1, 4), &program(x::S4), &[0]);
    assert_eq!(
        (trapped.kind, trapped.lane),
        (
            TrapKind::StoreCollision {
                address: 0x1_0001,
                size: 1,
                other: 0
            },
            Some(1)
        )
    );
}

#[test]
fn atomic_accesses_race_with_plain_ones_only() {
    let program = |plain: Option<Opcode>| {
        let mut program = Asm::new();
        program.all_warps().r(Opcode::AmoaddW, x::A1, x::A0, x::S4);
        match plain {
            Some(Opcode::Lw) => program.i(Opcode::Lw, x::A1, x::A0, 0),
            Some(store) => program.store(store, x::S5, x::A0, 0),
            None => &mut program,
        };
        program.end();
        program
    };
    assert_eq!(run(watched(2, 2, 4), &program(None), &[5]), [5 + 4 * 6]);
    for plain in [Opcode::Lw, Opcode::Sw] {
        let trapped = trap(watched(1, 2, 4), &program(Some(plain)), &[5]);
        assert!(
            matches!(trapped.kind, TrapKind::DataRace { access: AccessKind::Atomic, first, .. } if first.warp == 1),
            "{trapped}"
        );
    }
}

/// Core 0 leaves a word and says so atomically; core 1 waits for that.
fn message(sends: bool, receives: bool) -> Asm {
    let fence = Inst::decode(0x0ff0_000f).unwrap();
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::CORE_ID)
        .li(x::A2, 1)
        .i(Opcode::Addi, x::A3, x::A0, 4)
        .branch(Opcode::Bne, x::A1, x::ZERO, "receive")
        .store(Opcode::Sw, x::A2, x::A0, 0);
    if sends {
        program.emit(fence);
    }
    program.r(Opcode::AmoswapW, x::A4, x::A3, x::A2).end();
    program
        .label("receive")
        .r(Opcode::AmoorW, x::A4, x::A3, x::ZERO)
        .branch(Opcode::Beq, x::A4, x::ZERO, "receive");
    if receives {
        program.emit(fence);
    }
    program
        .i(Opcode::Lw, x::A5, x::A0, 0)
        .store(Opcode::Sw, x::A5, x::A0, 8)
        .end();
    program
}

#[test]
fn messages_between_cores() {
    assert_eq!(
        run(watched(2, 1, 1), &message(true, true), &[0; 3]),
        [1, 1, 1]
    );
    for (sends, receives) in [(true, false), (false, true)] {
        let trapped = trap(watched(2, 1, 1), &message(sends, receives), &[0; 3]);
        assert!(
            matches!(trapped.kind, TrapKind::DataRace { access: AccessKind::Load, address: 0x1_0000, first, .. } if first.core == 0),
            "{trapped}"
        );
    }
}

#[test]
fn a_store_to_what_several_have_read() {
    // All warps read a word; the first one stores to it, after as many of the others as `expected` says have arrived.
    let program = |synchronised: bool| {
        let mut program = Asm::new();
        program.all_warps().i(Opcode::Lw, x::A1, x::A0, 0);
        if synchronised {
            barrier(&mut program);
        }
        program
            .csrr(x::A2, csr::WARP_ID)
            .branch(Opcode::Bne, x::A2, x::ZERO, "end")
            .li(x::A3, 1)
            .store(Opcode::Sw, x::A3, x::A0, 0)
            .label("end")
            .end();
        program
    };
    run(watched(1, 4, 4), &program(true), &[0]);
    let trapped = trap(watched(1, 4, 4), &program(false), &[0]);
    assert!(
        matches!(trapped.kind, TrapKind::DataRace { access: AccessKind::Store, first, .. } if first.access == AccessKind::Load),
        "{trapped}"
    );
}

#[test]
fn local_memory_is_each_cores_own() {
    let program = |synchronised: bool| {
        let mut program = Asm::new();
        program
            .all_warps()
            .csrr(x::A1, csr::LOCAL_MEM_BASE)
            .csrr(x::A2, csr::CORE_ID)
            .i(Opcode::Addi, x::A2, x::A2, 1)
            .csrr(x::A4, csr::WARP_ID)
            .branch(Opcode::Bne, x::A4, x::ZERO, "read");
        program.store(Opcode::Sw, x::A2, x::A1, 0).label("read");
        if synchronised {
            barrier(&mut program);
        }
        program.i(Opcode::Lw, x::A5, x::A1, 0).end();
        program
    };
    run(watched(2, 2, 1), &program(true), &[0]);
    assert!(try_run(watched(2, 2, 1), &program(false), &[0]).is_err());
}

#[test]
fn the_first_warp_and_those_it_starts() {
    // Warp 0 stores before it starts the others, and reads what they stored when they have ended.
    let program = |waits: bool| {
        let mut program = Asm::new();
        program
            .csrr(x::A0, csr::MSCRATCH)
            .li(x::A1, 7)
            .store(Opcode::Sw, x::A1, x::A0, 0)
            .li(x::T0, 2)
            .la(x::T1, "other")
            .simt(Opcode::Wspawn, x::T0, x::T1);
        if waits {
            program.li(x::T0, 1).simt(Opcode::Wspawn, x::T0, x::T1);
        }
        program.i(Opcode::Lw, x::A2, x::A0, 4).end();
        program
            .label("other")
            .csrr(x::A0, csr::MSCRATCH)
            .i(Opcode::Lw, x::A1, x::A0, 0)
            .store(Opcode::Sw, x::A1, x::A0, 4)
            .end();
        program
    };
    assert_eq!(run(watched(1, 2, 1), &program(true), &[0; 2]), [7, 7]);
    assert!(matches!(
        trap(watched(1, 2, 1), &program(false), &[0; 2]).kind,
        TrapKind::DataRace {
            access: AccessKind::Load,
            ..
        }
    ));
}
