//! What the caches of Vortex 3's cores may still hold when another core has stored: the same program was run on two
//! cores of its RTL, which reads old data where this device says so, and the new elsewhere.

use crate::grid_programs::{grid, groups, launch, trap, try_launch, v3};
use crate::harness::Asm;
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{AccessKind, Checks, Config, LaunchError, TrapKind};

/// Each of two cores loads byte `before` of the buffer, if there is one; the first stores 77 to word 0; and each copies
/// word 0 to word 32 + 8 * its number. Barriers of both cores are in between, and on request a fence after the second.
struct Case {
    before: Option<i32>,
    store: Opcode,
    fence: bool,
}

const CASE: Case = Case {
    before: Some(0),
    store: Opcode::Sw,
    fence: false,
};

fn program(case: &Case) -> Asm {
    let meet = |program: &mut Asm, number: u32| {
        program
            .li(x::T0, 1 << 31 | number << 8)
            .li(x::T1, 2)
            .simt(Opcode::Bar, x::T0, x::T1);
    };
    groups(|program| {
        program.csrr(x::A0, csr::MSCRATCH).csrr(x::A1, csr::CORE_ID);
        if let Some(byte) = case.before {
            program.i(Opcode::Lbu, x::A2, x::A0, byte);
        }
        meet(program, 1);
        program
            .branch(Opcode::Bne, x::A1, x::ZERO, "other")
            .li(x::T0, 77)
            .label("store")
            .store(case.store, x::T0, x::A0, 0)
            .label("other");
        meet(program, 2);
        if case.fence {
            program.emit(Inst::of(Opcode::Fence));
        }
        program
            .i(Opcode::Slli, x::A4, x::A1, 5)
            .r(Opcode::Add, x::A4, x::A0, x::A4)
            .label("load")
            .i(Opcode::Lw, x::A3, x::A0, 0)
            .store(Opcode::Sw, x::A3, x::A4, 128);
    })
}

fn config() -> Config {
    v3(2, 2, 2)
}

/// What both cores have read.
fn found(config: Config, case: &Case, first: u32) -> [u32; 2] {
    let mut buffer = [0; 64];
    buffer[0] = first;
    let pair = grid([2, 1, 1], [2, 1, 1], 0);
    let buffer = launch(config, &program(case), pair, &buffer);
    [buffer[32], buffer[40]]
}

#[test]
fn a_core_may_still_hold_what_another_has_stored_to() {
    let pair = grid([2, 1, 1], [2, 1, 1], 0);
    // Any byte of the line will do.
    for before in [0, 3, 4, 60] {
        let case = Case {
            before: Some(before),
            ..CASE
        };
        let program = program(&case);
        let Err(LaunchError::Trap(trap)) = try_launch(config(), &program, pair, &[5; 64]) else {
            panic!("{before}");
        };
        let TrapKind::StaleRead { size: 4, first, .. } = &trap.kind else {
            panic!("{}", trap.kind);
        };
        assert_eq!((trap.core, trap.pc), (1, program.address("load")));
        assert_eq!(
            (first.access, first.core, first.pc),
            (AccessKind::Store, 0, program.address("store"))
        );
        let said = trap.kind.to_string();
        assert!(
            said.starts_with("stale data: load of 4 bytes at 0x")
                && said.contains("may still hold what was there before the store by core 0")
                && said.contains("execute a `fence` on this core between the barrier and the load"),
            "{said}"
        );
    }
    // A part of what is loaded.
    let case = Case {
        store: Opcode::Sb,
        ..CASE
    };
    let kind = trap(config(), &program(&case), pair, &[5; 64]);
    assert!(matches!(kind, TrapKind::StaleRead { .. }), "{kind}");
}

#[test]
fn what_a_core_cannot_hold_is_not_stale() {
    for case in [
        Case {
            before: None,
            ..CASE
        },
        // In the next line.
        Case {
            before: Some(64),
            ..CASE
        },
        Case {
            fence: true,
            ..CASE
        },
    ] {
        assert_eq!(found(config(), &case, 5), [77; 2]);
    }
    // What is stored was there before.
    assert_eq!(found(config(), &CASE, 77), [77; 2]);
}

#[test]
fn unwatched_values_are_the_newest() {
    let unwatched = Config {
        checks: Checks::none(),
        ..config()
    };
    assert_eq!(found(unwatched, &CASE, 5), [77; 2]);
}
