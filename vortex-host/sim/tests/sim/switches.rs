//! What each check notices, and what happens instead where nobody looks: the same in all models.

use crate::harness::{Asm, CODE, bytes, lanes, machine, racing, run, trap, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, AccessKind, Checks, Config, Model, RunStats, Trap, TrapKind};

const BLANK: u32 = 0xbaad_f00d;

/// The checks that `VORTEX_CHECKS` would ask for.
fn checks(list: &str) -> Checks {
    list.parse().unwrap()
}

type Outcome = (Vec<u32>, Result<RunStats, Box<Trap>>);

/// What a program leaves in a buffer of these words, and how it ends: the same in all models.
fn outcome(list: &str, config: &Config, program: &Asm, buffer: &[u32]) -> Outcome {
    let run = |model, deterministic| {
        let config = Config {
            checks: checks(list),
            model,
            deterministic,
            ..config.clone()
        };
        // On host threads only races that are asked for are watched for.
        let config = match deterministic || list.contains("races") || list.contains("all") {
            true => config,
            false => racing(config),
        };
        let mut machine = machine(config, program);
        let size = buffer.len() as u64 * 4;
        let address = machine.alloc(size, Access::ReadWrite).unwrap();
        machine.write(address, &bytes(buffer)).unwrap();
        let mut ended = machine.run(CODE, address);
        if let Ok(stats) = &mut ended {
            (stats.cycles, stats.timing) = (None, None);
        }
        let mut left = vec![0; size as usize];
        machine.read(address, &mut left).unwrap();
        (words(&left), ended)
    };
    let plain = run(Model::Functional, true);
    assert_eq!(run(Model::cycle(), true), plain);
    assert_eq!(run(Model::Functional, false), plain);
    plain
}

fn noticed(list: &str, config: &Config, program: &Asm, buffer: &[u32]) -> TrapKind {
    match outcome(list, config, program, buffer).1 {
        Ok(_) => panic!("nothing was noticed"),
        Err(trap) => trap.kind,
    }
}

/// What a program leaves that runs to its end.
fn left(list: &str, config: &Config, program: &Asm, buffer: &[u32]) -> Vec<u32> {
    match outcome(list, config, program, buffer) {
        (left, Ok(_)) => left,
        (_, Err(trap)) => panic!("{list}: {trap}"),
    }
}

#[test]
fn bounds() {
    // The word after the last.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A1, x::A0, 8)
        .store(Opcode::Sw, x::A1, x::A0, 0)
        .end();
    let one = lanes(1);
    assert_eq!(left("all", &one, &program, &[1, 2, 3]), [3, 2, 3]);
    for list in ["all", "all,-unmapped"] {
        let kind = noticed(list, &one, &program, &[1, 2]);
        assert!(matches!(kind, TrapKind::OutOfBounds { .. }), "{list}");
    }
    for list in ["all,-bounds,-uninitialised", "none"] {
        assert_eq!(left(list, &one, &program, &[1, 2]), [BLANK, 2]);
    }
}

/// Every lane loads from its place near `address`, stores there, adds to it, loads it again, and tells what it found.
fn far(address: u32) -> Asm {
    let mut program = Asm::new();
    program.all_lanes().lane_address().li(x::A2, address);
    program
        .r(Opcode::Sub, x::A2, x::A2, x::A0)
        .r(Opcode::Add, x::A2, x::A2, x::A1)
        .label("load")
        .i(Opcode::Lw, x::A3, x::A2, 0)
        .store(Opcode::Sw, x::A3, x::A1, 0)
        .store(Opcode::Sw, x::S4, x::A2, 0)
        .store(Opcode::Sb, x::S4, x::A2, 3)
        .r(Opcode::AmoaddW, x::A3, x::A2, x::S5)
        .i(Opcode::Lw, x::A3, x::A2, 0)
        .store(Opcode::Sw, x::A3, x::A1, 16)
        .end();
    program
}

#[test]
fn unmapped() {
    let four = lanes(4);
    for address in [0, 0x100_0000, 0x4_fff8, 0xffff_fff0] {
        let program = far(address);
        for list in ["all", "all,-bounds"] {
            let kind = noticed(list, &four, &program, &[0; 8]);
            let there = matches!(kind, TrapKind::OutOfBounds { access: AccessKind::Load, address: at, .. } if at == address);
            assert!(there, "{kind}");
        }
        let expected: Vec<u32> = [BLANK; 4]
            .into_iter()
            .chain((0..4).map(|lane| lane * 0x100_0001 + 15))
            .collect();
        for list in ["all,-unmapped,-uninitialised", "none"] {
            assert_eq!(left(list, &four, &program, &[0; 8]), expected);
        }
        // What is there is nothing to rely on.
        let kind = noticed("all,-unmapped", &four, &program, &[0; 8]);
        assert!(matches!(kind, TrapKind::Uninitialised { .. }), "{kind}");
    }
    // There is no code out there.
    let mut program = Asm::new();
    program.li(x::A1, 0x100_0000);
    program.emit(Inst::i(Opcode::Jalr, x::ZERO, x::A1, 0)).end();
    let kind = noticed("none", &four, &program, &[0]);
    assert_eq!(kind, TrapKind::FetchOutOfBounds);
}

/// Memory that is freed: known as such, as that of nobody, or not looked at.
#[test]
fn freed() {
    let mut program = Asm::new();
    program.all_lanes().i(Opcode::Lw, x::A1, x::A0, 0).end();
    for (list, found) in [
        ("all", Some("use after free")),
        ("all,-unmapped", Some("use after free")),
        ("all,-freed", Some("out-of-bounds")),
        ("all,-freed,-unmapped", None),
        ("none", None),
    ] {
        let config = Config {
            checks: checks(list),
            ..lanes(4)
        };
        let mut machine = machine(config, &program);
        let buffer = machine.alloc(64, Access::ReadWrite).unwrap();
        machine.run(CODE, buffer).unwrap();
        machine.free(buffer).unwrap();
        match (machine.run(CODE, buffer), found) {
            (Ok(_), None) => {}
            (Err(trap), Some(found)) => assert!(trap.to_string().starts_with(found), "{trap}"),
            (outcome, _) => panic!("{list}: {outcome:?}"),
        }
        // Whether it is used again at once.
        let again = machine.alloc(64, Access::ReadWrite).unwrap() == buffer;
        assert_eq!(again, !checks(list).freed, "{list}");
    }
}

/// Each lane loads from its offset to the argument, and stores what it found there 64 bytes on; results stand behind.
fn misaligned(load: Opcode, store: Opcode) -> Asm {
    let mut program = Asm::new();
    program
        .all_lanes()
        .r(Opcode::Add, x::A2, x::A0, x::S4)
        .i(load, 11, x::A2, 1)
        .store(store, 11, x::A2, 65)
        .end();
    program
}

#[test]
fn alignment() {
    // So that its words end with the chunks that memory is made of.
    let start: Vec<u32> = (0..32u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    for (load, store, size) in [
        (Opcode::Lh, Opcode::Sh, 2),
        (Opcode::Lhu, Opcode::Sh, 2),
        (Opcode::Lw, Opcode::Sw, 4),
        (Opcode::Flw, Opcode::Fsw, 4),
    ] {
        for threads in [1, 8] {
            let program = misaligned(load, store);
            let kind = noticed("all", &lanes(threads), &program, &start);
            let misaligned = TrapKind::Misaligned {
                access: AccessKind::Load,
                address: 0x1_0001,
                size: size as u32,
            };
            assert_eq!(kind, misaligned, "{load}");
            let mut expected = bytes(&start);
            let before = expected.clone();
            for lane in 0..threads as usize {
                let value = &before[lane + 1..lane + 1 + size];
                expected[lane + 65..lane + 65 + size].copy_from_slice(value);
            }
            for list in ["-alignment", "none", "none,races"] {
                let found = left(list, &lanes(threads), &program, &start);
                assert_eq!(bytes(&found), expected, "{load} {list}");
            }
        }
    }
}

#[test]
fn accesses_that_are_not_aligned_are_watched_byte_by_byte() {
    let one = lanes(1);
    // The last of the bytes is not there.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A1, x::A0, 5)
        .end();
    left("all,-alignment", &one, &program, &[0; 3]);
    let kind = noticed("all,-alignment", &one, &program, &[0; 2]);
    let past = TrapKind::OutOfBounds {
        access: AccessKind::Load,
        address: 0x1_0005,
        size: 4,
        nearest: Some((0x1_0000, 0x1_0007)),
    };
    assert_eq!(kind, past);
    // The end of memory is before its start.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .li(x::A1, 0x1234_5678)
        .i(Opcode::Addi, x::A2, x::ZERO, -2)
        .store(Opcode::Sw, x::A1, x::A2, 0)
        .i(Opcode::Lhu, x::A3, x::ZERO, 0)
        .store(Opcode::Sw, x::A3, x::A0, 0)
        .end();
    assert_eq!(left("none", &one, &program, &[0]), [0x1234]);
    // The console takes bytes.
    let mut program = Asm::new();
    program.store(Opcode::Sw, x::ZERO, x::ZERO, 0x3d).end();
    let kind = noticed("none", &one, &program, &[0]);
    assert!(matches!(kind, TrapKind::ConsoleAccess { .. }), "{kind}");
    // What is atomic is not done in pieces.
    for opcode in [Opcode::AmoaddW, Opcode::LrW] {
        let mut program = Asm::new();
        program
            .csrr(x::A0, csr::MSCRATCH)
            .i(Opcode::Addi, x::A0, x::A0, 1)
            .r(opcode, x::A1, x::A0, x::ZERO)
            .end();
        let kind = noticed("none", &one, &program, &[0; 2]);
        assert!(matches!(kind, TrapKind::Misaligned { .. }), "{kind}");
    }
}

#[test]
fn accesses_that_are_not_aligned_keep_shadows() {
    let mut program = Asm::new();
    // On the stack, bytes 1 and 2 of four; these can be used, and the others not.
    program
        .csrr(x::A0, csr::MSCRATCH)
        .li(x::SP, 0xfffe_f000)
        .li(x::A1, 0x1234)
        .store(Opcode::Sh, x::A1, x::SP, 1)
        .i(Opcode::Lhu, x::A2, x::SP, 1)
        .store(Opcode::Sw, x::A2, x::A0, 0)
        .i(Opcode::Lhu, x::A2, x::SP, 2)
        .label("wrong")
        .store(Opcode::Sw, x::A2, x::A0, 0)
        .end();
    let (left, ended) = outcome("-alignment", &lanes(1), &program, &[0]);
    let trap = ended.unwrap_err();
    assert_eq!((left[0], trap.pc), (0x1234, program.address("wrong")));
    let TrapKind::Uninitialised { bits, .. } = trap.kind else {
        panic!("{trap}")
    };
    assert_eq!(bits, 0xff00);
}

#[test]
fn accesses_that_are_not_aligned_race() {
    let program = |offset: i32| {
        let mut program = Asm::new();
        // Warp 1 stores to bytes 1 and 2, and warp 0 to bytes 2 and 3, or 3 and 4.
        program
            .all_warps()
            .csrr(x::A1, csr::WARP_ID)
            .i(Opcode::Addi, x::A2, x::A1, 7)
            .branch(Opcode::Beq, x::A1, x::ZERO, "first")
            .store(Opcode::Sh, x::A2, x::A0, 1)
            .end();
        program
            .label("first")
            .store(Opcode::Sh, x::A2, x::A0, offset)
            .end();
        program
    };
    let config = Config {
        checks: checks("all,-alignment"),
        ..Config::with_shape(1, 2, 1)
    };
    run(config.clone(), &program(3), &[0; 2]);
    let trapped = trap(config, &program(2), &[0; 2]);
    let TrapKind::DataRace { address, size, .. } = trapped.kind else {
        panic!("{trapped}")
    };
    assert_eq!((address, size), (0x1_0002, 2));
    // Lanes of one store, each a byte further than the one before: what they store overlaps.
    let mut program = Asm::new();
    program
        .all_lanes()
        .i(Opcode::Slli, x::A1, x::S4, 3)
        .li(x::A2, 0x4433_2211)
        .r(Opcode::Srl, x::A2, x::A2, x::A1)
        .r(Opcode::Add, x::A3, x::A0, x::S4)
        .store(Opcode::Sh, x::A2, x::A3, 0)
        .store(Opcode::Sh, x::S4, x::A3, 4)
        .end();
    let kind = noticed("all,-alignment", &lanes(3), &program, &[0; 4]);
    let collision = TrapKind::StoreCollision {
        address: 0x1_0005,
        size: 2,
        other: 0,
    };
    assert_eq!(kind, collision);
}

/// A program that nobody may write to, which writes itself a loop: in each turn the next instruction is another one.
fn growing() -> Asm {
    let mut program = Asm::new();
    program.all_lanes().la(x::A2, "patched").li(x::A3, 0);
    program
        .label("again")
        .i(Opcode::Lw, x::A4, x::A2, 0)
        .li(x::T0, 1 << 20)
        .r(Opcode::Add, x::A4, x::A4, x::T0)
        .label("store")
        .store(Opcode::Sw, x::A4, x::A2, 0)
        .label("patched")
        .i(Opcode::Addi, x::A3, x::A3, 0)
        .i(Opcode::Slti, x::T0, x::A3, 1 + 2 + 3 + 4)
        .branch(Opcode::Bne, x::T0, x::ZERO, "again");
    program.store(Opcode::Sw, x::A3, x::A0, 0).end();
    program
}

#[test]
fn rights() {
    let program = growing();
    for threads in [1, 8] {
        let kind = noticed("all", &lanes(threads), &program, &[0]);
        let denied = TrapKind::AccessDenied {
            access: AccessKind::Store,
            address: program.address("patched"),
            size: 4,
            allowed: Access::Read,
        };
        assert_eq!(kind, denied);
        for list in ["-rights", "none"] {
            assert_eq!(left(list, &lanes(threads), &program, &[0]), [10]);
        }
    }
    // What it has become is there in the next run, too: it adds 5, and 6.
    let config = Config {
        checks: checks("-rights"),
        ..lanes(4)
    };
    let mut machine = machine(config, &program);
    let buffer = machine.alloc(4, Access::ReadWrite).unwrap();
    for expected in [10, 11] {
        machine.run(CODE, buffer).unwrap();
        let mut left = [0; 4];
        machine.read(buffer, &mut left).unwrap();
        assert_eq!(words(&left), [expected]);
    }
    // Buffers that only one side may use are like any other.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A1, x::A0, 0)
        .store(Opcode::Sw, x::A1, x::A0, 4)
        .end();
    for access in [Access::Read, Access::Write, Access::None] {
        for (list, allowed) in [("all", false), ("-rights", true)] {
            let config = Config {
                checks: checks(list),
                ..lanes(1)
            };
            let mut machine = crate::harness::machine(config, &program);
            let buffer = machine.alloc(8, access).unwrap();
            machine.write(buffer, &[1; 8]).unwrap();
            let ended = machine.run(CODE, buffer);
            assert_eq!(ended.is_ok(), allowed, "{list}: {ended:?}");
        }
    }
}

#[test]
fn reconvergence() {
    // Two lanes have room for one split. The other is on again all the same when the second comes.
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .li(x::A3, 0)
        .i(Opcode::Slti, x::A2, x::S4, 1)
        .split(x::S6, x::A2)
        .simt(Opcode::Tmc, x::S5, 0)
        .split(x::S7, x::A2)
        .i(Opcode::Addi, x::A3, x::A3, 1)
        .store(Opcode::Sw, x::A3, x::A1, 0)
        .join(x::S7)
        .join(x::S6)
        .end();
    let two = lanes(2);
    assert_eq!(
        noticed("all", &two, &program, &[9; 2]),
        TrapKind::SplitOverflow { limit: 1 }
    );
    // Lane 1 rests until the join of the split around the second one, on both sides of that.
    for list in ["-reconvergence", "none"] {
        assert_eq!(left(list, &two, &program, &[9; 2]), [2, 9]);
    }

    let four = lanes(4);
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .li(x::A2, 1)
        .join(x::A2)
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .end();
    assert_eq!(
        noticed("all", &four, &program, &[0; 4]),
        TrapKind::JoinUnderflow
    );
    assert_eq!(left("-reconvergence", &four, &program, &[0; 4]), [1; 4]);

    // A depth that is none still ends the split.
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .i(Opcode::Slti, x::A2, x::S4, 1)
        .split(x::A3, x::A2)
        .li(x::A3, 5)
        .store(Opcode::Sw, x::A3, x::A1, 0)
        .join(x::A3)
        .end();
    assert_eq!(
        noticed("all", &four, &program, &[0; 4]),
        TrapKind::JoinMismatch { depth: 5, open: 1 }
    );
    assert_eq!(left("-reconvergence", &four, &program, &[0; 4]), [5; 4]);
}

/// Without end, or rather: without one that is looked for.
#[test]
fn budget() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .li(x::A1, 100_000)
        .label("turn")
        .i(Opcode::Addi, x::A1, x::A1, -1)
        .branch(Opcode::Bne, x::A1, x::ZERO, "turn")
        .end();
    let config = |instruction_budget| Config {
        instruction_budget,
        ..lanes(2)
    };
    let budget = 50_000;
    let kind = noticed("all", &config(Some(budget)), &program, &[0]);
    assert_eq!(
        kind,
        TrapKind::BudgetSpent {
            budget,
            livelock: false
        }
    );
    left("all", &config(None), &program, &[0]);
}
