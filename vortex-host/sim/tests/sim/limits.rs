//! What a device has only so much of: open splits, barriers, warps, instructions; and devices that there cannot be.

use crate::harness::{Asm, lanes, racing, run, trap, try_run};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{AccessKind, Checks, Config, ConfigError, Machine, TrapKind, WaitReason};

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
        trapped.to_string().contains(&format!(
            "\n  core 0, warp 2: barrier 1, where 3 of 4 warps arrived, at {:#010x}: bar a3, a2",
            trapped.pc
        )),
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
    let trapped = trap(trusting(Config::with_shape(2, 1, 1)), &program, &[0]);
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

/// Barriers are not looked at.
fn trusting(config: Config) -> Config {
    let checks = Checks {
        barriers: false,
        ..Checks::all()
    };
    Config { checks, ..config }
}

/// All warps come to barrier 0, for as many warps as a register says, and write 1.
fn barrier_for(count: impl Fn(&mut Asm)) -> Asm {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::A1, csr::WARP_ID)
        .csrr(x::A2, csr::NUM_WARPS);
    count(&mut program);
    program
        .label("barrier")
        .simt(Opcode::Bar, x::ZERO, x::A2)
        .li(x::A3, 1)
        .store(Opcode::Sw, x::A3, x::A0, 0)
        .end();
    program
}

#[test]
fn barriers_for_impossible_numbers() {
    let config = Config::with_shape(1, 4, 2);
    let all = barrier_for(|_| {});
    assert_eq!(run(config.clone(), &all, &[0]), [1]);
    for (count, unwatched) in [(0, Ok(1)), (5, Err(())), (u32::MAX, Err(()))] {
        let program = barrier_for(|program| {
            program.li(x::A2, count);
        });
        let trapped = trap(config.clone(), &program, &[0]);
        let kind = TrapKind::BarrierCount {
            id: 0,
            expected: count,
            most: 4,
        };
        assert_eq!(
            (trapped.kind, trapped.pc),
            (kind, program.address("barrier"))
        );
        // One that never opens is a deadlock whatever is watched for.
        let outcome = try_run(trusting(config.clone()), &program, &[0]);
        match (outcome, unwatched) {
            (Ok((found, _)), Ok(expected)) => assert_eq!(found, [expected]),
            (Err(trapped), Err(())) => {
                assert!(
                    matches!(trapped.kind, TrapKind::Deadlock { .. }),
                    "{trapped}"
                );
            }
            (outcome, _) => panic!("{count}: {outcome:?}"),
        }
    }
}

#[test]
fn barriers_for_different_numbers() {
    // The last warp asks for two, the others for all.
    let program = barrier_for(|program| {
        program
            .i(Opcode::Slti, x::A3, x::A1, 3)
            .i(Opcode::Slli, x::A3, x::A3, 1)
            .i(Opcode::Addi, x::A2, x::A3, 2);
    });
    let config = Config::with_shape(1, 4, 2);
    let trapped = trap(config.clone(), &program, &[0]);
    let TrapKind::BarrierMismatch { expected, first } = &trapped.kind else {
        panic!("{trapped}")
    };
    let reason = WaitReason::Barrier {
        id: 0,
        arrived: 2,
        expected: 4,
    };
    assert_eq!((*expected, trapped.warp), (2, 3));
    assert_eq!((first.warp, &first.reason), (1, &reason));
    let at = program.address("barrier");
    assert_eq!((trapped.pc, first.pc), (at, at));
    assert_eq!(
        trapped.inst(),
        Some(Inst::simt(Opcode::Bar, x::ZERO, x::A2))
    );
    // Unwatched, the last to come decides.
    assert_eq!(run(trusting(config), &program, &[0]), [1]);
}

#[test]
fn cores_that_meet_for_different_numbers() {
    // Cores 0 and 1 ask for two, and core 2 for three.
    let mut program = Asm::new();
    program
        .csrr(x::A1, csr::CORE_ID)
        .i(Opcode::Slti, x::A2, x::A1, 2)
        .li(x::A3, 3)
        .r(Opcode::Sub, x::A3, x::A3, x::A2)
        .li(x::A1, 1 << 31)
        .label("barrier")
        .simt(Opcode::Bar, x::A1, x::A3)
        .end();
    for deterministic in [true, false] {
        let config = racing(Config {
            deterministic,
            ..Config::with_shape(3, 1, 1)
        });
        // If the two come first they are gone when the third one comes, which then waits alone.
        let trapped = trap(config, &program, &[0]);
        match trapped.kind {
            TrapKind::BarrierMismatch { first, .. } => {
                assert_eq!(first.pc, program.address("barrier"));
                assert!(trapped.core == 2 || first.core == 2);
            }
            TrapKind::Deadlock { ref waiting } => assert_eq!(waiting[0].core, 2, "{trapped}"),
            _ => panic!("{trapped}"),
        }
    }
}

#[test]
fn barriers_without_the_lanes_of_the_other_side() {
    let program = |together: bool| {
        let mut program = Asm::new();
        program
            .all_warps()
            .csrr(x::A2, csr::NUM_WARPS)
            .i(Opcode::Slti, x::A1, x::S4, 1)
            .split(x::A3, x::A1);
        if together {
            program.join(x::A3);
        }
        program.label("barrier").simt(Opcode::Bar, x::ZERO, x::A2);
        if !together {
            program.join(x::A3);
        }
        program.end();
        program
    };
    let config = Config::with_shape(1, 2, 4);
    run(config.clone(), &program(true), &[0]);
    let apart = program(false);
    let trapped = trap(config.clone(), &apart, &[0]);
    let kind = TrapKind::DivergentBarrier {
        id: 0,
        lanes: 0b1110,
        others: 1,
    };
    assert_eq!((trapped.kind, trapped.pc), (kind, apart.address("barrier")));
    // Hardware counts warps, and so once for each side.
    run(trusting(config), &apart, &[0]);
    // A warp of fewer lanes is all there is.
    let mut program = Asm::new();
    program.all_warps().li(x::T0, 3).simt(Opcode::Tmc, x::T0, 0);
    program
        .csrr(x::A2, csr::NUM_WARPS)
        .simt(Opcode::Bar, x::ZERO, x::A2)
        .end();
    run(Config::with_shape(1, 2, 4), &program, &[0]);
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
            TrapKind::BudgetSpent {
                budget: 100_000,
                livelock: false
            },
            program.address("loop")
        )
    );
    let mut program = Asm::new();
    program.li(x::A1, 1).end();
    run(config(3), &program, &[0]);
    assert_eq!(
        trap(config(1), &program, &[0]).kind,
        TrapKind::BudgetSpent {
            budget: 1,
            livelock: false
        }
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

#[test]
fn sides_of_all_open_splits_count() {
    // Lanes 1 to 3 of four, then lanes 2 and 3 of these.
    let nested = |p: &mut Asm| {
        p.all_warps()
            .i(Opcode::Slti, x::A1, x::S4, 1)
            .split(x::A2, x::A1)
            .i(Opcode::Slti, x::A1, x::S4, 2)
            .split(x::A3, x::A1);
    };
    let mut open = Asm::new();
    nested(&mut open);
    open.end();
    let lanes = 0b1111;
    let kind = trap(Config::with_shape(1, 1, 4), &open, &[0]).kind;
    assert_eq!(kind, TrapKind::OpenSplits { open: 2, lanes });
    let mut barrier = Asm::new();
    nested(&mut barrier);
    barrier
        .csrr(x::A4, csr::NUM_WARPS)
        .simt(Opcode::Bar, x::ZERO, x::A4)
        .join(x::A3)
        .join(x::A2)
        .end();
    let kind = trap(Config::with_shape(1, 2, 4), &barrier, &[0]).kind;
    let TrapKind::DivergentBarrier { lanes, others, .. } = kind else {
        panic!("{kind}")
    };
    assert_eq!((lanes, others), (0b1100, 0b0011));
}
