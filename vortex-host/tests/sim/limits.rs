//! What a device has only so much of: open splits, barriers, warps, instructions; and devices that there cannot be.

use crate::harness::{Asm, lanes, run, trap};
use vortex_host::sim::{AccessKind, Checks, Config, ConfigError, Machine, TrapKind, WaitReason};
use vortex_kernel::isa::{Inst, Opcode, csr, x};

#[test]
fn splits_left_open() {
    let program = |joined: bool| {
        let mut program = Asm::new();
        program.all_lanes().i(Opcode::Slti, x::A1, x::S4, 1);
        program.split(x::A2, x::A1);
        if joined {
            program.join(x::A2);
        }
        program.label("end").end();
        program
    };
    run(lanes(4), &program(true), &[0]);
    let open = program(false);
    let trapped = trap(lanes(4), &open, &[0]);
    assert_eq!(
        trapped.kind,
        TrapKind::OpenSplits {
            open: 1,
            lanes: 0xf
        }
    );
    assert_eq!(trapped.pc, open.address("end"));
    let checks = Checks {
        reconvergence: false,
        ..Checks::all()
    };
    run(Config { checks, ..lanes(4) }, &open, &[0]);
}

#[test]
fn too_many_splits_and_too_many_joins() {
    let mut program = Asm::new();
    program.all_lanes();
    for level in 0..4 {
        // All lanes are put back after each split without a join: the fourth is one too many for four lanes.
        program
            .i(Opcode::Slti, x::A1, x::S4, 1 + level % 3)
            .split(x::A2, x::A1);
        program.li(x::T0, 0xf).simt(Opcode::Tmc, x::T0, 0);
    }
    program.end();
    assert_eq!(
        trap(lanes(4), &program, &[0]).kind,
        TrapKind::SplitOverflow { limit: 3 }
    );

    let mut program = Asm::new();
    program.all_lanes().li(x::A1, 1).join(x::A1).end();
    assert_eq!(trap(lanes(4), &program, &[0]).kind, TrapKind::JoinUnderflow);

    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Slti, x::A1, x::S4, 1)
        .split(x::A2, x::A1)
        .li(x::A2, 5)
        .join(x::A2)
        .end();
    assert_eq!(
        trap(lanes(4), &program, &[0]).kind,
        TrapKind::JoinMismatch { depth: 5, open: 1 }
    );
}

#[test]
fn barriers_that_nobody_leaves() {
    // Warp 3 ends without coming.
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::A1, csr::WARP_ID)
        .li(x::A2, 3)
        .branch(Opcode::Beq, x::A1, x::A2, "end");
    program
        .li(x::A2, 4)
        .li(x::A3, 1)
        .label("barrier")
        .simt(Opcode::Bar, x::A3, x::A2)
        .label("end")
        .end();
    let trapped = trap(Config::with_shape(1, 4, 2), &program, &[0]);
    let TrapKind::Deadlock { waiting } = &trapped.kind else {
        panic!("{trapped}")
    };
    assert_eq!(
        waiting.iter().map(|warp| warp.warp).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert_eq!(
        waiting[0].reason,
        WaitReason::Barrier {
            id: 1,
            arrived: 3,
            expected: 4
        }
    );
    assert_eq!(trapped.pc, program.address("barrier"));
    assert!(
        trapped.to_string().contains("core 0, warp 2 before"),
        "{trapped}"
    );

    let mut program = Asm::new();
    program
        .li(x::A1, 2)
        .li(x::A2, 2)
        .simt(Opcode::Bar, x::A1, x::A2)
        .end();
    assert_eq!(
        trap(Config::with_shape(1, 4, 1), &program, &[0]).kind,
        TrapKind::InvalidBarrier { id: 2, limit: 2 }
    );

    let mut program = Asm::new();
    program
        .li(x::A1, 1 << 31)
        .li(x::A2, 3)
        .simt(Opcode::Bar, x::A1, x::A2)
        .end();
    let trapped = trap(Config::with_shape(2, 1, 1), &program, &[0]);
    let TrapKind::Deadlock { waiting } = trapped.kind else {
        panic!("{trapped}")
    };
    assert_eq!(
        waiting[1].reason,
        WaitReason::GlobalBarrier {
            id: 0,
            arrived: 2,
            expected: 3
        }
    );
}

#[test]
fn warps_only_from_warp_zero() {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::A1, csr::WARP_ID)
        .branch(Opcode::Beq, x::A1, x::ZERO, "end");
    program
        .simt(Opcode::Wspawn, x::A1, x::A1)
        .label("end")
        .end();
    let trapped = trap(Config::with_shape(1, 2, 2), &program, &[0]);
    assert_eq!(
        (trapped.kind, trapped.warp),
        (TrapKind::SpawnOutsideWarpZero, 1)
    );
}

#[test]
fn runaways() {
    let mut program = Asm::new();
    program.all_lanes().label("loop").jump("loop");
    let config = |budget| Config {
        instruction_budget: Some(budget),
        ..lanes(4)
    };
    let trapped = trap(config(100_000), &program, &[0]);
    assert_eq!(
        (trapped.kind, trapped.pc),
        (
            TrapKind::BudgetSpent { budget: 100_000 },
            program.address("loop")
        )
    );
    let mut program = Asm::new();
    program.li(x::A1, 1).end();
    run(config(3), &program, &[0]);
    assert_eq!(
        trap(config(1), &program, &[0]).kind,
        TrapKind::BudgetSpent { budget: 1 }
    );
}

#[test]
fn the_console_takes_bytes() {
    for (inst, access, size) in [
        (
            Inst::s(Opcode::Sw, x::ZERO, x::ZERO, 0x40),
            AccessKind::Store,
            4,
        ),
        (
            Inst::i(Opcode::Lbu, x::A0, x::ZERO, 0x40),
            AccessKind::Load,
            1,
        ),
    ] {
        let mut program = Asm::new();
        program.emit(inst).end();
        assert_eq!(
            trap(lanes(1), &program, &[0]).kind,
            TrapKind::ConsoleAccess {
                access,
                address: 0x40,
                size
            }
        );
    }
}

#[test]
fn devices_that_cannot_be() {
    let error = |config| Machine::new(config).err().map(|error| error.to_string());
    assert_eq!(
        Machine::new(Config::with_shape(0, 1, 1)).err(),
        Some(ConfigError::Count {
            what: "cores",
            given: 0,
            most: 255
        })
    );
    assert!(Machine::new(Config::with_shape(1, 33, 1)).is_err());
    assert!(Machine::new(Config::with_shape(1, 1, u32::MAX)).is_err());
    assert_eq!(
        error(Config {
            local_mem: 6,
            ..Config::default()
        })
        .unwrap(),
        "6 bytes of local memory per core are not possible: a multiple of 4 up to 65536 is"
    );
    assert!(
        error(Config {
            local_mem: 1 << 20,
            ..Config::default()
        })
        .is_some()
    );
    assert!(
        error(Config {
            local_mem: 0,
            ..Config::default()
        })
        .is_none()
    );
    assert_eq!(
        Machine::new(Config::with_shape(255, 32, 32)).err(),
        Some(ConfigError::Stacks { harts: 261_120 })
    );
    assert_eq!(Machine::new(Config::with_shape(255, 1, 32)).err(), None);
}
